/* SPDX-License-Identifier: MIT */
/* An exception thrown in one thread, looked at and destroyed in another. */
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

struct failure {
	std::string text;
};

static std::mutex m;
static std::exception_ptr caught;

int main()
{
	std::thread one([] {
		try {
			throw failure{"a text too long for the string object itself"};
		} catch (...) {
			std::lock_guard<std::mutex> hold(m);
			caught = std::current_exception();
		}
	});
	std::thread two([] {
		for (;;) {
			std::lock_guard<std::mutex> hold(m);
			if (!caught)
				continue;
			try {
				std::rethrow_exception(std::exchange(caught, nullptr));
			} catch (const failure &f) {
				return (void)f.text.size();
			}
		}
	});

	one.join();
	two.join();
	return 0;
}
