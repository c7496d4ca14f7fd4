// error: 13: a floating-point number is not supported in what `main` reaches
// error: 16: function `malloc` is called and has no body
// error: 17: `i` is written and used in one expression in an order that C leaves open; write it as several statements
// error: 18: there is no variable `y`
// error: 19: an integer as a pointer is not supported in what `main` reaches
// error: 20: a bit-field is not supported in what `main` reaches
// error: 22: `self`, which calls itself, is not supported in what `main` reaches
struct S { int b : 3; };
extern void *malloc(unsigned);
int fact(int n) { return n < 2 ? 1 : n *
    0; }
int main(void) { int i = 0, x; struct S s;
    double d = 0.5;
    x = self(3);
    int *p;
    p = malloc(4);
    i = i++ + 1;
    x = y;
    p = (int *)x;
    s.b = 1;
    return 0; }
int self(int n) { return n ? self(n - 1) : 0; }
