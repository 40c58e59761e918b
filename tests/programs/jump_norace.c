/* SPDX-License-Identifier: MIT */
/* Jumps out of calls, in every form that the C library has. */
#define _GNU_SOURCE
#include <setjmp.h>

enum { MANY = 20000 };
static jmp_buf plain;
static sigjmp_buf masked;
int x;

static __attribute__((noinline)) int deep(int depth, int form)
{
	if (depth > 0)
		return deep(depth - 1, form) + 1;
	x++;
	if (form == 0)
		longjmp(plain, 1);
	if (form == 1)
		_longjmp(plain, 1);
	siglongjmp(masked, 1);
}

int main(void)
{
	for (volatile int i = 0; i < MANY; i++) {
		if (i % 3 == 0 ? setjmp(plain) : i % 3 == 1 ? _setjmp(plain)
							    : sigsetjmp(masked, 1))
			continue;
		deep(i % 50, i % 3);
	}
	return x != MANY;
}
