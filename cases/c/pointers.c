// What is written through one pointer is read through another; line 24 is the last statement.
// expect: holds
// property: line 24
// expect: violated
// property: line 24: x == 7 && a[1] == 5 && a[2] == 6
// expect: holds
// property: end: s.f == 3
// expect: holds
// property: no-faults
// expect: holds
struct S { int f; struct S *next; };
int x, a[3];
struct S s, t;
extern _Bool __VERIFIER_nondet_bool(void);
void set(int *p, int v) { *p = v; }
int main(void) {
    int *p = __VERIFIER_nondet_bool() ? &x : &a[1];
    set(&x, 7);
    set(a + 1, 5);
    *(&a[1] + 1) = 6;
    if (*p != 7 && *p != 5) __VERIFIER_error();
    t.next = &s;
    t.next->f = 3;
    return 0;
}
