/* SPDX-License-Identifier: MIT */
/* A program that switches stacks without a word to us goes on as ever. */
#include <stdlib.h>
#include <ucontext.h>

enum { MANY = 20000, SIZE = 64 << 10, FLOWS = 3 };
static ucontext_t caller, flows[FLOWS];
int x, turn;

static __attribute__((noinline)) void yield(int depth)
{
	if (depth > 0)
		yield(depth - 1);
	else
		swapcontext(&flows[turn], &caller);
	x++;
}

static void flow(void)
{
	for (int i = 0;; i++)
		yield(i % 7);
}

int main(void)
{
	for (int i = 0; i < FLOWS; i++) {
		getcontext(&flows[i]);
		flows[i].uc_stack.ss_sp = malloc(SIZE);
		flows[i].uc_stack.ss_size = SIZE;
		makecontext(&flows[i], flow, 0);
	}
	for (int i = 0; i < MANY; i++) {
		turn = i % FLOWS;
		swapcontext(&caller, &flows[turn]);
	}
	for (int i = 0; i < FLOWS; i++)
		free(flows[i].uc_stack.ss_sp);
	return x < MANY;
}
