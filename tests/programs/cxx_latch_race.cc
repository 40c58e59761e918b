/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
/* Counting down without waiting orders nothing for who counts. */
#include <latch>
#include <thread>
#include "invisible.h"

int data;
static invisible_step_t step;

int main()
{
	std::latch latch(3);
	std::thread one([&] {
		data = 1; // race: a
		latch.count_down();
		invisible_advance(&step);
	});
	std::thread two([&] {
		invisible_await(&step, 1);
		data = 2; // race: b
		latch.count_down();
	});

	one.join();
	two.join();
	return 0;
}
