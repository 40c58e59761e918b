/* SPDX-License-Identifier: MIT */
/* Calls of inside.c: what it returns, and all ways in and out. */
#include <complex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include "inside.h"

static jmp_buf env;
static atomic_int waiting;
static volatile int handled;

static void arguments(void)
{
	struct five five = inside_five(10);
	struct mixed mixed = inside_mixed(7, 2.5);
	struct doubles doubles = inside_doubles(4);
	_Complex long double z = inside_complex(3 + 4 * I);
	printf("add %d\n", inside_add(2, 3));
	printf("sum %g\n", inside_sum(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.5));
	printf("five %ld %ld\n", five.at[0], five.at[4]);
	printf("mixed %ld %g\n", mixed.a, mixed.b);
	printf("doubles %g %g\n", doubles.a, doubles.b);
	printf("long double %Lg\n", inside_long_double(1.25L));
	printf("complex %Lg %Lg\n", creall(z), cimagl(z));
	printf("nine %ld\n", inside_nine(1, 2, 3, 4, 5, 6, 7, 8, 9));
	printf("chosen %d\n", inside_chosen(4));
}

#if defined(__x86_64__)
__attribute__((target("avx"))) static void vectors(void)
{
	vector sum = inside_vector((vector){1, 2, 3, 4}, (vector){10, 20, 30, 40});
	printf("vector %g %g %g %g\n", sum[0], sum[1], sum[2], sum[3]);
}
#endif

static void back(void *n)
{
	*(int *)n += inside_add(1, 2);
}

static int deeper(int n)
{
	return inside_deeper(n, deeper);
}

static void jump(void *unused)
{
	(void)unused;
	longjmp(env, 5);
}

static void jumps(void)
{
	volatile int n = 0;
	int way = setjmp(env);
	if (way == 0)
		inside_jump(env);
	printf("jump %d\n", way);
	while (n++ < 1000)
		if (!setjmp(env))
			inside_call(jump, NULL);
	printf("jumps %d\n", n - 1);
}

static void *ends(void *value)
{
	inside_call(pthread_exit, value);
	return NULL;
}

static void wait_inside(void *unused)
{
	waiting = 1;
	inside_wait(unused);
}

static void *waits(void *unused)
{
	inside_call(wait_inside, unused);
	return NULL;
}

static void threads(void)
{
	pthread_t t;
	void *value;
	pthread_create(&t, NULL, ends, &t);
	pthread_join(t, &value);
	printf("exit %d\n", value == &t);
	pthread_create(&t, NULL, waits, NULL);
	while (!waiting)
		;
	pthread_cancel(t);
	pthread_join(t, &value);
	printf("cancel %d\n", value == PTHREAD_CANCELED);
}

static void handler(int signal)
{
	handled += inside_add(signal, 1) == signal + 1;
}

static void send(void *unused)
{
	(void)unused;
	raise(SIGUSR1);
}

int main(void)
{
	int n = 0;
	arguments();
	inside_call(back, &n);
	printf("back %d\n", n);
	printf("deeper %d\n", deeper(500));
	jumps();
	threads();
	signal(SIGUSR1, handler);
	inside_call(send, NULL);
	printf("handled %d\n", handled);
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx"))
		vectors();
#endif
	return 0;
}
