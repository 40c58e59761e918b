/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
/* Waiting on an atomic acquires what changed it. */
#include <atomic>
#include <thread>

static std::atomic<int> flag{0};
static std::atomic_flag bit;
static int data;

int main()
{
	std::thread one([] {
		data = 1;
		flag.store(1, std::memory_order_release);
		flag.notify_one();
		bit.wait(false);
		data++;
	});

	flag.wait(0, std::memory_order_acquire);
	data++;
	bit.test_and_set();
	bit.notify_all();
	one.join();
	return data != 3;
}
