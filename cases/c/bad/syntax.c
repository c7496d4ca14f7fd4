// error: 3: `}` cannot stand here
int main(void) { int x = 0; x = x +
}
