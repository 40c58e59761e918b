/* SPDX-License-Identifier: MIT */
/* Whoever drops the last reference comes after all that the others did with it. */
#include <memory>
#include <thread>

struct object {
	int value = 0;
	~object()
	{
		value = -1;
	}
};

int main()
{
	for (int round = 0; round < 50; round++) {
		auto shared = std::make_shared<object>();
		std::shared_ptr<object> a = shared, b = std::move(shared);
		std::thread one([p = std::move(a)]() mutable {
			(void)p->value;
			p.reset();
		});
		std::thread two([p = std::move(b)]() mutable {
			(void)p->value;
			p.reset();
		});

		one.join();
		two.join();
	}
	return 0;
}
