/* SPDX-License-Identifier: MIT */
/* A task made here, run in another thread, its result fetched here. */
#include <future>
#include <string>
#include <thread>

int main()
{
	std::packaged_task<std::string(int)> task([](int n) { return std::string(n, 'x'); });
	std::future<std::string> f = task.get_future();
	std::thread one(std::move(task), 50);
	size_t n = f.get().size();

	one.join();
	return n != 50;
}
