// error: 3: `#include` is for the preprocessor, which has not been run on this file
// error: 4: `#define` is for the preprocessor, which has not been run on this file
#include <assert.h>
#define N 5
int main(void) { return 0; }
