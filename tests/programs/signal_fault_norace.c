/* SPDX-License-Identifier: MIT */
/* A handler of bad addresses repairs the cause, or jumps away. */
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

static char *page;
static sigjmp_buf out;
static int repairs, jumps;

static void repair(int number, siginfo_t *info, void *context)
{
	(void)number, (void)context;
	repairs += info->si_addr == page;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void jump(int number)
{
	(void)number;
	siglongjmp(out, 1);
}

int main(void)
{
	struct sigaction a = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &a, NULL);
	for (int i = 0; i < 100; i++) {
		page[0] = 1;
		mprotect(page, 4096, PROT_NONE);
		memset(page, i, 100);
		mprotect(page, 4096, PROT_NONE);
	}
	signal(SIGSEGV, jump);
	for (volatile int i = 0; i < 100; i++)
		if (sigsetjmp(out, 1))
			jumps++;
		else
			page[0] = 1;
	return repairs != 200 || jumps != 100;
}
