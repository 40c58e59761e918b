/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
/* Waiting with a relaxed order acquires nothing. */
#include <atomic>
#include <thread>

static std::atomic<int> flag{0};
int data;

int main()
{
	std::thread one([] {
		data = 1; // race: a
		flag.store(1, std::memory_order_release);
		flag.notify_one();
	});

	flag.wait(0, std::memory_order_relaxed);
	data++; // race: b
	one.join();
	return 0;
}
