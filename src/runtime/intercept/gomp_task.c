/* SPDX-License-Identifier: MIT */
/*
 * libgomp: explicit tasks. libgomp keeps for each task a block that it copies from the
 * program's; it gets a larger one, in which ours comes first and the program's data
 * follow. It has a function to copy only where the program has one: tasks with such are
 * not thrown away when a taskgroup is cancelled.
 */
#include "base/base.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/mem.h"
#include "runtime/abi.h"
#include "runtime/intercept/gomp.h"
#include "runtime/intercept/ompt.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"
#include "runtime/intercept/watch.h"

/* What libgomp itself writes and reads in the first words is the program's, and is passed
 * on. */
struct block {
	union {
		void *event;	   /* of a task that is detached */
		uint64_t range[2]; /* of a part of a taskloop */
	};
	void *reductions; /* of a taskloop */
	void (*body)(void *);
	void (*copy)(void *to, void *from);
	void *data;		  /* the program's own, while the task is made */
	struct dh_omp_task *task; /* or a pattern of tasks */
	size_t offset, size;	  /* of the program's data in here; of all */
	size_t align;
};

/* Where the block is while libgomp copies it: usually on the stack of who makes it. */
struct room {
	char *large; /* NULL, or allocated */
	size_t size;
	char small[1024] __attribute__((aligned(64)));
};

static void *data_of(struct block *b)
{
	return (char *)b + b->offset;
}

static struct block plan(dh_gomp_body *body, void *data, void (*copy)(void *, void *),
			 long size, long align, struct dh_omp_task *task)
{
	struct block b = {.body = body, .data = data, .copy = copy, .task = task};
	b.align = DH_MAX((size_t)align, _Alignof(struct block));
	b.offset = (sizeof b + b.align - 1) / b.align * b.align;
	b.size = b.offset + (size_t)size;
	return b;
}

static struct block *lay_out(const struct block *b, struct room *room)
{
	struct dh_self *t = dh_thread_self();
	char *at = room->small;
	room->large = NULL;
	room->size = b->size + b->align;
	if (room->size > sizeof room->small) {
		dh_enter_runtime(t);
		room->large = at = dh_mem_alloc(room->size);
		dh_leave_runtime(t);
	}
	uintptr_t place = ((uintptr_t)at + b->align - 1) / b->align * b->align;
	struct block *made = (struct block *)place;
	*made = *b;
	if (!b->copy)
		dh_copy(data_of(made), b->data, b->size - b->offset);
	return made;
}

static void leave_room(struct room *room)
{
	struct dh_self *t = dh_thread_self();
	if (!room->large)
		return;
	dh_enter_runtime(t);
	dh_mem_free(room->large, room->size);
	dh_leave_runtime(t);
}

/* What the program's function does comes before the task, too. */
static void copy_block(void *to, void *from)
{
	struct block *made = to;
	*made = *(struct block *)from;
	if (dh_gomp_is_libomp())
		dh_omp_task_memory(made, made->size);
	if (made->copy) {
		made->copy(data_of(made), made->data);
		dh_omp_task_made(made->task);
	} else {
		dh_copy(data_of(made), made->data, made->size - made->offset);
	}
}

/* ---- dependences ---- */

static struct dh_omp_depend by_object(void *object)
{
	enum { IN = 1, INOUTSET = 5 };
	void **o = object;
	uintptr_t kind = (uintptr_t)o[1];
	return (struct dh_omp_depend){o[0], kind == IN	       ? DH_OMP_IN
					    : kind == INOUTSET ? DH_OMP_INOUTSET
							       : DH_OMP_OUT};
}

/* Two layouts, told apart by the first word: count, outs, addresses; or 0, count, outs,
 * mutexinoutsets, ins, addresses, and then objects that have address and kind. Where
 * there are too many, the rest is all memory: more than there is, but nothing is missed.
 */
size_t dh_gomp_depends(void **depend, struct dh_omp_depend *out)
{
	bool old = depend[0] != NULL;
	size_t count = (size_t)depend[old ? 0 : 1];
	size_t outs = old ? (size_t)depend[1] : (size_t)depend[2] + (size_t)depend[3];
	size_t plain = old ? count : outs + (size_t)depend[4];
	depend += old ? 2 : 5;
	if (count > DH_GOMP_DEPENDS) {
		out[0] = (struct dh_omp_depend){NULL, DH_OMP_OUT};
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		if (i >= plain)
			out[i] = by_object(depend[i]);
		else
			out[i] = (struct dh_omp_depend){depend[i], i < outs ? DH_OMP_OUT
									    : DH_OMP_IN};
	}
	return count;
}

/* ---- events of detached tasks ---- */

static struct dh_lock events_lock;
DH_LOCK_AROUND_FORK(events_lock, DH_FORK_OUTER);
static struct dh_map events; /* to struct dh_omp_task *; under events_lock */

static void event_put(void *event, struct dh_omp_task *task)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&events_lock);
	*dh_map_put(&events, (uintptr_t)event, NULL) = (uintptr_t)task;
	dh_unlock(&events_lock);
	dh_leave_runtime(t);
}

static struct dh_omp_task *event_take(uintptr_t event)
{
	struct dh_self *t = dh_thread_self();
	dh_enter_runtime(t);
	dh_lock(&events_lock);
	const uint64_t *found = dh_map_get(&events, event);
	struct dh_omp_task *task = found ? (struct dh_omp_task *)*found : NULL;
	if (found)
		dh_map_remove(&events, event);
	dh_unlock(&events_lock);
	dh_leave_runtime(t);
	return task;
}

/* Called in the thread that makes the task, when libgomp has made its event. */
static void copy_detached(void *to, void *from)
{
	struct block *b = from;
	*(void **)b->data = b->event;
	event_put(b->event, b->task);
	copy_block(to, from);
}

DH_REAL_WANT(omp_fulfill_event);
DH_EXPORT void omp_fulfill_event(uintptr_t event)
{
	dh_omp_task_fulfil(event_take(event));
	DH_REAL(omp_fulfill_event)(event);
}

/* ---- tasks ---- */

static void run_task(void *arg)
{
	struct block *b = arg;
	struct dh_omp_task *task = b->task;
	size_t size = b->size;
	dh_omp_task_begin(task, (uintptr_t)__builtin_frame_address(0));
	b->body(data_of(b));
	dh_omp_task_end(task, b, size);
}

/* The same where libomp has told that the task begins. */
static void run_told(void *arg)
{
	struct block *b = arg;
	if (!b->copy)
		dh_omp_task_memory(b, b->size);
	b->body(data_of(b));
}

/* Of a task that is detached, the event has to be known when libgomp has made it. */
static void (*copier(const struct block *b, unsigned flags))(void *, void *)
{
	return flags & DH_GOMP_DETACH ? copy_detached : b->copy ? copy_block : NULL;
}

static unsigned flags_of(bool deferred, unsigned flags)
{
	return (deferred ? 0 : DH_OMP_UNDEFERRED) |
	       (flags & DH_GOMP_FINAL ? DH_OMP_FINAL : 0) |
	       (flags & DH_GOMP_DETACH ? DH_OMP_DETACHED : 0);
}

DH_REAL_WANT(GOMP_task);
DH_EXPORT void GOMP_task(dh_gomp_body *body, void *data, void (*copy)(void *, void *),
			 long size, long align, bool deferred, unsigned flags,
			 void **depend, int priority, void *event)
{
	struct dh_omp_depend depends[DH_GOMP_DEPENDS];
	bool told = dh_gomp_is_libomp() && !(flags & DH_GOMP_DETACH);
	size_t n = flags & DH_GOMP_DEPEND ? dh_gomp_depends(depend, depends) : 0;
	struct dh_omp_task *task = NULL;
	dh_call_begin(DH_CALLER());
	if (!dh_gomp_is_libomp())
		task = dh_omp_task_create(flags_of(deferred, flags), depends, n,
					  DH_GOMP_PLACE(body));
	if (!task && !told) {
		DH_REAL(GOMP_task)
		(body, data, copy, size, align, deferred, flags, depend, priority, event);
		dh_call_end();
		return;
	}
	struct block b = plan(body, data, copy, size, align, task);
	struct room room;
	struct block *made = lay_out(&b, &room);
	struct dh_ompt_call outer = dh_ompt_call_begin(DH_GOMP_PLACE(body), !deferred);
	DH_REAL(GOMP_task)
	(told ? run_told : run_task, made, copier(&b, flags), (long)b.size, (long)b.align,
	 deferred, flags, depend, priority, event);
	dh_ompt_call_end(outer);
	leave_room(&room);
	if (!deferred && (flags & DH_GOMP_DETACH))
		dh_omp_taskwait(); /* for its event, too */
	dh_call_end();
}

/* ---- taskloop ---- */

/* What describes a reduction has in its words the private copies of all threads, and the
 * next such description. */
static void note_reductions(uintptr_t *r)
{
	enum { COPIES = 2, NEXT = 4, MOST = 16 };
	for (int i = 0; r && i < MOST; r = (uintptr_t *)r[NEXT], i++)
		dh_omp_reduction_copy((void *)r[COPIES]);
}

static void run_part(void *arg)
{
	struct block *b = arg;
	struct dh_omp_task *task = dh_omp_task_like(b->task);
	size_t size = b->size;
	if (!b->copy && dh_gomp_is_libomp())
		dh_omp_task_memory((char *)b + sizeof b->range, size - sizeof b->range);
	if (b->reductions) {
		note_reductions(b->reductions);
		dh_gomp_asks = 1;
	}
	uint64_t *range = data_of(b);
	range[0] = b->range[0];
	range[1] = b->range[1];
	dh_omp_task_begin(task, (uintptr_t)__builtin_frame_address(0));
	b->body(range);
	dh_omp_task_end(task, b, size);
}

#define TASKLOOP(name, type)                                                             \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT void name(dh_gomp_body *body, void *data,                              \
			    void (*copy)(void *, void *), long size, long align,         \
			    unsigned flags, unsigned long tasks, int priority,           \
			    type start, type end, type step)                             \
	{                                                                                \
		uint64_t place = DH_GOMP_PLACE(body);                                    \
		dh_call_begin(DH_CALLER());                                              \
		struct dh_omp_task *pattern = loop_begin(flags, place);                  \
		struct dh_ompt_call outer =                                              \
		    dh_ompt_call_begin(place, !(flags & DH_GOMP_IF));                    \
		struct block b = plan(body, data, copy, size, align, pattern);           \
		struct room room;                                                        \
		struct block *made = lay_out(&b, &room);                                 \
		if (flags & DH_GOMP_REDUCTION)                                           \
			made->reductions = ((void **)data)[2];                           \
		DH_REAL(name)                                                            \
		(run_part, made, copy ? copy_block : NULL, (long)b.size, (long)b.align,  \
		 flags, tasks, priority, start, end, step);                              \
		leave_room(&room);                                                       \
		dh_ompt_call_end(outer);                                                 \
		loop_end(flags, pattern);                                                \
		dh_call_end();                                                           \
	}

static struct dh_omp_task *loop_begin(unsigned flags, uint64_t pc)
{
	if (dh_gomp_is_libomp())
		return NULL;
	if (!(flags & DH_GOMP_NOGROUP))
		dh_omp_group_begin();
	return dh_omp_task_create(flags_of(flags & DH_GOMP_IF, flags & DH_GOMP_FINAL),
				  NULL, 0, pc);
}

static void loop_end(unsigned flags, struct dh_omp_task *pattern)
{
	if (!pattern)
		return;
	if (flags & DH_GOMP_NOGROUP) {
		dh_omp_task_leave(pattern);
	} else {
		dh_omp_group_end();
		dh_omp_task_drop(pattern);
	}
}

TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

/* ---- waiting ---- */

DH_REAL_WANT(GOMP_taskwait);
DH_EXPORT void GOMP_taskwait(void)
{
	DH_REAL(GOMP_taskwait)();
	if (!dh_gomp_is_libomp())
		dh_omp_taskwait();
}

DH_REAL_WANT(GOMP_taskwait_depend);
DH_EXPORT void GOMP_taskwait_depend(void **depend)
{
	struct dh_omp_depend depends[DH_GOMP_DEPENDS];
	size_t n = dh_gomp_depends(depend, depends);
	DH_REAL(GOMP_taskwait_depend)(depend);
	if (!dh_gomp_is_libomp())
		dh_omp_taskwait_depend(depends, n);
}

DH_REAL_WANT(GOMP_taskgroup_start);
DH_EXPORT void GOMP_taskgroup_start(void)
{
	DH_REAL(GOMP_taskgroup_start)();
	if (!dh_gomp_is_libomp())
		dh_omp_group_begin();
}

DH_REAL_WANT(GOMP_taskgroup_end);
DH_EXPORT void GOMP_taskgroup_end(void)
{
	DH_REAL(GOMP_taskgroup_end)();
	if (!dh_gomp_is_libomp())
		dh_omp_group_end();
}

/* ---- reductions ---- */

DH_REAL_WANT(GOMP_task_reduction_remap);
DH_EXPORT void GOMP_task_reduction_remap(size_t count, size_t originals, void **at)
{
	DH_REAL(GOMP_task_reduction_remap)(count, originals, at);
	for (size_t i = 0; i < count; i++)
		dh_omp_reduction_copy(at[i]);
}
