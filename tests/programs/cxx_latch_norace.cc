/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
/* A latch: what was done before counting down is there for who waited. */
#include <latch>
#include <thread>

static int data[3];

int main()
{
	std::latch latch(2);
	std::thread one([&] {
		data[0] = 1;
		latch.count_down();
	});
	std::thread two([&] {
		data[1] = 2;
		latch.arrive_and_wait();
		data[2] = data[0];
	});

	latch.wait();
	int sum = data[0] + data[1];

	one.join();
	two.join();
	return sum != 3;
}
