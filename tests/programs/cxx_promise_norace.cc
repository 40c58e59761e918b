/* SPDX-License-Identifier: MIT */
/* A promise kept in one thread, its future shared by two others. */
#include <future>
#include <thread>

static int data;

int main()
{
	std::promise<int *> promise;
	std::shared_future<int *> future = promise.get_future().share();
	auto look = [future] { return *future.get() == 1 ? 0 : 1; };
	std::thread one(look), two(look);

	data = 1;
	promise.set_value(&data);
	one.join();
	two.join();
	return 0;
}
