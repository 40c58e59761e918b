/* SPDX-License-Identifier: MIT */
/* Leaves calls in many ways that return nowhere, then has two threads race: the stacks
 * must be those of a thread that has left all of them. The way is the argument. */
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include "../invisible.h"

extern "C" void through_c(int depth, void (*f)(void));

enum { MANY = 300, STACK = 64 << 10 };
static invisible_step_t step;
static sigjmp_buf out;
static const char *way;
int x;

static void jump()
{
	siglongjmp(out, 1);
}

static void throw_it()
{
	throw std::runtime_error("out");
}

static __attribute__((noinline)) int deep(int depth, void (*f)())
{
	if (depth == 0)
		f();
	return depth ? deep(depth - 1, f) + 1 : 0;
}

static void handler(int)
{
	deep(5, jump);
}

static void fault()
{
	*reinterpret_cast<volatile int *>(8) = 1;
}

static void leave(int i)
{
	if (!strcmp(way, "longjmp")) {
		if (!sigsetjmp(out, 1))
			deep(i % 50, jump);
	} else if (!strcmp(way, "handler") || !strcmp(way, "handler-stack")) {
		if (!sigsetjmp(out, 1))
			deep(i % 50, fault);
	} else if (!strcmp(way, "vfork")) {
		pid_t pid = vfork();
		if (pid == 0)
			deep(i % 50, [] { _exit(0); });
		waitpid(pid, nullptr, 0);
	} else {
		try {
			if (!strcmp(way, "exception"))
				deep(i % 50, throw_it);
			else
				through_c(i % 50, throw_it);
		} catch (const std::exception &) {
		}
	}
}

static void *child(void *arg)
{
	stack_t s = {};
	s.ss_sp = malloc(STACK);
	s.ss_size = STACK;
	sigaltstack(&s, nullptr);
	for (volatile int i = 0; i < MANY; i++)
		leave(i);
	x = 1;
	invisible_advance(&step);
	return arg;
}

int main(int, char **argv)
{
	struct sigaction a = {};
	pthread_t t;

	way = argv[1];
	a.sa_handler = handler;
	a.sa_flags = strcmp(way, "handler-stack") ? 0 : SA_ONSTACK;
	sigaction(SIGSEGV, &a, nullptr);
	pthread_create(&t, nullptr, child, nullptr);
	invisible_await(&step, 1);
	x = 2;
	pthread_join(t, nullptr);
	return 0;
}
