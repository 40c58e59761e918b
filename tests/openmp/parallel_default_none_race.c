/* SPDX-License-Identifier: MIT */
// threads: 2
/* Named as shared, and written by all. */
int main(void)
{
	int count = 0;

#pragma omp parallel default(none) shared(count)
	{
		count++; // race: a b
	}
	return count < 1;
}
