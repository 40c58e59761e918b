/* SPDX-License-Identifier: MIT */
/* Threads that come while the constructor runs wait for it. */
#include <thread>
#include <vector>
#include "invisible.h"

static invisible_step_t in_constructor;

struct object {
	int value;
	object()
	{
		invisible_advance(&in_constructor);
		for (volatile int i = 0; i < 100000; i = i + 1)
			;
		value = 1;
	}
};

static int get()
{
	static object it;
	return it.value;
}

int main()
{
	int sum[4] = {0};
	std::vector<std::thread> threads;
	for (int &s : sum)
		threads.emplace_back([&s] { s = get(); });
	for (std::thread &t : threads)
		t.join();
	return sum[0] + sum[1] + sum[2] + sum[3] == 4 ? 0 : 1;
}
