/* SPDX-License-Identifier: MIT */
/* A coroutine that two threads run in turn, under a lock, goes on with the stack that it
 * had under the other one. */
#include <sched.h>
#include <stdlib.h>
#include <ucontext.h>
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t coroutine, callers[2];
static int caller, done;
int x;

__attribute__((noinline)) static int descend(int n)
{
	x++;
	swapcontext(&coroutine, &callers[caller]);
	return n ? descend(n - 1) + 1 : 0;
}

static void body(void)
{
	for (int i = 0; i < 30; i++)
		x += descend(3);
	for (done = 1;;)
		descend(0);
}

static void run(int me)
{
	for (int last = 0; !last; sched_yield()) {
		pthread_mutex_lock(&lock);
		caller = me;
		swapcontext(&callers[me], &coroutine);
		last = done;
		pthread_mutex_unlock(&lock);
	}
}

static void one(void)
{
	run(0);
}

static void two(void)
{
	run(1);
}

int main(void)
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_size = 65536;
	coroutine.uc_stack.ss_sp = malloc(coroutine.uc_stack.ss_size);
	makecontext(&coroutine, body, 0);
	run_threads(2, one, two);
	return x > 200 ? 0 : 1;
}
