/* SPDX-License-Identifier: MIT */
/* What inside.c has, and both sides of a call must know. */
#include <setjmp.h>

struct five {
	long at[5];
};

struct mixed {
	long a;
	double b;
};

struct doubles {
	double a, b;
};

typedef double vector __attribute__((vector_size(32)));

int inside_add(int a, int b);
double inside_sum(int n, ...);
struct five inside_five(long x);
struct mixed inside_mixed(long a, double b);
struct doubles inside_doubles(double a);
long double inside_long_double(long double a);
_Complex long double inside_complex(_Complex long double a);
long inside_nine(long a, long b, long c, long d, long e, long f, long g, long h, long i);
void inside_call(void (*f)(void *), void *argument);
int inside_deeper(int n, int (*f)(int));
void inside_jump(jmp_buf to);
void inside_wait(void *unused);
void inside_raise(volatile int *flag);
void inside_keep(volatile int *flag);
void inside_raise_kept(void);
vector inside_vector(vector a, vector b);
int inside_chosen(int a);
