/* SPDX-License-Identifier: MIT */
/* A ray tracer after that of Java Grande: 64 spheres over a plane, one light, shadows and
 * reflections. Threads take rows from a counter under a lock (the original deals them
 * out), make a vector on the heap for every ray, and add their checksums to a common one;
 * the original does that last step without a lock, which is its known race. */
#include "../kernels/kernel.h"

#include <math.h>

enum { SPHERES = 64, SIDE = 96, DEPTH = 3 };

struct vector {
	double x, y, z;
};

struct sphere {
	struct vector centre;
	double radius, shine;
};

struct ray {
	struct vector from, way;
};

static struct sphere scene[SPHERES];
static int image[SIDE][SIDE];
static long next_row, rows;
static uint64_t checksum;
static pthread_mutex_t row_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t sum_lock = PTHREAD_MUTEX_INITIALIZER;
static const struct vector light = {0.48, 0.6, -0.64};

static double dot(struct vector a, struct vector b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* a + f * b */
static struct vector along(struct vector a, double f, struct vector b)
{
	return (struct vector){a.x + f * b.x, a.y + f * b.y, a.z + f * b.z};
}

/* How far the sphere is on the ray; 0 where they do not meet. */
static double meets(const struct sphere *s, const struct ray *r)
{
	struct vector to = along(s->centre, -1, r->from);
	double b = dot(to, r->way);
	double d = b * b - dot(to, to) + s->radius * s->radius;

	if (d < 0)
		return 0;
	d = b - sqrt(d);
	return d > 1e-6 ? d : 0;
}

static const struct sphere *first_met(const struct ray *r, double *far)
{
	const struct sphere *met = NULL;

	*far = 1e9;
	for (int i = 0; i < SPHERES; i++) {
		double d = meets(&scene[i], r);

		if (d > 0 && d < *far) {
			*far = d;
			met = &scene[i];
		}
	}
	return met;
}

static double trace(const struct ray *r, int depth)
{
	double far, bright;
	const struct sphere *s = first_met(r, &far);

	if (!s)
		return r->way.y < 0 ? 0.2 : 0.1;
	struct ray *on = malloc(sizeof *on);

	on->from = along(r->from, far, r->way);
	struct vector normal = along(on->from, -1, s->centre);

	normal = (struct vector){normal.x / s->radius, normal.y / s->radius,
				 normal.z / s->radius};
	on->way = light;
	bright = first_met(on, &far) ? 0.1 : fmax(0.1, dot(normal, light));
	if (depth < DEPTH) {
		on->way = along(r->way, -2 * dot(r->way, normal), normal);
		bright = (1 - s->shine) * bright + s->shine * trace(on, depth + 1);
	}
	free(on);
	return bright;
}

static uint64_t draw_row(long y)
{
	uint64_t sum = 0;

	for (int x = 0; x < SIDE; x++) {
		struct vector way = {(x - SIDE / 2) / (double)SIDE,
				     (y - SIDE / 2) / (double)SIDE, 1};
		double n = 1 / sqrt(dot(way, way));
		struct ray r = {{0, 0, -6}, {way.x * n, way.y * n, way.z * n}};

		image[y][x] = (int)(255 * trace(&r, 0));
		sum += (uint64_t)image[y][x];
	}
	return sum;
}

static void work(long id)
{
	uint64_t sum = 0;

	(void)id;
	for (;;) {
		pthread_mutex_lock(&row_lock);
		long row = next_row++;
		pthread_mutex_unlock(&row_lock);
		if (row >= rows)
			break;
		sum += draw_row(row);
	}
	pthread_mutex_lock(&sum_lock);
	checksum += sum;
	pthread_mutex_unlock(&sum_lock);
}

int main(int argc, char **argv)
{
	kernel_open(argc, argv);
	for (int i = 0; i < SPHERES; i++)
		scene[i] = (struct sphere){
		    {i % 4 - 1.5, i / 4 % 4 - 1.5, i / 16 * 1.3}, 0.45, i % 3 * 0.25};
	for (long r = kernel_scaled(SIDE); r > 0; r -= SIDE) {
		rows = r < SIDE ? r : SIDE;
		next_row = 0;
		kernel_run(work);
	}
	return kernel_close(checksum);
}
