/* SPDX-License-Identifier: MIT */
/* Promises made good by the ends of threads that nobody joins. */
#include <future>
#include <thread>
#include <utility>

struct value {
	int n;
	explicit value(int n) : n(n)
	{
	}
	value(const value &) = default;
	~value()
	{
		n = -1;
	} /* whoever lets go last */
};

static int data;

int main()
{
	std::promise<value> promise;
	auto future = promise.get_future().share();
	std::thread(
	    [](std::promise<value> p) {
		    p.set_value_at_thread_exit(value(1));
		    data = 1; /* the thread has not ended yet */
	    },
	    std::move(promise))
	    .detach();
	data += future.get().n;
	future = {};

	std::promise<void> failing;
	auto nothing = failing.get_future();
	std::thread(
	    [](std::promise<void> p) {
		    data++;
		    p.set_exception_at_thread_exit(std::make_exception_ptr(value(4)));
	    },
	    std::move(failing))
	    .detach();
	try {
		nothing.get();
	} catch (const value &v) {
		data += v.n;
	}

	std::packaged_task<int(int)> task([](int n) { return data += n; });
	auto result = task.get_future();
	std::thread(
	    [](std::packaged_task<int(int)> t) { t.make_ready_at_thread_exit(5); },
	    std::move(task))
	    .detach();
	return result.get() != 12 || data++ != 12;
}
