/* SPDX-License-Identifier: MIT */
/* Each call has its local variable on the same place of the stack. Who leaves does
 * not wait for the task. */
int out[8];

static void one(int i)
{
	int local[2] = {i, 1};

#pragma omp task shared(local)
	out[i] = local[0]; // race: a
	local[0] = -1;	   // race: b
#pragma omp taskwait
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 8; i++)
		one(i);
	return 0;
}
