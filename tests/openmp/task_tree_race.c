/* SPDX-License-Identifier: MIT */
/* A tree of a thousand tasks. The two halves write one sum when their own are done. */
int leaves[1024], sum;

static void half(int from, int count)
{
	if (count == 1) {
		leaves[from] = from;
		return;
	}
#pragma omp task
	half(from, count / 2);
#pragma omp task
	half(from + count / 2, count / 2);
#pragma omp taskwait
	if (count == 512)
		sum += leaves[from]; // race: a b
}

int main(void)
{
#pragma omp parallel
#pragma omp single
	half(0, 1024);
	return 0;
}
