/* SPDX-License-Identifier: MIT */
/* Copies of a shared pointer in several threads: the last one destroys the object. */
#include <memory>
#include <thread>

struct object {
	int value[2] = {0, 0};
};

int main()
{
	auto first = std::make_shared<object>();
	std::weak_ptr<object> weak = first;
	std::thread one([copy = first] { copy->value[0] = 1; });
	std::thread two([copy = first, weak] {
		if (auto locked = weak.lock())
			locked->value[1] = 1;
	});

	first.reset();
	one.join();
	two.join();
	return !weak.expired();
}
