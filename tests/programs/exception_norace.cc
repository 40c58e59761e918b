/* SPDX-License-Identifier: MIT */
/* Exceptions through many calls, nested, rethrown, and across threads. */
#include <exception>
#include <stdexcept>
#include <thread>

static int deep(int depth)
{
	if (depth == 0)
		throw std::runtime_error("here");
	try {
		return deep(depth - 1) + 1;
	} catch (const std::logic_error &) {
		return 0;
	}
}

static int again(int depth)
{
	try {
		return deep(depth);
	} catch (...) {
		throw;
	}
}

int main()
{
	std::exception_ptr kept;
	int caught = 0;

	for (int i = 0; i < 2000; i++) {
		try {
			again(i % 40);
		} catch (const std::runtime_error &) {
			caught++;
		}
	}
	std::thread t([&] {
		try {
			again(3);
		} catch (...) {
			kept = std::current_exception();
		}
	});
	t.join();
	try {
		std::rethrow_exception(kept);
	} catch (const std::runtime_error &) {
		caught++;
	}
	return caught != 2001;
}
