/* SPDX-License-Identifier: MIT */
/* A thread gets at a local static object without passing its guard. */
#include <thread>
#include "invisible.h"

static invisible_step_t step;

struct object {
	int value;
	object();
};

static object *leak;

object::object()
{
	leak = this;
	value = 1; // race: a
}

static object &get()
{
	static object it;
	return it;
}

/* The pointer itself is passed on unseen. */
INVISIBLE object *object_at()
{
	return leak;
}

static void one()
{
	get();
	invisible_advance(&step);
}

static void two()
{
	invisible_await(&step, 1);
	object_at()->value = 2; // race: b
}

int main()
{
	std::thread a(one), b(two);
	a.join();
	b.join();
}
