/* SPDX-License-Identifier: MIT */
/* Threads that do a bit of everything under a storm of signals, whose handlers do a bit of
 * everything too: deep calls, memory, atomics, jumps back into the thread, exceptions
 * within. Nothing is shared without order, so there is no race to be found. */
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <vector>

enum { THREADS = 3, STACK = 128 << 10 };
static std::atomic<int> answers[THREADS], ready, over;
static std::mutex mutex;
static long shared;
static thread_local sigjmp_buf back;
static thread_local volatile sig_atomic_t may_jump;
static thread_local long own;
static thread_local int number_of;

static __attribute__((noinline)) long deep(int depth)
{
	own++;
	return depth ? deep(depth - 1) + 1 : 0;
}

static void plain(int)
{
	deep(3);
	answers[number_of]++;
}

static void allocating(int, siginfo_t *, void *)
{
	std::vector<int> v;
	for (int i = 0; i < 200; i++)
		v.push_back(i);
	deep(700);
	answers[number_of]++;
}

static void throwing(int)
{
	try {
		if (deep(20) >= 0)
			throw std::runtime_error("within");
	} catch (const std::exception &) {
		answers[number_of]++;
	}
}

static void jumping(int)
{
	answers[number_of]++;
	deep(10);
	if (may_jump)
		siglongjmp(back, 1);
}

static void *work(void *arg)
{
	std::vector<char *> kept(37);
	stack_t s = {};
	number_of = static_cast<int>(reinterpret_cast<intptr_t>(arg));
	s.ss_sp = malloc(STACK);
	s.ss_size = STACK;
	sigaltstack(&s, nullptr);
	ready++;
	for (volatile unsigned i = 0; !over; i = i + 1) {
		free(kept[i % 37]);
		kept[i % 37] = static_cast<char *>(malloc(1 + i * 7919 % 20000));
		kept[i % 37][0] = 1;
		if (sigsetjmp(back, 1) == 0) {
			may_jump = 1;
			deep(i % 300);
		}
		may_jump = 0;
		{
			std::lock_guard<std::mutex> hold(mutex);
			shared++;
		}
		if (i % 16 == 0)
			sched_yield();
	}
	for (char *p : kept)
		free(p);
	s.ss_flags = SS_DISABLE;
	sigaltstack(&s, nullptr);
	free(s.ss_sp);
	return arg;
}

/* A jump out of the middle of a handler that allocates or throws would be too much. */
static void install(int number, void (*f)(int), int flags)
{
	struct sigaction a = {};
	a.sa_handler = f;
	a.sa_flags = flags | SA_RESTART;
	sigaddset(&a.sa_mask, SIGRTMIN + 3);
	sigaction(number, &a, nullptr);
}

/* Up to three signals are under way to each thread. None may get lost. */
int main(int, char **argv)
{
	int many = atoi(argv[1]), sent[THREADS] = {};
	pthread_t t[THREADS];

	install(SIGRTMIN, plain, SA_NODEFER);
	install(SIGRTMIN + 1, reinterpret_cast<void (*)(int)>(allocating),
		SA_SIGINFO | SA_ONSTACK);
	install(SIGRTMIN + 2, throwing, 0);
	install(SIGRTMIN + 3, jumping, SA_ONSTACK);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], nullptr, work, reinterpret_cast<void *>(i));
	while (ready < THREADS)
		sched_yield();
	for (int i = 0; sent[0] < many; i = (i + 1) % THREADS) {
		while (sent[i] - answers[i] > 2)
			sched_yield();
		pthread_kill(t[i], SIGRTMIN + sent[i]++ % 4);
	}
	for (int i = 0; i < THREADS; i++)
		while (answers[i] < sent[i])
			sched_yield();
	over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], nullptr);
	return 0;
}
