/* SPDX-License-Identifier: MIT */
// skip: libcxx
/* (In libc++ there is a mutex inside, which orders.) */
/* A lock that was not to be had in time orders nothing. */
#include <chrono>
#include <mutex>
#include <thread>
#include "invisible.h"

static std::timed_mutex m;
static invisible_step_t step;
int x;

int main()
{
	std::thread one([] {
		m.lock();
		x = 1; // race: a
		invisible_advance(&step);
		invisible_await(&step, 2);
		m.unlock();
	});
	std::thread two([] {
		invisible_await(&step, 1);
		if (!m.try_lock_for(std::chrono::milliseconds(1)))
			x = 2; // race: b
		invisible_advance(&step);
	});

	one.join();
	two.join();
	return 0;
}
