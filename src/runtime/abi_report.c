/* SPDX-License-Identifier: MIT */
/*
 * Questions that a program may ask about a race while it is told of it
 * (__tsan_on_report), and about an address at any time. The names and what they return
 * are ThreadSanitizer's: 1 for an answer, 0 for none. Traces are filled with the
 * addresses of a stack, innermost first, and zeroes behind them.
 */
#include "report/wire.h"
#include "runtime/abi.h"
#include "runtime/heap.h"
#include "runtime/hooks.h"
#include "runtime/modules.h"
#include "runtime/report.h"
#include "runtime/stacks.h"

static unsigned long fill(void **trace, unsigned long room, uint32_t site)
{
	enum { MOST = 256 };
	uint64_t pcs[MOST];
	uint32_t have = dh_context_walk(dh_contexts, site, pcs, MOST);
	unsigned long n = DH_MIN((unsigned long)DH_MIN(have, (uint32_t)MOST), room);
	for (unsigned long i = 0; trace && i < room; i++)
		trace[i] = i < n ? (void *)(uintptr_t)pcs[i] : NULL;
	return n;
}

static const struct dh_race_side *side(const struct dh_race_facts *f, unsigned long i)
{
	return i == 0 ? &f->second : &f->first;
}

DH_EXPORT void *__tsan_get_current_report(void);
void *__tsan_get_current_report(void)
{
	return (void *)(uintptr_t)dh_hook_current();
}

DH_EXPORT int __tsan_get_report_data(void *report, const char **description, int *count,
				     int *stacks, int *accesses, int *places, int *locks,
				     int *threads, int *unique_threads, void **sleep,
				     unsigned long room);
int __tsan_get_report_data(void *report, const char **description, int *count,
			   int *stacks, int *accesses, int *places, int *locks,
			   int *threads, int *unique_threads, void **sleep,
			   unsigned long room)
{
	const struct dh_race_facts *f = report;
	if (!f)
		return 0;
	*description = "data-race";
	*count = 1;
	*stacks = 0;
	*accesses = 2;
	*places = 1;
	*locks = (int)f->lock_count;
	*threads = 1 + (f->first.thread != NULL);
	*unique_threads = *threads;
	fill(sleep, room, DH_SITE_UNKNOWN);
	return 1;
}

DH_EXPORT int __tsan_get_report_tag(void *report, uintptr_t *tag);
int __tsan_get_report_tag(void *report, uintptr_t *tag)
{
	*tag = 0;
	return report != NULL;
}

/* All stacks come with what they belong to. */
DH_EXPORT int __tsan_get_report_stack(void *report, unsigned long i, void **trace,
				      unsigned long room);
int __tsan_get_report_stack(void *report, unsigned long i, void **trace,
			    unsigned long room)
{
	(void)report, (void)i;
	fill(trace, room, DH_SITE_UNKNOWN);
	return 0;
}

DH_EXPORT int __tsan_get_report_mop(void *report, unsigned long i, int *tid, void **addr,
				    int *size, int *write, int *atomic, void **trace,
				    unsigned long room);
int __tsan_get_report_mop(void *report, unsigned long i, int *tid, void **addr, int *size,
			  int *write, int *atomic, void **trace, unsigned long room)
{
	if (!report || i > 1)
		return 0;
	const struct dh_race_side *s = side(report, i);
	*tid = s->thread ? (int)s->thread->id : -1;
	*addr = (void *)s->address;
	*size = (int)s->size;
	*write = (s->flags & DH_WIRE_WRITE) != 0;
	*atomic = (s->flags & DH_WIRE_ATOMIC) != 0;
	fill(trace, room, s->site);
	return 1;
}

DH_EXPORT int __tsan_get_report_loc(void *report, unsigned long i, const char **type,
				    void **addr, void **start, unsigned long *size,
				    int *tid, int *fd, int *suppressable, void **trace,
				    unsigned long room);
int __tsan_get_report_loc(void *report, unsigned long i, const char **type, void **addr,
			  void **start, unsigned long *size, int *tid, int *fd,
			  int *suppressable, void **trace, unsigned long room)
{
	const struct dh_race_facts *f = report;
	if (!f || i > 0)
		return 0;
	const struct dh_thread_info *owner =
	    f->local.thread ? f->local.thread : f->stack_owner;
	*type = f->in_heap	  ? "heap"
		: f->local.thread ? "tls"
		: f->stack_owner  ? "stack"
				  : "global";
	*addr = (void *)f->address;
	*start = (void *)(f->in_heap ? f->block.base : f->address);
	*size = f->in_heap ? f->block.size : f->size;
	*tid = f->in_heap ? (int)f->block.alloc_thread : owner ? (int)owner->id : -1;
	*fd = -1;
	*suppressable = 0;
	fill(trace, room, f->in_heap ? f->block.alloc_site : DH_SITE_UNKNOWN);
	return 1;
}

DH_EXPORT int __tsan_get_report_loc_object_type(void *report, unsigned long i,
						const char **type);
int __tsan_get_report_loc_object_type(void *report, unsigned long i, const char **type)
{
	*type = "";
	return report && i == 0;
}

DH_EXPORT int __tsan_get_report_mutex(void *report, unsigned long i, uint64_t *id,
				      void **addr, int *destroyed, void **trace,
				      unsigned long room);
int __tsan_get_report_mutex(void *report, unsigned long i, uint64_t *id, void **addr,
			    int *destroyed, void **trace, unsigned long room)
{
	const struct dh_race_facts *f = report;
	if (!f || i >= f->lock_count)
		return 0;
	*id = f->locks[i].lock;
	*addr = (void *)f->locks[i].lock;
	*destroyed = 0;
	fill(trace, room, f->locks[i].site);
	return 1;
}

DH_EXPORT int __tsan_get_report_thread(void *report, unsigned long i, int *tid,
				       uint64_t *os_id, int *running, const char **name,
				       int *parent, void **trace, unsigned long room);
int __tsan_get_report_thread(void *report, unsigned long i, int *tid, uint64_t *os_id,
			     int *running, const char **name, int *parent, void **trace,
			     unsigned long room)
{
	const struct dh_thread_info *t = report && i < 2 ? side(report, i)->thread : NULL;
	if (!t)
		return 0;
	*tid = (int)t->id;
	*os_id = t->os_id;
	*running = t->running;
	*name = t->name;
	*parent = (int)t->parent;
	fill(trace, room, t->created_at);
	return 1;
}

DH_EXPORT int __tsan_get_report_unique_tid(void *report, unsigned long i, int *tid);
int __tsan_get_report_unique_tid(void *report, unsigned long i, int *tid)
{
	const struct dh_thread_info *t = report && i < 2 ? side(report, i)->thread : NULL;
	*tid = t ? (int)t->id : -1;
	return t != NULL;
}

/* ---- at any time ---- */

DH_EXPORT const char *__tsan_locate_address(uintptr_t addr, char *name, uintptr_t room,
					    uintptr_t *start, uintptr_t *size);
const char *__tsan_locate_address(uintptr_t addr, char *name, uintptr_t room,
				  uintptr_t *start, uintptr_t *size)
{
	struct dh_self *t = dh_thread_self();
	struct dh_heap_block block;
	struct dh_thread_local local;
	const char *kind = "global";
	*start = *size = 0;
	if (name && room)
		*name = 0; /* names are looked up by who reads the report */
	dh_enter_runtime(t);
	if (dh_heap_find(addr, &block)) {
		kind = "heap";
		*start = block.base;
		*size = block.size;
	} else if (dh_thread_local_find(addr, &local)) {
		kind = "tls";
	} else if (dh_stack_owner(addr)) {
		kind = "stack";
	}
	dh_leave_runtime(t);
	return kind;
}

/* Returns the depth of the stack; 0 for what is no block. */
DH_EXPORT int __tsan_get_alloc_stack(uintptr_t addr, void **trace, unsigned long room,
				     int *tid, uint64_t *os_id);
int __tsan_get_alloc_stack(uintptr_t addr, void **trace, unsigned long room, int *tid,
			   uint64_t *os_id)
{
	struct dh_heap_block block;
	if (!dh_heap_find(addr, &block))
		return 0;
	const struct dh_thread_info *t = dh_thread_by_id(block.alloc_thread);
	*tid = (int)block.alloc_thread;
	*os_id = t ? t->os_id : 0;
	return (int)fill(trace, room, block.alloc_site);
}
