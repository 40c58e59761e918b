/* SPDX-License-Identifier: MIT */
/* Strings and containers of the uninstrumented library, each in its own thread or
 * behind a mutex. */
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex m;
static std::map<std::string, std::vector<std::string>> shared;

static void work(int me)
{
	std::string own;

	for (int i = 0; i < 50; i++) {
		own += "some text and " + std::to_string(i * me);
		std::string copy = own.substr(own.size() / 2);
		std::lock_guard<std::mutex> hold(m);
		shared[copy.substr(0, 8)].push_back(std::move(copy));
	}
}

int main()
{
	std::thread one(work, 1), two(work, 2);

	one.join();
	two.join();
	size_t n = 0;
	for (auto &entry : shared)
		n += entry.second.size();
	return n != 100;
}
