/* SPDX-License-Identifier: MIT */
/* Tasks add to private copies of a vector, and count without one. */
#include <vector>

using list = std::vector<int>;
#pragma omp declare reduction(join : list : \
		omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))

int count;

int main()
{
	list all;

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(join : all)
	for (int i = 0; i < 32; i++) {
#pragma omp task in_reduction(join : all)
		{
			all.push_back(i);
			count++; // race: a b
		}
	}
	return 0;
}
