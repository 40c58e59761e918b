/* SPDX-License-Identifier: MIT */
// flags: -fopenmp
// skip: clang
/* A sum that each thread has a part of. */
static int a[100];

int main(void)
{
	long sum = 0;
	int most = 0;

#pragma omp parallel for num_threads(4)
	for (int i = 0; i < 100; i++)
		a[i] = i;
#pragma omp parallel for num_threads(4) reduction(+ : sum) reduction(max : most)
	for (int i = 0; i < 100; i++) {
		sum += a[i];
		most = a[i] > most ? a[i] : most;
	}
	return sum != 4950 || most != 99;
}
