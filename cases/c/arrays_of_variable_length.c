// Lengths are kept from where the array is declared on: both arrays have five elements, whatever `max` is later.
// expect: holds
extern void __VERIFIER_error(void);
int main(void) {
    unsigned int max = 5;
    char str[max], copy[max];
    for (int i = 0; i < max; i++) str[i] = i;
    str[max - 1] = 0;
    for (int j = 0; j < max; j++) copy[j] = str[j];
    max = 7;
    if (str[4] != copy[4]) __VERIFIER_error();
    return 0;
}
