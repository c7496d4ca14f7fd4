// The sum wraps around, so the error is reached; that it does is another question.
// expect: violated
// property: no-overflow
// expect: violated
// property: no-faults
// expect: holds
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 0 && x + 1 < 0) reach_error();
    return 0;
}
