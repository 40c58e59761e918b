/* SPDX-License-Identifier: MIT */
/* Its maker waits for this one task, not for those made before. */
int x, y;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		x = 1; // race: a
#pragma omp task if (0)
		y = 1;
		x += y; // race: b
	}
	return 0;
}
