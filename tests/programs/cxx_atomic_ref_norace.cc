/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
/* Plain variables, accessed through std::atomic_ref by all. */
#include <atomic>
#include <thread>

static int flag, data;

int main()
{
	std::thread one([] {
		data = 1;
		std::atomic_ref<int>(flag).store(1, std::memory_order_release);
	});
	std::thread two([] {
		while (!std::atomic_ref<int>(flag).load(std::memory_order_acquire))
			;
		data++;
	});

	one.join();
	two.join();
	return data != 2;
}
