/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
/* A semaphore with two places lets two in at once. */
#include <semaphore>
#include <thread>
#include "invisible.h"

static std::counting_semaphore<2> places(2);
int data;
static invisible_step_t step;

int main()
{
	std::thread one([] {
		places.acquire();
		data = 1; // race: a
		invisible_advance(&step);
		invisible_await(&step, 2);
		places.release();
	});
	std::thread two([] {
		invisible_await(&step, 1);
		places.acquire();
		data = 2; // race: b
		places.release();
		invisible_advance(&step);
	});

	one.join();
	two.join();
	return 0;
}
