/* SPDX-License-Identifier: MIT */
// flags: -std=c++17
/* std::mutex, recursive and timed ones, scoped locks on several. */
#include <chrono>
#include <mutex>
#include <thread>

static std::mutex m;
static std::recursive_mutex r;
static std::timed_mutex t;
static int data[3];

static void work()
{
	for (int i = 0; i < 100; i++) {
		{
			std::scoped_lock hold(m, r);
			std::lock_guard<std::recursive_mutex> again(r);
			data[0]++;
		}
		{
			std::lock_guard<std::recursive_mutex> hold(r);
			data[0]++;
		}
		if (t.try_lock_for(std::chrono::seconds(20))) {
			data[1]++;
			t.unlock();
		}
		if (m.try_lock()) {
			data[2]++;
			m.unlock();
		}
	}
}

int main()
{
	std::thread one(work), two(work);

	one.join();
	two.join();
	return data[0] != 400;
}
