/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
/* Semaphores of C++20: a release happens before the acquire that takes it. */
#include <semaphore>
#include <thread>

static std::counting_semaphore<8> items(0);
static std::binary_semaphore free_place(1);
static int place, sum;

int main()
{
	std::thread one([] {
		for (int i = 0; i < 50; i++) {
			free_place.acquire();
			place = i;
			items.release();
		}
	});
	std::thread two([] {
		for (int i = 0; i < 50; i++) {
			items.acquire();
			sum += place;
			free_place.release();
		}
	});

	one.join();
	two.join();
	return sum != 1225;
}
