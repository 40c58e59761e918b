/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* Streams on the program's memory: what is written counts where it is flushed or closed,
 * and what is read where that is. */
// message: 6 distinct races
#include <stdio.h>
#include "threads.h"

static char flushed[16], closed[16], line[] = "line\n", number[] = "  7",
				     moved[] = "text";
static char late[16];
static invisible_step_t step;
static int value;

static void one(void)
{
	flushed[2] = 1;	 // race: a
	closed[2] = 1;	 // race: a
	line[3] = 'x';	 // race: a
	number[2] = '8'; // race: a
	moved[2] = 'y';	 // race: a
	late[9] = 1;	 // race: a
	invisible_advance(&step);
}

static void two(void)
{
	char to[16];
	invisible_await(&step, 1);
	FILE *f = fmemopen(flushed, sizeof flushed, "w");
	fputs("text", f);
	fflush(f); // race: b
	fclose(f);
	f = fmemopen(closed, sizeof closed, "w+");
	fprintf(f, "%d", 123456);
	fclose(f); // race: b
	f = fmemopen(late, sizeof late, "r+");
	fseek(f, 8, SEEK_SET);
	fputs("at 8", f);
	fclose(f); // race: b
	f = fmemopen(line, sizeof line, "r");
	value += fgets(to, sizeof to, f) != NULL; // race: b
	fclose(f);
	f = fmemopen(number, sizeof number, "r");
	value += fscanf(f, "%d", &value); // race: b
	fclose(f);
	f = fmemopen(moved, sizeof moved, "r");
	fseek(f, 2, SEEK_SET);
	value += fgetc(f); // race: b
	fclose(f);
}

int main(void)
{
	run_threads(2, one, two);
	return value == 0;
}
