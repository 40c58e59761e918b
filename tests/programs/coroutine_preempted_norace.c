/* SPDX-License-Identifier: MIT */
/* A program that switches stacks in a signal handler, without a word to us. The signal
 * is blocked wherever contexts are switched, because one that comes in the middle of
 * swapcontext() would overwrite the context that is being switched to. */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

enum { MANY = 400, SIZE = 256 << 10, FLOWS = 3 };
static ucontext_t caller, flows[FLOWS];
static volatile sig_atomic_t switches, turn;
long work[FLOWS];

static void handler(int number)
{
	int from = turn;

	(void)number;
	if (++switches >= MANY)
		return;
	turn = (from + 1) % FLOWS;
	swapcontext(&flows[from], &flows[turn]);
}

static __attribute__((noinline)) long deep(int depth, long *count)
{
	++*count;
	return depth ? deep(depth - 1, count) + 1 : 0;
}

static void allow(int how)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(how, &alarm, NULL);
}

static void flow(void)
{
	allow(SIG_UNBLOCK);
	while (switches < MANY)
		deep((int)(work[turn] % 900), &work[turn]);
	allow(SIG_BLOCK);
	setcontext(&caller);
}

int main(void)
{
	struct sigaction a = {.sa_handler = handler};
	struct itimerval every = {{0, 300}, {0, 300}}, never = {0};
	volatile int over = 0;

	allow(SIG_BLOCK);
	for (int i = 0; i < FLOWS; i++) {
		getcontext(&flows[i]);
		flows[i].uc_stack.ss_sp = malloc(SIZE);
		flows[i].uc_stack.ss_size = SIZE;
		makecontext(&flows[i], flow, 0);
	}
	sigaction(SIGALRM, &a, NULL);
	getcontext(&caller);
	if (!over) {
		over = 1;
		setitimer(ITIMER_REAL, &every, NULL);
		setcontext(&flows[0]);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	return work[0] == 0 || work[1] == 0 || work[2] == 0;
}
