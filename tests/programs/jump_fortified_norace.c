/* SPDX-License-Identifier: MIT */
/* Jumps that the C library checks. */
// flags: -O2 -D_FORTIFY_SOURCE=2
#include <setjmp.h>

static jmp_buf out;
int x;

static __attribute__((noinline)) void deep(int depth)
{
	if (depth > 0)
		deep(depth - 1);
	x++;
	longjmp(out, 1);
}

int main(void)
{
	for (volatile int i = 0; i < 1000; i++)
		if (!setjmp(out))
			deep(i % 50);
	return x != 1000;
}
