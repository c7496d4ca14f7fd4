// The loop ends unless it begins with an odd number: then it goes around for ever.
// property: termination
// expect: violated
// property: ltl: G (label(loop) -> F end)
// expect: violated
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    unsigned char x = __VERIFIER_nondet_uchar();
loop:
    while (x != 0) x -= 2;
    return 0;
}
