// SPDX-License-Identifier: MIT
/* The same with what C++ has names for: templates, lambdas, unnamed namespaces, members,
 * containers of the library. */
#include "../../programs/invisible.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {
int hidden;
template <class T> struct Box {
	T value;
	void add(T by) { value += by; }
};
Box<int> box;
Box<long> large;
}

struct Node {
	std::vector<int> items;
	int mark = 0;
	void note(int to) { mark = to; }
};

static invisible_step_t step;

template <class F> static void both(F f)
{
	auto turn = [&](int n) {
		invisible_await(&step, n);
		f();
		invisible_advance(&step);
	};
	int base = step.value;
	std::thread a(turn, base), b(turn, base + 1);
	a.join();
	b.join();
}

int main()
{
	auto node = std::make_shared<Node>();
	both([] { hidden++; });
	both([] {
		box.add(2);
		large.add(3);
	});
	both([&] { node->note(4); });
	both([&] { node->items.push_back(3); });
}
