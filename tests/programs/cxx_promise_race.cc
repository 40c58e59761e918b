/* SPDX-License-Identifier: MIT */
/* What is written after the promise was kept is not part of it. */
#include <future>
#include <thread>
#include "invisible.h"

int data, seen;
static invisible_step_t step;

int main()
{
	std::promise<void> promise;
	std::future<void> future = promise.get_future();
	std::thread one([&] {
		promise.set_value();
		data = 1; // race: a
		invisible_advance(&step);
	});

	future.get();
	invisible_await(&step, 1);
	seen = data; // race: b
	one.join();
	return 0;
}
