/* SPDX-License-Identifier: MIT */
/* All who see a local static object come after its constructor. */
#include <thread>
#include "invisible.h"

static invisible_step_t step;

struct object {
	int value;
	object()
	{
		value = 1;
	}
};

static object &get()
{
	static object it;
	return it;
}

static void one()
{
	get();
	invisible_advance(&step);
}

static void two()
{
	invisible_await(&step, 1);
	get().value++;
}

int main()
{
	std::thread a(one), b(two);
	a.join();
	b.join();
}
