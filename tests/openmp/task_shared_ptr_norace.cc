/* SPDX-License-Identifier: MIT */
/* What tasks have by std::shared_ptr: its count is no atomic where there is one thread. */
#include <functional>
#include <memory>

int main()
{
	long sum = 0;
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 100; i++) {
		auto p = std::make_shared<int>(i);
		std::function<int()> f = [p] { return *p; };
#pragma omp task shared(sum) firstprivate(f)
		{
			int got = f();
#pragma omp atomic
			sum += got;
		}
	}
	return sum != 4950;
}
