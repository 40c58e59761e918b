/* SPDX-License-Identifier: MIT */
/* A local static object is made once; all who use it come after. */
#include <exception>
#include <string>
#include <thread>

static const std::string &text()
{
	static const std::string made(100, 'x');
	return made;
}

int main()
{
	auto use = [] {
		for (int i = 0; i < 20; i++)
			if (text().size() != 100)
				std::terminate();
	};
	std::thread one(use), two(use), three(use);

	one.join();
	two.join();
	three.join();
	return 0;
}
