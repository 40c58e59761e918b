/* SPDX-License-Identifier: MIT */
// threads: 2
/* A counter of each member, through its address one for all. */
int main(void)
{
	int count = 0;
	int *all = &count;

#pragma omp parallel for firstprivate(all) schedule(static, 1) // race: a b
	for (int i = 0; i < 64; i++)			       // race: a b
		*all += i;				       // race: a b
	return count < 0;
}
