/* SPDX-License-Identifier: MIT */
/* A constructor that throws is tried again by the next thread, after what it did so
 * far. */
#include <thread>
#include "invisible.h"

static invisible_step_t step;
int tries;

struct object {
	object()
	{
		if (tries++ == 0)
			throw 1;
	}
};

static void get()
{
	static object it;
}

static void one()
{
	try {
		get();
	} catch (int) {
	}
	invisible_advance(&step);
}

static void two()
{
	invisible_await(&step, 1);
	get();
	tries++;
}

int main()
{
	std::thread a(one), b(two);
	a.join();
	b.join();
	return tries == 3 ? 0 : 1;
}
