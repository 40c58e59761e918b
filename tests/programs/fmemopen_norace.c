/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
/* A stream on the program's memory writes it where it is flushed, not where it is closed,
 * and reads no more than is asked for. */
#include <stdio.h>
#include "threads.h"

static char text[64] = "one\ntwo\nthree\n", to[64], plain[64];
static FILE *in, *out, *unbuffered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static invisible_step_t step;

static void one(void)
{
	char line[16];
	if (!fgets(line, sizeof line, in) || line[0] != 'o')
		perror("fgets");
	fseek(in, 8, SEEK_SET);
	if (fgetc(in) != 't')
		perror("fgetc");
	pthread_mutex_lock(&lock);
	fputs("flushed", out);
	fflush(out);
	fputs("at once", unbuffered);
	pthread_mutex_unlock(&lock);
	invisible_advance(&step);
	invisible_await(&step, 2);
	fclose(in);
	fclose(out);
	fclose(unbuffered);
}

static void two(void)
{
	invisible_await(&step, 1);
	text[5] = 'x';
	text[10] = 'x';
	to[40] = 1;
	pthread_mutex_lock(&lock);
	to[2]++;
	plain[2]++;
	pthread_mutex_unlock(&lock);
	invisible_advance(&step);
}

int main(void)
{
	in = fmemopen(text, sizeof text, "r");
	out = fmemopen(to, sizeof to, "w");
	unbuffered = fmemopen(plain, sizeof plain, "w");
	setbuf(unbuffered, NULL);
	run_threads(2, one, two);
	return 0;
}
