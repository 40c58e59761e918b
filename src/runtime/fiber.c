/* SPDX-License-Identifier: MIT */
/* See fiber.h. What is not swapped belongs to the thread and not to the flow: `inside`,
 * the caches, signals. */
#include "runtime/fiber.h"
#include "base/mem.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

/* The contents of struct dh_self while the fiber does not run. */
struct dh_fiber {
	uint64_t epoch;
	uint32_t *vc;
	struct dh_frame *top, *limit;
	uint32_t ignore, ignore_sync;
	uint8_t dirty;
	struct dh_thread_state *state;
};

/* The calling thread's own flow, once it has been asked for. */
static __thread struct dh_fiber *home __attribute__((tls_model("initial-exec")));

static void put_away(struct dh_fiber *f, const struct dh_self *t)
{
	*f = (struct dh_fiber){.epoch = t->epoch,
			       .vc = t->vc,
			       .top = t->top,
			       .limit = t->limit,
			       .ignore = t->ignore,
			       .ignore_sync = t->ignore_sync,
			       .dirty = t->dirty,
			       .state = t->state};
}

static void take_up(const struct dh_fiber *f, struct dh_self *t)
{
	t->epoch = f->epoch;
	t->vc = f->vc;
	t->top = f->top;
	t->limit = f->limit;
	t->ignore = f->ignore;
	t->ignore_sync = f->ignore_sync;
	t->dirty = f->dirty;
	t->state = f->state;
	dh_thread_use_caches(t);
	dh_thread_look(t);
}

/* The calling thread where it may switch. */
static struct dh_self *switcher(void)
{
	struct dh_self *t = dh_thread_self();
	return t->state && !t->inside && !t->state->handler_count ? t : NULL;
}

struct dh_fiber *dh_fiber_current(void)
{
	struct dh_self *t = switcher();
	if (!t)
		return NULL;
	if (!t->state->fiber) {
		dh_enter_runtime(t);
		t->state->fiber = home = dh_mem_alloc(sizeof *home);
		dh_leave_runtime(t);
	}
	return t->state->fiber;
}

struct dh_fiber *dh_fiber_create(uint64_t pc)
{
	struct dh_self *t = switcher();
	if (!t)
		return NULL;
	struct dh_fiber me, *f;
	dh_enter_runtime(t);
	f = dh_mem_alloc(sizeof *f);
	struct dh_thread_info *info = dh_thread_create(dh_thread_site(t, pc));
	info->joined = true; /* nobody will ask for its end */
	put_away(&me, t);
	take_up(&(struct dh_fiber){0}, t);
	dh_thread_attach(info);
	info->stack_at = 0; /* where it will be is the program's business */
	info->inside = NULL;
	t->state->fiber = f;
	put_away(f, t);
	take_up(&me, t);
	dh_leave_runtime(t);
	return f;
}

void dh_fiber_destroy(struct dh_fiber *f)
{
	struct dh_self *t = switcher();
	if (!t || !f || t->state->fiber == f)
		return;
	struct dh_fiber me;
	dh_enter_runtime(t);
	put_away(&me, t);
	take_up(f, t);
	dh_thread_detach_self();
	take_up(&me, t);
	dh_sync_forget((uintptr_t)f);
	dh_mem_free(f, sizeof *f);
	dh_leave_runtime(t);
}

static void swap(struct dh_self *t, struct dh_fiber *from, struct dh_fiber *to)
{
	const uint64_t os_id = t->state->info->os_id;
	dh_enter_runtime(t);
	put_away(from, t);
	take_up(to, t);
	__atomic_store_n(&t->state->info->os_id, os_id, __ATOMIC_RELEASE);
	dh_leave_runtime(t);
}

void dh_fiber_switch(struct dh_fiber *f, bool sync)
{
	struct dh_fiber *from = dh_fiber_current();
	if (!from || !f || from == f)
		return;
	struct dh_self *t = dh_thread_self();
	if (sync)
		dh_sync_release_join(t, (uintptr_t)f);
	swap(t, from, f);
	if (sync)
		dh_sync_acquire(t, (uintptr_t)f);
}

void dh_fiber_name(struct dh_fiber *f, const char *name)
{
	struct dh_self *t = dh_thread_self();
	if (!f || !name)
		return;
	char *to = (t->state && t->state->fiber == f ? t->state : f->state)->info->name;
	size_t n = 0;
	for (; name[n] && n < DH_NAME_MAX - 1; n++)
		to[n] = name[n];
	to[n] = 0;
}

void dh_fiber_thread_ends(void)
{
	struct dh_self *t = dh_thread_self();
	if (!home || !t->state)
		return;
	if (t->state->fiber != home)
		swap(t, t->state->fiber, home);
	dh_enter_runtime(t);
	t->state->fiber = NULL;
	dh_mem_free(home, sizeof *home);
	home = NULL;
	dh_leave_runtime(t);
}
