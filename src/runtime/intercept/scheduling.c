/* SPDX-License-Identifier: MIT */
/* How threads are scheduled, and where: what is set, and told, in the caller's memory. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- policies ---- */

DH_REAL_WANT(sched_getparam);
DH_EXPORT int sched_getparam(pid_t process, struct sched_param *to)
{
	int r = DH_REAL(sched_getparam)(process, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, DH_CALLER());
	return r;
}

DH_REAL_WANT(sched_setparam);
DH_EXPORT int sched_setparam(pid_t process, const struct sched_param *from)
{
	DH_READS_OBJECT(from, DH_CALLER());
	return DH_REAL(sched_setparam)(process, from);
}

DH_REAL_WANT(sched_setscheduler);
DH_EXPORT int sched_setscheduler(pid_t process, int policy,
				 const struct sched_param *from)
{
	DH_READS_OBJECT(from, DH_CALLER());
	return DH_REAL(sched_setscheduler)(process, policy, from);
}

DH_REAL_WANT(sched_rr_get_interval);
DH_EXPORT int sched_rr_get_interval(pid_t process, struct timespec *to)
{
	int r = DH_REAL(sched_rr_get_interval)(process, to);
	if (r == 0)
		DH_WRITES_OBJECT(to, DH_CALLER());
	return r;
}

DH_REAL_WANT(pthread_getschedparam);
DH_EXPORT int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *to)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(pthread_getschedparam)(thread, policy, to);
	if (r == 0) {
		DH_WRITES_OBJECT(policy, pc);
		DH_WRITES_OBJECT(to, pc);
	}
	return r;
}

DH_REAL_WANT(pthread_setschedparam);
DH_EXPORT int pthread_setschedparam(pthread_t thread, int policy,
				    const struct sched_param *from)
{
	DH_READS_OBJECT(from, DH_CALLER());
	return DH_REAL(pthread_setschedparam)(thread, policy, from);
}

/* ---- processors ---- */

DH_REAL_WANT(sched_getaffinity);
DH_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	int r = DH_REAL(sched_getaffinity)(pid, size, set);
	if (r == 0)
		dh_writes(set, size, DH_CALLER());
	return r;
}

DH_REAL_WANT(sched_setaffinity);
DH_EXPORT int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	dh_reads(set, size, DH_CALLER());
	return DH_REAL(sched_setaffinity)(pid, size, set);
}

DH_REAL_WANT(pthread_getaffinity_np);
DH_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	int r = DH_REAL(pthread_getaffinity_np)(thread, size, set);
	if (r == 0)
		dh_writes(set, size, DH_CALLER());
	return r;
}

DH_REAL_WANT(pthread_setaffinity_np);
DH_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
	dh_reads(set, size, DH_CALLER());
	return DH_REAL(pthread_setaffinity_np)(thread, size, set);
}

DH_REAL_WANT(getcpu);
DH_EXPORT int getcpu(unsigned *processor, unsigned *node)
{
	uint64_t pc = DH_CALLER();
	int r = DH_REAL(getcpu)(processor, node);
	if (r == 0) {
		DH_WRITES_OBJECT(processor, pc);
		DH_WRITES_OBJECT(node, pc);
	}
	return r;
}
