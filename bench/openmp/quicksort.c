/* SPDX-License-Identifier: MIT */
// small: 400
/*
 * Quicksort: a task for each side.
 *
 *	quicksort [COUNT]
 *
 * -DRACE: the result is looked at before the sides are sorted.
 */
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 16 };

static void insert(int *a, long n)
{
	for (long i = 1; i < n; i++) {
		int moved = a[i]; // race: a
		long j = i;
		for (; j > 0 && a[j - 1] > moved; j--)
			a[j] = a[j - 1]; // race: a
		a[j] = moved;		 // race: a
	}
}

static long partition(int *a, long n)
{
	int middle = a[n / 2];
	long low = 0, high = n - 1;

	for (;;) {
		while (a[low] < middle)
			low++;
		while (a[high] > middle)
			high--;
		if (low >= high)
			return high + 1;
		int moved = a[low];
		a[low++] = a[high]; // race: a
		a[high--] = moved;  // race: a
	}
}

static void sort(int *a, long n)
{
	if (n <= SMALL) {
		insert(a, n);
		return;
	}
	long left = partition(a, n);
#pragma omp task
	sort(a, left);
#pragma omp task
	sort(a + left, n - left);
}

static int is_sorted(const int *a, long n)
{
	int good = 1;

	for (long i = 1; i < n; i++)
		if (a[i - 1] > a[i]) // race: b
			good = 0;
	return good;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 20000;
	int *a = malloc((size_t)n * sizeof *a), good = 0;
	unsigned random = 1;

	for (long i = 0; i < n; i++) {
		random = random * 1664525u + 1013904223u;
		a[i] = (int)(random >> 8);
	}
#pragma omp parallel
#pragma omp single
	{
#ifndef RACE
#pragma omp taskgroup
#endif
		sort(a, n);
		good = is_sorted(a, n);
	}
	free(a);
#ifndef RACE
	if (!good) {
		printf("wrong\n");
		return 1;
	}
#endif
	return good == 2;
}
