/* SPDX-License-Identifier: MIT */
/* Molecular dynamics after moldyn of Java Grande: each thread has arrays of forces of its
 * own for all particles, fills them for its share of the pairs, and behind a barrier all
 * add up the arrays of all threads for their share of the particles. No locks at all. */
#include "../kernels/kernel.h"

#include <string.h>

enum { PARTICLES = 216, STEPS = 60, SIDE = 6, AXES = 3 };
#define CUT 9.0
#define DT  0.001

static double place[PARTICLES][AXES], speed[PARTICLES][AXES];
static double (*partial[KERNEL_THREADS_MAX])[AXES]; /* by thread */
static double potential[KERNEL_THREADS_MAX];
static pthread_barrier_t barrier;

static double pair_force(int a, int b, double (*force)[AXES])
{
	double d[AXES], square = 0;

	for (int x = 0; x < AXES; x++) {
		d[x] = place[a][x] - place[b][x];
		square += d[x] * d[x];
	}
	if (square > CUT)
		return 0;
	double i2 = 1 / square, i6 = i2 * i2 * i2;

	for (int x = 0; x < AXES; x++) {
		double f = d[x] * i6 * (i6 - 0.5) * i2;

		force[a][x] += f;
		force[b][x] -= f;
	}
	return i6 * (i6 - 1);
}

static void forces(long id)
{
	double(*force)[AXES] = partial[id];
	double sum = 0;

	memset(force, 0, PARTICLES * sizeof *force);
	for (int a = (int)id; a < PARTICLES; a += (int)kernel_threads)
		for (int b = a + 1; b < PARTICLES; b++)
			sum += pair_force(a, b, force);
	potential[id] += sum;
}

static void move(int a)
{
	for (int x = 0; x < AXES; x++) {
		double force = 0;

		for (long t = 0; t < kernel_threads; t++)
			force += partial[t][a][x];
		speed[a][x] += DT * 48 * force;
		place[a][x] += DT * speed[a][x];
	}
}

static void work(long id)
{
	partial[id] = malloc(PARTICLES * sizeof *partial[id]);
	for (long s = 0; s < kernel_scaled(STEPS); s++) {
		forces(id);
		pthread_barrier_wait(&barrier);
		for (long a = kernel_first(PARTICLES, id); a < kernel_last(PARTICLES, id);
		     a++)
			move((int)a);
		pthread_barrier_wait(&barrier);
	}
	free(partial[id]);
}

int main(int argc, char **argv)
{
	double sum = 0;

	kernel_open(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel_threads);
	for (int a = 0; a < PARTICLES; a++) {
		place[a][0] = a % SIDE * 1.1;
		place[a][1] = a / SIDE % SIDE * 1.1;
		place[a][2] = a / SIDE / SIDE * 1.1;
	}
	kernel_run(work);
	for (long t = 0; t < kernel_threads; t++)
		sum += potential[t];
	return kernel_close((uint64_t)(int64_t)(sum * 1e3));
}
