/* SPDX-License-Identifier: MIT */
// flags: -pthread
// skip: dropin
/* Variables that a loop uses under a condition, which never holds in one of the threads,
 * and two fields of which one is used. Compilers would like to load them anyway. */
#include "threads.h"

static struct pair {
	long first, second;
} pair;
static struct pair *volatile place = &pair;
static volatile int rounds = 10;
static int mine[100];
static int counter, setting;
static volatile long seen;

static __attribute__((noinline)) void count(int id)
{
	int n = rounds;
	for (int i = 0; i < n; i++)
		if (mine[i] == id)
			counter++;
}

static __attribute__((noinline)) long add(int id)
{
	int n = rounds;
	long sum = 0;
	for (int i = 0; i < n; i++)
		if (mine[i] == id)
			sum += setting;
	return sum;
}

static __attribute__((noinline)) long choose(const struct pair *p, int which)
{
	return which ? p->second : p->first;
}

static void user(void)
{
	setting = 1;
	pair.first = 2;
	count(0);
	seen = add(0) + choose(place, 0);
}

static volatile long other;

static void bystander(void)
{
	count(1);
	other = add(1) + choose(place, 1);
}

int main(void)
{
	run_threads(2, user, bystander);
	return counter != 10;
}
