/* SPDX-License-Identifier: MIT */
/* An initialiser that throws is tried again, after what it did so far. */
#include <mutex>
#include <thread>
#include "invisible.h"

static std::once_flag once;
static invisible_step_t step;
int x;

static void set(bool fail)
{
	x++;
	if (fail)
		throw 1;
}

static void one()
{
	try {
		std::call_once(once, set, true);
	} catch (int) {
	}
	invisible_advance(&step);
}

static void two()
{
	invisible_await(&step, 1);
	std::call_once(once, set, false);
	x++;
}

int main()
{
	std::thread a(one), b(two);
	a.join();
	b.join();
}
