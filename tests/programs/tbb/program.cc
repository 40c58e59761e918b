/* SPDX-License-Identifier: MIT */
/*
 * Tasks that a library without instrumentation runs. The argument says what to do:
 *
 *	order    touch what a task works on before it is handed over, and after waiting
 *for it memory   make a task where another one has been, once the library gives that out
 *again race     touch what a task works on without waiting for it
 */
#include <new>
#include <string.h>
#include "../invisible.h"
#include "tasks.h"

using namespace tbb::detail;

static d1::task_group_context context;
static d1::wait_context left;
static invisible_step_t done;
static long data;

struct add : d1::task {
	long value = 0;
	add *execute(d1::execution_data &) override
	{
		value = ++data;
		left.count.fetch_sub(1);
		invisible_advance(&done);
		return nullptr;
	}
	add *cancel(d1::execution_data &) override
	{
		return nullptr;
	}
};

static void hand_over()
{
	d1::small_object_pool *pool = nullptr;
	left.count.fetch_add(1);
	r1::spawn(*new (r1::allocate(pool, sizeof(add))) add, context);
}

int main(int, char **argv)
{
	int rounds = 0;
	for (int i = 0; i < 20; i++) {
		if (strcmp(argv[1], "memory") != 0)
			data++;
		hand_over();
		if (strcmp(argv[1], "order") == 0)
			r1::wait(left, context);
		else
			invisible_await(&done, ++rounds);
	}
	return 0;
}
