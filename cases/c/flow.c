// Loops, switch with fall-through, goto and short circuits; the sum is 0 + 1 + 20 + 30 + 4, counted by hand.
// expect: holds
// property: termination
// expect: holds
// property: ltl: F (call(done) && sum == 55)
// expect: holds
// property: label again: sum <= 55
// expect: holds
// property: E<> sum == 51
// expect: holds
int sum;
void done(void) {}
int main(void) {
    int i = 0;
again:
    switch (i) {
    case 2:
        sum += 10;
    case 3:
        sum += i == 2 ? 10 : 30;
        break;
    default:
        sum += i;
    }
    if (++i < 5 && sum >= 0) goto again;
    done();
    if (sum != 55) reach_error();
    return 0;
}
