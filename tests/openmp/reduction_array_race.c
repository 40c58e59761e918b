/* SPDX-License-Identifier: MIT */
// threads: 2
/* A histogram that all add to. */
int main(void)
{
	int counts[4] = {0};

#pragma omp parallel for schedule(static, 1)
	for (int i = 0; i < 64; i++)
		counts[i / 16]++; // race: a b
	return counts[0] < 1;
}
