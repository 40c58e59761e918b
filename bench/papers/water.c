/* SPDX-License-Identifier: MIT */
/* Molecules that attract and repel each other, all pairs, after Water-nsquared of
 * SPLASH-2: each thread works out the forces of its molecules with the half of the others
 * that follow, gathers them by itself and then adds them to the common ones, molecule by
 * molecule under the molecule's lock; energies under a lock of their own; barriers
 * between the phases. What threads add up in any order is in whole numbers, so that every
 * run has one result. */
#include "../kernels/kernel.h"

#include <math.h>
#include <string.h>

enum { MOLECULES = 192, STEPS = 30, AXES = 3 };
#define UNIT 1e9 /* of whole numbers that stand for forces and energies */
#define BOX  12.0
#define DT   0.002

struct molecule {
	double place[AXES], speed[AXES];
	int64_t force[AXES];
	pthread_mutex_t lock;
};

static struct molecule molecule[MOLECULES];
static int64_t energy;
static pthread_mutex_t energy_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static double nearest(double d)
{
	return d > BOX / 2 ? d - BOX : d < -BOX / 2 ? d + BOX : d;
}

/* Adds the force between two to both, and returns the energy. */
static double interact(int a, int b, int64_t (*force)[AXES])
{
	double d[AXES], square = 0.1;

	for (int x = 0; x < AXES; x++) {
		d[x] = nearest(molecule[a].place[x] - molecule[b].place[x]);
		square += d[x] * d[x];
	}
	double inverse = 1 / (square * square * square);

	for (int x = 0; x < AXES; x++) {
		int64_t f = (int64_t)(UNIT * d[x] * inverse * (2 * inverse - 1) / square);

		force[a][x] += f;
		force[b][x] -= f;
	}
	return inverse * (inverse - 1);
}

static void forces(long id, int64_t (*own)[AXES])
{
	int64_t sum = 0;

	memset(own, 0, MOLECULES * sizeof *own);
	for (long a = kernel_first(MOLECULES, id); a < kernel_last(MOLECULES, id); a++)
		for (int n = 1; n <= MOLECULES / 2; n++)
			sum += (int64_t)(UNIT *
					 interact((int)a, (int)(a + n) % MOLECULES, own));
	for (int n = 0; n < MOLECULES; n++) {
		struct molecule *m =
		    &molecule[(kernel_first(MOLECULES, id) + n) % MOLECULES];

		pthread_mutex_lock(&m->lock);
		for (int x = 0; x < AXES; x++)
			m->force[x] += own[m - molecule][x];
		pthread_mutex_unlock(&m->lock);
	}
	pthread_mutex_lock(&energy_lock);
	energy += sum;
	pthread_mutex_unlock(&energy_lock);
}

static void move(struct molecule *m)
{
	for (int x = 0; x < AXES; x++) {
		m->speed[x] += DT * (double)m->force[x] / UNIT;
		m->place[x] += DT * m->speed[x];
		m->force[x] = 0;
	}
}

static void work(long id)
{
	int64_t(*own)[AXES] = malloc(MOLECULES * sizeof *own);

	for (long s = 0; s < kernel_scaled(STEPS); s++) {
		forces(id, own);
		pthread_barrier_wait(&barrier);
		for (long a = kernel_first(MOLECULES, id); a < kernel_last(MOLECULES, id);
		     a++)
			move(&molecule[a]);
		pthread_barrier_wait(&barrier);
	}
	free(own);
}

int main(int argc, char **argv)
{
	uint64_t seed = 7;

	kernel_open(argc, argv);
	pthread_barrier_init(&barrier, NULL, (unsigned)kernel_threads);
	for (int m = 0; m < MOLECULES; m++) {
		pthread_mutex_init(&molecule[m].lock, NULL);
		for (int x = 0; x < AXES; x++) {
			double jitter = (double)(kernel_random(&seed) % 1000) / 4000;
			int cell = x == 0 ? m % 6 : x == 1 ? m / 6 % 6 : m / 36;

			molecule[m].place[x] = cell * 2.0 + jitter;
		}
	}
	kernel_run(work);
	return kernel_close((uint64_t)energy);
}
