/* SPDX-License-Identifier: MIT */
/* A fiber that is begun by one thread and goes on in another. */
#include <ucontext.h>
#include "threads.h"

void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);

static ucontext_t own[2], other;
static void *own_fiber[2], *fiber;
static int runner;
static char stack[64 << 10];
int data;
static atomic_int turn;

static void leave(void)
{
	ucontext_t *to = &own[runner];

	__tsan_switch_to_fiber(own_fiber[runner], 0);
	swapcontext(&other, to);
}

static void body(void)
{
	for (;;) {
		data++;
		leave();
	}
}

static void enter(int me)
{
	own_fiber[me] = __tsan_get_current_fiber();
	runner = me;
	__tsan_switch_to_fiber(fiber, 0);
	swapcontext(&own[me], &other);
}

static void one(void)
{
	enter(0);
	turn = 1;
}

static void two(void)
{
	while (!turn)
		;
	enter(1);
	data++;
}

int main(void)
{
	getcontext(&other);
	other.uc_stack.ss_sp = stack;
	other.uc_stack.ss_size = sizeof stack;
	makecontext(&other, body, 0);
	fiber = __tsan_create_fiber(0);
	run_threads(2, one, two);
	__tsan_destroy_fiber(fiber);
	return data != 3;
}
