/* SPDX-License-Identifier: MIT */
/* The task that is left is a child of the innermost undeferred one, and of no other. */
int x;

int main(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task if (0)
		{
#pragma omp task if (0)
			{
#pragma omp task
				x = 1; // race: a
			}
#pragma omp taskwait
			x += 2; // race: b
		}
	}
	return 0;
}
