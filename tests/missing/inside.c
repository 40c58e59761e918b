/* SPDX-License-Identifier: MIT */
/* A library that is not instrumented: arguments and results of all kinds, calls back,
 * ways out. See missing.t. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include "inside.h"

int inside_add(int a, int b)
{
	return a + b;
}

double inside_sum(int n, ...)
{
	double sum = 0;
	va_list list;
	va_start(list, n);
	while (n--)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}

struct five inside_five(long x)
{
	return (struct five){{x, x + 1, x + 2, x + 3, x + 4}};
}

struct mixed inside_mixed(long a, double b)
{
	return (struct mixed){a, b};
}

struct doubles inside_doubles(double a)
{
	return (struct doubles){a, -a};
}

long double inside_long_double(long double a)
{
	return a * 2;
}

_Complex long double inside_complex(_Complex long double a)
{
	return a + 1;
}

long inside_nine(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

void inside_call(void (*f)(void *), void *argument)
{
	f(argument);
}

int inside_deeper(int n, int (*f)(int))
{
	return n ? 1 + f(n - 1) : 0;
}

void inside_jump(jmp_buf to)
{
	longjmp(to, 3);
}

void inside_wait(void *unused)
{
	(void)unused;
	for (;;)
		pause();
}

void inside_raise(volatile int *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static volatile int *kept;

void inside_keep(volatile int *flag)
{
	kept = flag;
}

void inside_raise_kept(void)
{
	inside_raise(kept);
}

#if defined(__x86_64__)
__attribute__((target("avx"))) vector inside_vector(vector a, vector b)
{
	return a + b;
}
#endif

/* Which of two is there is found out when the library is loaded. */
static int one_more(int a)
{
	return a + 1;
}

static int (*choose(void))(int)
{
	return one_more;
}

int inside_chosen(int a) __attribute__((ifunc("choose")));
