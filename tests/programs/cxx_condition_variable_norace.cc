/* SPDX-License-Identifier: MIT */
/* Waiting with a predicate, with and without a time limit, and on any lock. */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable cv;
static std::condition_variable_any any;
static bool ready, done;
static int data;

int main()
{
	std::thread one([] {
		data = 1;
		std::lock_guard<std::mutex> hold(m);
		ready = true;
		cv.notify_one();
	});
	std::thread two([] {
		std::unique_lock<std::mutex> hold(m);
		while (!cv.wait_for(hold, std::chrono::seconds(20), [] { return ready; }))
			;
		data++;
		done = true;
		any.notify_all();
	});
	{
		std::unique_lock<std::mutex> hold(m);
		any.wait(hold, [] { return done; });
	}
	data++;
	one.join();
	two.join();
	return data != 3;
}
