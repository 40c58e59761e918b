/* SPDX-License-Identifier: MIT */
/* The same with jumps between stacks that nobody sees as such. */
#include <setjmp.h>
#include <stdlib.h>
#include <ucontext.h>

enum { MANY = 20000, SIZE = 64 << 10 };
static ucontext_t start, flow;
static jmp_buf caller, called;
int x;

static __attribute__((noinline)) void yield(int depth)
{
	if (depth > 0)
		yield(depth - 1);
	else if (!_setjmp(called))
		_longjmp(caller, 1);
	x++;
}

static void run(void)
{
	for (int i = 0;; i++)
		yield(i % 7);
}

int main(void)
{
	char *stack = malloc(SIZE);

	getcontext(&flow);
	flow.uc_stack.ss_sp = stack;
	flow.uc_stack.ss_size = SIZE;
	makecontext(&flow, run, 0);
	if (!_setjmp(caller))
		swapcontext(&start, &flow);
	for (volatile int i = 0; i < MANY; i++)
		if (!_setjmp(caller))
			_longjmp(called, 1);
	free(stack);
	return x < MANY;
}
