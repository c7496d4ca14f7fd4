# 1 "header.h"
// What main never reaches may contain anything.
// property: unreach-call
// expect: holds
typedef double real;
struct packet { unsigned bits : 3; union { int a; char b; } u; real (*handler)(struct packet *, ...); };
extern void *malloc(unsigned);
static real half(real x) { return x / 2.0; }
static int recursive(int n) { return n ? recursive(n - 1) : 0; }
struct packet unused;
#pragma once
int main(void) { return 0; ERROR: reach_error(); }
