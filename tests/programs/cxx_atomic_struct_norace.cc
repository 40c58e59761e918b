/* SPDX-License-Identifier: MIT */
/* An atomic struct of eight bytes, exchanged as a whole. */
#include <atomic>
#include <thread>

struct pair {
	int a, b;
};

static std::atomic<pair> shared{pair{0, 0}};

static void add()
{
	for (int i = 0; i < 500; i++) {
		pair old = shared.load(std::memory_order_relaxed);
		while (!shared.compare_exchange_weak(old, pair{old.a + 1, old.b - 1}))
			;
	}
}

int main()
{
	std::thread one(add), two(add);

	one.join();
	two.join();
	pair end = shared.load();
	return end.a != 1000 || end.b != -1000;
}
