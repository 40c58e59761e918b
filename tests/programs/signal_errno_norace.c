/* SPDX-License-Identifier: MIT */
/* What a handler does to errno is not seen where it came in the middle of our work. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t runs;

static void handler(int number)
{
	(void)number;
	runs++;
	close(-1);
}

int main(void)
{
	struct itimerval every = {{0, 200}, {0, 200}}, never = {0};
	int wrong = 0;

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	while (runs < 300) {
		errno = 0;
		void *volatile p = malloc(64);
		free(p);
		wrong |= errno;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	return wrong;
}
