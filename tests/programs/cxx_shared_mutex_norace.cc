/* SPDX-License-Identifier: MIT */
// flags: -std=c++17
/* Readers share, writers do not. */
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
static int data;

static void read_some()
{
	for (int i = 0; i < 100; i++) {
		std::shared_lock<std::shared_mutex> hold(m);
		if (data < 0)
			std::terminate();
	}
}

static void write_some()
{
	for (int i = 0; i < 100; i++) {
		std::unique_lock<std::shared_mutex> hold(m);
		data++;
	}
}

int main()
{
	std::thread one(read_some), two(read_some), three(write_some);

	one.join();
	two.join();
	three.join();
	return data != 100;
}
