/* SPDX-License-Identifier: MIT */
/* After an exception the accesses are those of the function that caught it. */
#include <thread>
#include "invisible.h"

static invisible_step_t step;
int x;

static __attribute__((noinline)) int deep(int depth)
{
	if (depth == 0)
		throw 1;
	return deep(depth - 1) + 1;
}

static void child()
{
	try {
		deep(20);
	} catch (int) {
		x = 1; // race: a
	}
	invisible_advance(&step);
}

int main()
{
	std::thread t(child);
	invisible_await(&step, 1);
	x = 2; // race: b
	t.join();
	return 0;
}
