/* SPDX-License-Identifier: MIT */
/* Exceptions that are thrown by a signal handler, at the place that raised it. */
// skip: clang
// flags: -fnon-call-exceptions -fasynchronous-unwind-tables
#include <csignal>
#include <pthread.h>

static void handler(int)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
	throw 1;
}

int x;
static volatile int *volatile nowhere = reinterpret_cast<int *>(8);

static __attribute__((noinline)) void touch()
{
	*nowhere = 1;
	x = 1;
}

int main()
{
	int caught = 0;

	std::signal(SIGSEGV, handler);
	for (int i = 0; i < 500; i++) {
		try {
			touch();
		} catch (int) {
			caught++;
		}
	}
	return caught != 500;
}
