/* SPDX-License-Identifier: MIT */
/* Two threads, each with a mutex of its own. */
#include <mutex>
#include <thread>
#include "invisible.h"

static std::mutex a, b;
int data;
static invisible_step_t step;

int main()
{
	std::thread one([] {
		std::lock_guard<std::mutex> hold(a);
		data = 1; // race: a
		invisible_advance(&step);
	});
	std::thread two([] {
		invisible_await(&step, 1);
		std::lock_guard<std::mutex> hold(b);
		data = 2; // race: b
	});

	one.join();
	two.join();
	return 0;
}
