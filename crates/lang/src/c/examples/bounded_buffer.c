// A ring buffer: what is taken out is what was put in.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);
void reach_error(void) {}

enum { SIZE = 4 };
int buffer[SIZE];
unsigned first, count;

void put(int value) {
    buffer[(first + count) % SIZE] = value;
    count++;
}

int get(void) {
    int value = buffer[first];
    first = (first + 1) % SIZE;
    count--;
    return value;
}

int main(void) {
    for (int i = 0; i < 10; i++) {
        int value = __VERIFIER_nondet_int();
        put(value);
        if (get() != value) reach_error();
    }
    return 0;
}
