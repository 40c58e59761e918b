/* SPDX-License-Identifier: MIT */
/* Jumps that the compiler makes itself, which nobody sees. */
// skip: O0
#include <stddef.h>

enum { MANY = 200000 };
static void *out[5];
int x;

static __attribute__((noinline)) void leave(void)
{
	x++;
	__builtin_longjmp(out, 1);
}

static __attribute__((noinline)) void once(void)
{
	if (!__builtin_setjmp(out))
		leave();
}

int main(void)
{
	for (int i = 0; i < MANY; i++)
		once();
	return x != MANY;
}
