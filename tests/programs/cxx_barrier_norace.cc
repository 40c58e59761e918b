/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
/* A barrier with a completion function that runs between the rounds. */
#include <barrier>
#include <exception>
#include <thread>

static int data[2], sum;

int main()
{
	std::barrier barrier(2, []() noexcept { sum += data[0] + data[1]; });
	auto work = [&](int me) {
		for (int i = 0; i < 20; i++) {
			data[me] = i;
			barrier.arrive_and_wait();
			if (data[!me] != i)
				std::terminate();
			barrier.arrive_and_wait();
		}
	};
	std::thread one(work, 0), two(work, 1);

	one.join();
	two.join();
	return sum != 4 * 190;
}
