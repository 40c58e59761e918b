/* SPDX-License-Identifier: MIT */
/* One result for several threads, by value and by exception; each has a future of its
 * own, and the last one destroys what they share. */
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static size_t fetch(std::shared_future<std::string> f)
{
	try {
		return f.get().size();
	} catch (const std::runtime_error &e) {
		return std::string(e.what()).size();
	}
}

static size_t round(bool fails)
{
	std::promise<std::string> promise;
	std::shared_future<std::string> f = promise.get_future().share();
	std::vector<std::future<size_t>> sizes;
	size_t sum = 0;

	for (int i = 0; i < 3; i++)
		sizes.push_back(std::async(std::launch::async, fetch, f));
	f = {};
	if (fails)
		promise.set_exception(std::make_exception_ptr(std::runtime_error("ten chars.")));
	else
		promise.set_value("ten chars.");
	for (auto &s : sizes)
		sum += s.get();
	return sum;
}

int main()
{
	return round(false) != 30 || round(true) != 30;
}
