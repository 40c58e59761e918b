/* SPDX-License-Identifier: MIT */
// skip: libcxx
/* (In libc++ there is a mutex inside, which orders readers too.) */
// flags: -std=c++17
/* A write under a lock that only readers should have. */
#include <shared_mutex>
#include <thread>
#include "invisible.h"

static std::shared_mutex m;
int data;
static invisible_step_t step;

int main()
{
	std::thread one([] {
		std::shared_lock<std::shared_mutex> hold(m);
		data = 1; // race: a
		invisible_advance(&step);
	});
	std::thread two([] {
		invisible_await(&step, 1);
		std::shared_lock<std::shared_mutex> hold(m);
		data = 2; // race: b
	});

	one.join();
	two.join();
	return 0;
}
