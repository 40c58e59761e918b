/* SPDX-License-Identifier: MIT */
/* Prices that move at random, after montecarlo of Java Grande: many tasks, each of which
 * makes a path of prices on the heap and works out what it yields; the results go into a
 * list under a lock, and are put together at the end. */
#include "../kernels/kernel.h"

#include <math.h>

enum { STEPS = 200, TASKS = 1500 };

struct result {
	struct result *next;
	long task;
	double yield, spread;
};

static struct settings {
	double start, drift, volatility, step;
} settings;
static struct result *results;
static pthread_mutex_t results_lock = PTHREAD_MUTEX_INITIALIZER;

static double normal(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)(kernel_random(seed) >> 11) / 9007199254740992.0;
	return sum;
}

static double *path(long task)
{
	double *price = malloc((STEPS + 1) * sizeof *price);
	uint64_t seed = (uint64_t)task;

	price[0] = settings.start;
	for (int i = 0; i < STEPS; i++)
		price[i + 1] = price[i] * exp(settings.drift * settings.step +
					      settings.volatility * sqrt(settings.step) *
						  normal(&seed));
	return price;
}

static struct result *run_task(long task)
{
	struct result *r = malloc(sizeof *r);
	double *price = path(task), square = 0;

	*r = (struct result){.task = task, .yield = price[STEPS] / price[0]};
	for (int i = 0; i < STEPS; i++) {
		double change = price[i + 1] / price[i] - 1;

		square += change * change;
	}
	r->spread = sqrt(square / STEPS);
	free(price);
	return r;
}

static void work(long id)
{
	long tasks = kernel_scaled(TASKS);

	for (long t = kernel_first(tasks, id); t < kernel_last(tasks, id); t++) {
		struct result *r = run_task(t);

		pthread_mutex_lock(&results_lock);
		r->next = results;
		results = r;
		pthread_mutex_unlock(&results_lock);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;

	kernel_open(argc, argv);
	settings = (struct settings){100, 0.03, 0.2, 1.0 / STEPS};
	kernel_run(work);
	while (results) {
		struct result *r = results;

		results = r->next;
		sum += (uint64_t)(1e6 * (r->yield + r->spread)) * (uint64_t)(r->task + 1);
		free(r);
	}
	return kernel_close(sum);
}
