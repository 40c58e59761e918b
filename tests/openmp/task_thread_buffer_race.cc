/* SPDX-License-Identifier: MIT */
/* Tasks have a buffer of their thread, and another that belongs to none. */
static int *buffer;
#pragma omp threadprivate(buffer)
int out[32];

int main()
{
	int *shared = new int[8]();
#pragma omp parallel
	{
		buffer = new int[64];
#pragma omp barrier
#pragma omp single
		for (int i = 0; i < 32; i++) {
#pragma omp task
			{
				buffer[i] = i;
				shared[0] += buffer[i]; // race: a b
			}
		}
		delete[] buffer;
	}
	delete[] shared;
	return 0;
}
