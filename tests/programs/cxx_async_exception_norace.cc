/* SPDX-License-Identifier: MIT */
/* An exception out of std::async comes with the future. */
#include <future>
#include <stdexcept>

static int data;

int main()
{
	auto f = std::async(std::launch::async, []() -> int {
		data = 1;
		throw std::runtime_error("a text that is long enough to be allocated");
	});

	try {
		return f.get();
	} catch (const std::runtime_error &e) {
		return data == 1 && e.what()[0] == 'a' ? 0 : 1;
	}
}
