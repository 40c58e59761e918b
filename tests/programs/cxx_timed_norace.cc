/* SPDX-License-Identifier: MIT */
/* The locks and waits with a time limit, by both clocks. */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;
static std::timed_mutex m;
static std::recursive_timed_mutex r;
static std::shared_timed_mutex s;
static std::mutex plain;
static std::condition_variable c;
static std::condition_variable_any any;
static int by_m, by_r, by_s, told;

static void work()
{
	for (int i = 0; i < 50; i++) {
		if (i % 2 ? m.try_lock_for(60s)
			  : m.try_lock_until(std::chrono::system_clock::now() + 60s)) {
			by_m++;
			m.unlock();
		}
		std::unique_lock<std::recursive_timed_mutex> once(r, 60s), twice(r, 60s);
		by_r++;
		if (i % 4 == 0 && s.try_lock_for(60s)) {
			by_s++;
			s.unlock();
		} else if (s.try_lock_shared_until(std::chrono::steady_clock::now() + 60s)) {
			by_r += by_s;
			s.unlock_shared();
		}
	}
	std::lock_guard<std::mutex> hold(plain);
	told++;
	c.notify_all();
	any.notify_all();
}

int main()
{
	std::thread one(work), two(work);
	{
		std::unique_lock<std::mutex> hold(plain);
		c.wait_for(hold, 60s, [] { return told > 0; });
		c.wait_until(hold, std::chrono::system_clock::now() + 1us);
		any.wait_until(hold, std::chrono::steady_clock::now() + 60s,
			       [] { return told == 2; });
	}
	one.join();
	two.join();
	return by_m != 100;
}
