/* SPDX-License-Identifier: MIT */
/* Stands for libtbb.so.12, and is as little instrumented: one thread that was there
 * before the program, and runs its tasks in some order. */
#include <pthread.h>
#include <sched.h>
#include "tasks.h"

using namespace tbb::detail;

static std::atomic<d1::task *> waiting;

static void *work(void *)
{
	alignas(16) static char data[64];
	for (;;) {
		d1::task *t = waiting.exchange(nullptr);
		if (t)
			t->execute(reinterpret_cast<d1::execution_data &>(data));
		else
			sched_yield();
	}
}

__attribute__((constructor)) static void start()
{
	pthread_t worker;
	pthread_create(&worker, nullptr, work, nullptr);
	pthread_detach(worker);
}

void r1::spawn(d1::task &t, d1::task_group_context &)
{
	d1::task *none = nullptr;
	while (!waiting.compare_exchange_weak(none, &t)) {
		none = nullptr;
		sched_yield();
	}
}

void r1::wait(d1::wait_context &w, d1::task_group_context &)
{
	while (w.count.load())
		sched_yield();
}

void *r1::allocate(d1::small_object_pool *&, std::size_t)
{
	alignas(64) static char memory[1024];
	return memory;
}
