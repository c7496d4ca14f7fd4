// An index outside of its array comes before the error.
// expect: fault index-out-of-range
// property: no-faults
// expect: violated
// property: line 12
// expect: fault index-out-of-range
extern unsigned __VERIFIER_nondet_uint(void);
int a[4];
int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (a[i] != 0)
        __VERIFIER_error();
    return 0;
}
