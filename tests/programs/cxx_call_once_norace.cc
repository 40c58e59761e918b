/* SPDX-License-Identifier: MIT */
/* std::call_once: all come after the one call, also when it throws at first. */
#include <exception>
#include <mutex>
#include <thread>

static std::once_flag flag;
static int data, tries;

static void use()
{
	for (;;) {
		try {
			std::call_once(flag, [] {
				if (tries++ == 0)
					throw 1;
				data = 1;
			});
			break;
		} catch (int) {
		}
	}
	if (data != 1)
		std::terminate();
}

int main()
{
	std::thread one(use), two(use), three(use);

	one.join();
	two.join();
	three.join();
	return 0;
}
