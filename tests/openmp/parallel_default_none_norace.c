/* SPDX-License-Identifier: MIT */
/* A counter named as shared and kept by atomic updates. */
int main(void)
{
	int count = 0;

#pragma omp parallel default(none) shared(count)
	{
#pragma omp atomic
		count++;
	}
	return count < 1;
}
