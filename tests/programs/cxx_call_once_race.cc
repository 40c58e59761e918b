/* SPDX-License-Identifier: MIT */
/* Who finds std::call_once done comes after the call, not after what followed it. */
#include <mutex>
#include <thread>
#include "invisible.h"

static std::once_flag flag;
static invisible_step_t step;
int inside, after;

static void start()
{
	inside = 1;
}

int main()
{
	std::thread one([] {
		std::call_once(flag, start);
		after = 1; // race: a
		invisible_advance(&step);
	});
	std::thread two([] {
		invisible_await(&step, 1);
		std::call_once(flag, start);
		after = inside + 1; // race: b
	});

	one.join();
	two.join();
	return 0;
}
