/* SPDX-License-Identifier: MIT */
// skip: libcxx
/* (libc++ locks a mutex in both threads, which can order them.) */
// status: 66
/* Not waiting for the future before the result is looked at. */
#include <future>
#include "invisible.h"

int data;
static invisible_step_t step;

int main()
{
	auto f = std::async(std::launch::async, [] {
		data = 1; // race: a
		invisible_advance(&step);
	});

	invisible_await(&step, 1);
	int seen = data; // race: b

	f.wait();
	return seen != 1;
}
