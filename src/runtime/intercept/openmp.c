/* SPDX-License-Identifier: MIT */
/*
 * OpenMP as gcc compiles it: calls into libgomp, which is not instrumented and whose own
 * barriers and locks are made of system calls. What orders the threads of a program:
 *
 *   parallel     who begins it before all who run its body, and their ends before what
 *                comes after it
 *   barriers     those that are written and those at the end of loops, sections and
 *                `single`: all who meet come after what each did before. Rounds have two
 *                places in turn, since nobody is two rounds ahead of anybody
 *   critical, atomic, ordered and omp_*_lock    as locks
 *   tasks        who makes a task before its body; its end before the taskwait, the end
 * of a taskgroup, or the barrier; with `depend`, bodies in the order of the variables
 * named. All tasks of a team count as one here, which may hide a race between a task and
 * who waits for others, and raises no false alarm
 *
 * Not here: taskloop, doacross, and the functions that clang calls.
 */
#include "base/base.h"
#include "runtime/abi.h"
#include "runtime/intercept/openmp.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

/* A team that runs a region; on the stack of who began it. Places are used by address. */
struct team {
	void (*body)(void *);
	void *data;
	uint64_t begin, end, ordered, tasks;
	uint64_t round[2];
};

/* Where a thread is: in which team, and in which round between its barriers. */
struct place {
	struct team *team;
	unsigned round;
};

static __thread struct place here __attribute__((tls_model("initial-exec")));

static void tell(const void *place)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_release_join(t, (uintptr_t)place);
}

static void learn(const void *place)
{
	struct dh_self *t = dh_watched();
	if (t)
		dh_sync_acquire(t, (uintptr_t)place);
}

/* ---- regions ---- */

static void run_body(void *arg)
{
	struct team *team = arg;
	struct place outer = here;
	here = (struct place){team, 0};
	learn(&team->begin);
	team->body(team->data);
	tell(&team->end);
	here = outer;
}

static void region_begin(struct team *team)
{
	tell(&team->begin);
}

static void region_end(struct team *team)
{
	learn(&team->end);
	learn(&team->tasks);
	dh_sync_forget_range((uintptr_t)team, sizeof *team);
}

#define REGION(call)                                                                     \
	do {                                                                             \
		struct team team = {.body = body, .data = data};                         \
		region_begin(&team);                                                     \
		call;                                                                    \
		region_end(&team);                                                       \
	} while (0)

DH_REAL_WANT(GOMP_parallel);
DH_EXPORT void GOMP_parallel(void (*body)(void *), void *data, unsigned count,
			     unsigned flags)
{
	REGION(DH_REAL(GOMP_parallel)(run_body, &team, count, flags));
}

DH_REAL_WANT(GOMP_parallel_sections);
DH_EXPORT void GOMP_parallel_sections(void (*body)(void *), void *data, unsigned count,
				      unsigned sections, unsigned flags)
{
	REGION(DH_REAL(GOMP_parallel_sections)(run_body, &team, count, sections, flags));
}

DH_REAL_WANT(GOMP_parallel_reductions);
DH_EXPORT unsigned GOMP_parallel_reductions(void (*body)(void *), void *data,
					    unsigned count, unsigned flags)
{
	unsigned result;
	REGION(result = DH_REAL(GOMP_parallel_reductions)(run_body, &team, count, flags));
	return result;
}

#define PARALLEL_LOOP(name)                                                              \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(void (*body)(void *), void *data, unsigned count,            \
			    long first, long last, long step, long chunk,                \
			    unsigned flags)                                              \
	{                                                                                \
		REGION(DH_REAL(name)(run_body, &team, count, first, last, step, chunk,   \
				     flags));                                            \
	}
#define PARALLEL_LOOP_BY_ENVIRONMENT(name)                                               \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(void (*body)(void *), void *data, unsigned count,            \
			    long first, long last, long step, unsigned flags)            \
	{                                                                                \
		REGION(DH_REAL(name)(run_body, &team, count, first, last, step, flags)); \
	}
PARALLEL_LOOP(GOMP_parallel_loop_static)
PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_guided)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
PARALLEL_LOOP_BY_ENVIRONMENT(GOMP_parallel_loop_runtime)
PARALLEL_LOOP_BY_ENVIRONMENT(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_LOOP_BY_ENVIRONMENT(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/* ---- barriers ---- */

static void arrive(void)
{
	if (here.team)
		tell(&here.team->round[here.round % 2]);
}

static void leave(void)
{
	if (!here.team)
		return;
	learn(&here.team->round[here.round % 2]);
	learn(&here.team->tasks); /* all that were made before are done */
	here.round++;
}

#define BARRIER(name)                                                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(void)                                                        \
	{                                                                                \
		arrive();                                                                \
		DH_REAL(name)();                                                         \
		leave();                                                                 \
	}
#define BARRIER_CANCEL(name)                                                             \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT bool name(void)                                                        \
	{                                                                                \
		arrive();                                                                \
		bool cancelled = DH_REAL(name)();                                        \
		leave();                                                                 \
		return cancelled;                                                        \
	}
BARRIER(GOMP_barrier)
BARRIER(GOMP_loop_end)
BARRIER(GOMP_sections_end)
BARRIER_CANCEL(GOMP_barrier_cancel)
BARRIER_CANCEL(GOMP_loop_end_cancel)
BARRIER_CANCEL(GOMP_sections_end_cancel)

/* `single copyprivate`: the one who runs it (told by NULL) meets the others at its end.
 */
DH_REAL_WANT(GOMP_single_copy_start);
DH_EXPORT void *GOMP_single_copy_start(void)
{
	arrive();
	void *copied = DH_REAL(GOMP_single_copy_start)();
	if (copied)
		leave();
	return copied;
}

DH_REAL_WANT(GOMP_single_copy_end);
DH_EXPORT void GOMP_single_copy_end(void *copied)
{
	arrive();
	DH_REAL(GOMP_single_copy_end)(copied);
	leave();
}

/* ---- locks ---- */

static void locked(const void *lock, uint64_t pc)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_sync_take(t, (uintptr_t)lock);
	dh_held_add(t, (uintptr_t)lock, true, pc);
}

static void unlocking(const void *lock)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	dh_sync_leave(t, (uintptr_t)lock);
	dh_held_remove(t, (uintptr_t)lock);
}

static char critical, atomics; /* used by address */

#define SECTION(begins, ends, lock)                                                      \
	DH_REAL_WANT(begins);                                                            \
	DH_EXPORT void begins(void)                                                      \
	{                                                                                \
		DH_REAL(begins)();                                                       \
		locked(lock, DH_CALLER());                                               \
	}                                                                                \
	DH_REAL_WANT(ends);                                                              \
	DH_EXPORT void ends(void)                                                        \
	{                                                                                \
		unlocking(lock);                                                         \
		DH_REAL(ends)();                                                         \
	}
SECTION(GOMP_critical_start, GOMP_critical_end, &critical)
SECTION(GOMP_atomic_start, GOMP_atomic_end, &atomics)

DH_REAL_WANT(GOMP_critical_name_start);
DH_EXPORT void GOMP_critical_name_start(void **name)
{
	DH_REAL(GOMP_critical_name_start)(name);
	locked(name, DH_CALLER());
}

DH_REAL_WANT(GOMP_critical_name_end);
DH_EXPORT void GOMP_critical_name_end(void **name)
{
	unlocking(name);
	DH_REAL(GOMP_critical_name_end)(name);
}

DH_REAL_WANT(GOMP_ordered_start);
DH_EXPORT void GOMP_ordered_start(void)
{
	DH_REAL(GOMP_ordered_start)();
	if (here.team)
		learn(&here.team->ordered);
}

DH_REAL_WANT(GOMP_ordered_end);
DH_EXPORT void GOMP_ordered_end(void)
{
	if (here.team)
		tell(&here.team->ordered);
	DH_REAL(GOMP_ordered_end)();
}

/* What is locked by the same thread more than once is given back as often. */
#define LOCK(set, unset, test, destroy)                                                  \
	DH_REAL_WANT(set);                                                               \
	DH_EXPORT void set(void *lock)                                                   \
	{                                                                                \
		DH_REAL(set)(lock);                                                      \
		locked(lock, DH_CALLER());                                               \
	}                                                                                \
	DH_REAL_WANT(unset);                                                             \
	DH_EXPORT void unset(void *lock)                                                 \
	{                                                                                \
		unlocking(lock);                                                         \
		DH_REAL(unset)(lock);                                                    \
	}                                                                                \
	DH_REAL_WANT(test);                                                              \
	DH_EXPORT int test(void *lock)                                                   \
	{                                                                                \
		int got = DH_REAL(test)(lock);                                           \
		if (got)                                                                 \
			locked(lock, DH_CALLER());                                       \
		return got;                                                              \
	}                                                                                \
	DH_REAL_WANT(destroy);                                                           \
	DH_EXPORT void destroy(void *lock)                                               \
	{                                                                                \
		dh_sync_forget((uintptr_t)lock);                                         \
		DH_REAL(destroy)(lock);                                                  \
	}
LOCK(omp_set_lock, omp_unset_lock, omp_test_lock, omp_destroy_lock)
LOCK(omp_set_nest_lock, omp_unset_nest_lock, omp_test_nest_lock, omp_destroy_nest_lock)

/* ---- tasks ---- */

enum { DEPENDS_MOST = 16, FLAG_DEPEND = 1 << 3, FLAG_DETACH = 1 << 13 };

/* What libgomp keeps of a task in place of the program's data, which follow at `offset`.
 * Its address is also the place that its maker and its body meet at. */
struct task {
	void (*body)(void *);
	void (*copy)(void *to, void *from); /* of the program's data, or NULL */
	void *data;
	struct team
	    *team; /* of who made it; who runs it may have left its body already */
	size_t size, offset;
	uint32_t outs, depends; /* the first are `out`, the others `in` */
	uintptr_t depend[DEPENDS_MOST];
};

/* A variable that tasks depend on has two places: for tasks that write it, and for those
 * that read, which are not ordered among each other. */
static const void *written(const struct task *k, uint32_t i)
{
	return (const void *)k->depend[i];
}

static const void *read(const struct task *k, uint32_t i)
{
	return (const char *)k->depend[i] + 1;
}

/* Two layouts, told apart by the first word: count, outs, addresses; or 0, count, outs,
 * other outs, ins, addresses. Where there are too many, the team's tasks are in order. */
static void note_depends(struct task *k, void **depend)
{
	bool old = depend[0] != NULL;
	size_t count = (size_t)depend[old ? 0 : 1];
	size_t outs = old ? (size_t)depend[1] : (size_t)depend[2] + (size_t)depend[3];
	depend += old ? 2 : 5;
	if (count > DEPENDS_MOST && here.team) {
		k->depend[0] = (uintptr_t)&here.team->tasks;
		k->outs = k->depends = 1;
		return;
	}
	k->outs = (uint32_t)DH_MIN(outs, count);
	k->depends = (uint32_t)DH_MIN(count, (size_t)DEPENDS_MOST);
	for (uint32_t i = 0; i < k->depends; i++)
		k->depend[i] = (uintptr_t)depend[i];
}

/* Called by libgomp in the thread that makes the task. */
static void copy_task(void *to, void *from)
{
	struct task *k = to;
	*k = *(struct task *)from;
	if (k->copy)
		k->copy((char *)to + k->offset, k->data);
	else
		dh_copy((char *)to + k->offset, k->data, k->size);
	tell(k);
}

static void run_task(void *arg)
{
	struct task *k = arg;
	struct place outer = here;
	here.team = k->team;
	learn(k);
	dh_sync_forget((uintptr_t)k);
	for (uint32_t i = 0; i < k->depends; i++) {
		learn(written(k, i));
		if (i < k->outs)
			learn(read(k, i));
	}
	k->body((char *)arg + k->offset);
	for (uint32_t i = 0; i < k->depends; i++)
		tell(i < k->outs ? written(k, i) : read(k, i));
	if (k->team)
		tell(&k->team->tasks);
	here = outer;
}

DH_REAL_WANT(GOMP_task);
DH_EXPORT void GOMP_task(void (*body)(void *), void *data, void (*copy)(void *, void *),
			 long size, long align, bool deferred, unsigned flags,
			 void **depend, int priority, void *event)
{
	if (flags & FLAG_DETACH) { /* libgomp writes into the data */
		DH_REAL(GOMP_task)
		(body, data, copy, size, align, deferred, flags, depend, priority, event);
		return;
	}
	size_t aligned = DH_MAX((size_t)align, _Alignof(struct task));
	struct task k = {body, copy, data, here.team, (size_t)size, 0, 0, 0, {0}};
	k.offset = (sizeof k + aligned - 1) / aligned * aligned;
	if (flags & FLAG_DEPEND)
		note_depends(&k, depend);
	DH_REAL(GOMP_task)
	(run_task, &k, copy_task, (long)(k.offset + k.size), (long)aligned, deferred,
	 flags, depend, priority, event);
}

#define TASKS_DONE(name)                                                                 \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(void)                                                        \
	{                                                                                \
		DH_REAL(name)();                                                         \
		if (here.team)                                                           \
			learn(&here.team->tasks);                                        \
	}
TASKS_DONE(GOMP_taskwait)
TASKS_DONE(GOMP_taskgroup_end)
