/* SPDX-License-Identifier: MIT */
/* The innermost undeferred task waits for its child; so does one within a group. */
int x, y;

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
				x = 1;
#pragma omp taskwait
			}
			x += 2;
#pragma omp taskgroup
			{
#pragma omp task if (0)
				{
#pragma omp task
					y = 1;
				}
			}
			y += 2;
		}
	}
	return 0;
}
