/* SPDX-License-Identifier: MIT */
/* The future is asked before the thread has ended, and has no answer that would order. */
#include <chrono>
#include <future>
#include <thread>
#include <utility>
#include "invisible.h"

static invisible_step_t step;
static volatile int data;

int main()
{
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread other(
	    [](std::promise<int> p) {
		    p.set_value_at_thread_exit(1);
		    data = 1; // race: a
		    invisible_advance(&step);
		    invisible_await(&step, 2);
	    },
	    std::move(promise));
	invisible_await(&step, 1);
	if (future.wait_for(std::chrono::seconds(0)) != std::future_status::timeout)
		return 1;
	data = 2; // race: b
	invisible_advance(&step);
	other.join();
	return 0;
}
