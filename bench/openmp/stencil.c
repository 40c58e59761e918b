/* SPDX-License-Identifier: MIT */
// small: 24 6
// threads: 2
/*
 * Heat that spreads over a plate: each cell becomes the mean of its neighbours, in two
 * arrays in turn, with a loop over the rows for each step of time.
 *
 *	stencil [SIDE [STEPS]]
 *
 * -DRACE: no barrier between the steps.
 */
#include <stdio.h>
#include <stdlib.h>

static double *plate[2];

static void relax(int side, int steps)
{
	for (int t = 0; t < steps; t++) {
		const double *old = plate[t % 2];
		double *new = plate[1 - t % 2];
#ifdef RACE
#pragma omp for schedule(static) nowait
#else
#pragma omp for schedule(static)
#endif
		for (int i = 1; i < side - 1; i++)
			for (int j = 1; j < side - 1; j++) {
				size_t at = (size_t)i * (size_t)side + (size_t)j;
				double row = old[at - 1] + old[at + 1]; // race: b
				double above = old[at - (size_t)side];	// race: b
				double below = old[at + (size_t)side];	// race: b
				new[at] = (row + above + below) * 0.25; // race: a
			}
	}
}

int main(int argc, char **argv)
{
	int side = argc > 1 ? atoi(argv[1]) : 128, steps = argc > 2 ? atoi(argv[2]) : 40;
	size_t cells = (size_t)side * (size_t)side;

	for (int k = 0; k < 2; k++) {
		plate[k] = calloc(cells, sizeof(double));
		for (int j = 0; j < side; j++)
			plate[k][j] = 100; /* one edge is hot */
	}
#pragma omp parallel
	relax(side, steps);
#ifndef RACE
	double sum = 0;
	for (size_t i = (size_t)side; i < cells; i++)
		sum += plate[steps % 2][i];
	if (sum <= 0 || sum >= 100.0 * (double)cells) {
		printf("wrong: %g\n", sum);
		return 1;
	}
#endif
	free(plate[0]);
	free(plate[1]);
	return 0;
}
