/* SPDX-License-Identifier: MIT */
/* The count of std::shared_ptr orders nothing but the end of what it points to. */
#include <memory>

int main()
{
	auto p = std::make_shared<int>(1);
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 10; i++) {
#pragma omp task firstprivate(p)
		*p += i; // race: a b
	}
	return 0;
}
