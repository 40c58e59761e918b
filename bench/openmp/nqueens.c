/* SPDX-License-Identifier: MIT */
// small: 5
/*
 * How many ways there are to put queens on a board so that none threatens another: a task
 * for each place in a row, the count reduced over all of them.
 *
 *	nqueens [SIDE]
 *
 * -DRACE: the count is one variable that all tasks raise.
 */
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 12 };
static long solutions;

struct board {
	int side, rows;
	int column[MOST];
};

static int is_free(const struct board *b, int column)
{
	for (int row = 0; row < b->rows; row++) {
		int away = b->rows - row, at = b->column[row];
		if (at == column || at == column + away || at == column - away)
			return 0;
	}
	return 1;
}

static void place(struct board b)
{
	for (int column = 0; column < b.side; column++) {
		if (!is_free(&b, column))
			continue;
		b.column[b.rows] = column;
#ifdef RACE
#pragma omp task firstprivate(b)
#else
#pragma omp task firstprivate(b) in_reduction(+ : solutions)
#endif
		{
			b.rows++;
			if (b.rows == b.side)
				solutions++; // race: a b
			else
				place(b);
		}
	}
}

int main(int argc, char **argv)
{
	static const long known[MOST + 1] = {1,	 1,  0,	  0,   2,    10,   4,
					     40, 92, 352, 724, 2680, 14200};
	struct board empty = {argc > 1 ? atoi(argv[1]) : 8, 0, {0}};

	if (empty.side < 1 || empty.side > MOST)
		return 2;
#pragma omp parallel
#pragma omp single
	{
#ifdef RACE
#pragma omp taskgroup
#else
#pragma omp taskgroup task_reduction(+ : solutions)
#endif
		place(empty);
	}
#ifndef RACE
	if (solutions != known[empty.side]) {
		printf("wrong: %ld\n", solutions);
		return 1;
	}
#endif
	return known[empty.side] < 0;
}
