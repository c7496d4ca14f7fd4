// Promotions and conversions, each with the value that C11 6.3.1 gives it; every line would call an error otherwise.
// expect: holds
// property: no-overflow
// expect: holds
// property: no-faults
// expect: holds
void reach_error(void) {}
int main(void) {
    unsigned char c = 255;
    if (c + 1 != 256) reach_error();
    c++;
    if (c != 0) reach_error();
    if (!(-1 > 1u)) reach_error();
    if (-1 > (unsigned short)1) reach_error();
    if ((signed char)200 != -56) reach_error();
    if ((unsigned)-1 >> 31 != 1) reach_error();
    if (-7 / 2 != -3 || -7 % 2 != -1) reach_error();
    if (-7 >> 1 != -4) reach_error();
    if (~0u != 4294967295) reach_error();
    if (sizeof(long) != 4 || sizeof 'a' != 4) reach_error();
    if (2147483648 <= 0) reach_error();
    if ((_Bool)256 != 1) reach_error();
    return 0;
}
