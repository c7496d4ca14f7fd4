// A condition that is asked about at a place may have no value there, and decides nothing then.
// property: line 12: 1 / g >= 0
// expect: fault division-by-zero
// property: line 13: 1 / g >= 0
// expect: holds
int g = 0;
int main(void) {
    int n = 0;
    while (n < 3) {
        // `g` is 0 in the first round, and then no more.
        n++;
        g++;
        n += 0;
    }
    return n;
}
