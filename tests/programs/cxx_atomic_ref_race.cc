/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
// skip: O0
/* One thread forgets the std::atomic_ref. */
#include <atomic>
#include <thread>
#include "invisible.h"

int x;
static invisible_step_t step;

int main()
{
	std::thread one([] {
		std::atomic_ref<int>(x)++; // race: a
		invisible_advance(&step);
	});
	std::thread two([] {
		invisible_await(&step, 1);
		x++; // race: b
	});

	one.join();
	two.join();
	return 0;
}
