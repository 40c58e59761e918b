/* SPDX-License-Identifier: MIT */
/*
 * The rules of check.h.
 *
 * Invariants: running == begun && !joined. The readers of a lock are counted in
 * `readers`; one of them may sit in the lock itself (read_depth > 0), all others are
 * in the map `reads`; no depth in the map is 0.
 */
#include "trace/check.h"

#include "trace/quote.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static DH_COLD bool wrong(struct dh_check *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static DH_COLD bool wrong(struct dh_check *c, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(c->message, sizeof c->message, format, args);
	va_end(args);
	return false;
}

static struct dh_quoted shown(const struct dh_check *c, enum dh_name_kind kind,
			      uint32_t id)
{
	return dh_quote(dh_names_text(c->names, kind, id),
			dh_names_length(c->names, kind, id));
}

void dh_check_init(struct dh_check *c, struct dh_names *names, const char *unit)
{
	*c = (struct dh_check){.names = names, .unit = unit};
}

void dh_check_free(struct dh_check *c)
{
	for (size_t i = 0; i < c->threads.len; i++)
		dh_vec_free(&c->threads.at[i].methods);
	dh_vec_free(&c->threads);
	dh_vec_free(&c->locks);
	dh_map_free(&c->reads);
}

/* --- threads --- */

static bool thread_steps(struct dh_check *c, uint32_t id, uint64_t where)
{
	struct dh_check_thread *t = &c->threads.at[id];
	if (DH_LIKELY(t->running))
		return true;
	if (t->joined)
		return wrong(c, "event of thread %s after its join at %s %" PRIu64,
			     shown(c, DH_NAME_THREAD, id).text, c->unit, t->joined_at);
	/* In text its lines would be comments; only a binary trace gets here. */
	if (dh_names_text(c->names, DH_NAME_THREAD, id)[0] == '#')
		return wrong(c, "thread %s has events, but its name begins with '#'",
			     shown(c, DH_NAME_THREAD, id).text);
	t->begun = t->running = true;
	t->begun_at = where;
	return true;
}

static bool fork_ok(struct dh_check *c, const struct dh_event *ev, uint64_t where)
{
	uint32_t id = ev->target;
	struct dh_check_thread *t = &c->threads.at[id];
	if (id == ev->thread)
		return wrong(c, "thread %s forks itself",
			     shown(c, DH_NAME_THREAD, id).text);
	if (t->forked)
		return wrong(c, "fork of thread %s, which was forked at %s %" PRIu64,
			     shown(c, DH_NAME_THREAD, id).text, c->unit, t->forked_at);
	if (t->joined)
		return wrong(c, "fork of thread %s, which was joined at %s %" PRIu64,
			     shown(c, DH_NAME_THREAD, id).text, c->unit, t->joined_at);
	if (t->begun)
		return wrong(c,
			     "fork of thread %s, which has an event before its fork, "
			     "at %s %" PRIu64,
			     shown(c, DH_NAME_THREAD, id).text, c->unit, t->begun_at);
	t->forked = true;
	t->forked_at = where;
	return true;
}

static bool join_ok(struct dh_check *c, const struct dh_event *ev, uint64_t where)
{
	struct dh_check_thread *t = &c->threads.at[ev->target];
	if (ev->target == ev->thread)
		return wrong(c, "thread %s joins itself",
			     shown(c, DH_NAME_THREAD, ev->target).text);
	if (!t->joined) {
		t->joined = true;
		t->joined_at = where;
		t->running = false;
	}
	return true;
}

/* --- locks --- */

static uint64_t read_key(uint32_t lock, uint32_t thread)
{
	return (uint64_t)lock << 32 | thread;
}

/* How often a thread holds a lock in read mode, or NULL for not at all. */
static uint64_t *read_depth(struct dh_check *c, uint32_t lock, uint32_t thread)
{
	struct dh_check_lock *l = &c->locks.at[lock];
	if (l->readers == 0)
		return NULL;
	if (l->read_depth > 0 && l->reader == thread)
		return &l->read_depth;
	if (l->readers == (l->read_depth > 0))
		return NULL;
	return dh_map_get(&c->reads, read_key(lock, thread));
}

static DH_COLD bool busy(struct dh_check *c, const struct dh_event *ev)
{
	const struct dh_check_lock *l = &c->locks.at[ev->target];
	struct dh_quoted name = shown(c, DH_NAME_LOCK, ev->target);
	if (l->write_depth > 0)
		return wrong(
		    c, "acquire of lock %s, which thread %s has held since %s %" PRIu64,
		    name.text, shown(c, DH_NAME_THREAD, l->writer).text, c->unit,
		    l->writer_since);
	if (l->read_depth > 0 && l->reader != ev->thread)
		return wrong(c, "acquire of lock %s, which thread %s holds in read mode",
			     name.text, shown(c, DH_NAME_THREAD, l->reader).text);
	return wrong(c, "acquire of lock %s, which another thread holds in read mode",
		     name.text);
}

static bool acquire_ok(struct dh_check *c, struct dh_event *ev, uint64_t where)
{
	struct dh_check_lock *l = &c->locks.at[ev->target];
	if (l->write_depth > 0) {
		if (l->writer != ev->thread)
			return busy(c, ev);
		if (l->write_depth == UINT32_MAX)
			return wrong(c, "lock %s is held too often",
				     shown(c, DH_NAME_LOCK, ev->target).text);
		ev->nested = true;
		l->write_depth++;
		return true;
	}
	if (l->readers > 1 || (l->readers && !read_depth(c, ev->target, ev->thread)))
		return busy(c, ev);
	l->writer = ev->thread;
	l->write_depth = 1;
	l->writer_since = where;
	return true;
}

static bool read_acquire_ok(struct dh_check *c, struct dh_event *ev)
{
	struct dh_check_lock *l = &c->locks.at[ev->target];
	if (l->write_depth > 0 && l->writer != ev->thread)
		return busy(c, ev);
	uint64_t *depth = read_depth(c, ev->target, ev->thread);
	if (depth) {
		ev->nested = true;
		++*depth;
		return true;
	}
	if (l->read_depth == 0) {
		l->reader = ev->thread;
		l->read_depth = 1;
	} else if (c->reads.len < DH_CHECK_READS_MAX) {
		*dh_map_put(&c->reads, read_key(ev->target, ev->thread), NULL) = 1;
	} else {
		return wrong(c, "more than %d locks are shared in read mode at a time",
			     DH_CHECK_READS_MAX);
	}
	l->readers++;
	return true;
}

static DH_COLD bool not_held(struct dh_check *c, const struct dh_event *ev,
			     bool other_mode)
{
	bool write = ev->op == DH_RELEASE;
	return wrong(c, "release of lock %s, which thread %s does not hold%s",
		     shown(c, DH_NAME_LOCK, ev->target).text,
		     shown(c, DH_NAME_THREAD, ev->thread).text,
		     !other_mode ? ""
		     : write	 ? " in write mode (rdrel ends a rdacq)"
				 : " in read mode (rel ends an acq)");
}

static bool release_ok(struct dh_check *c, struct dh_event *ev)
{
	struct dh_check_lock *l = &c->locks.at[ev->target];
	if (l->write_depth == 0 || l->writer != ev->thread)
		return not_held(c, ev, read_depth(c, ev->target, ev->thread) != NULL);
	l->write_depth--;
	ev->nested = l->write_depth > 0;
	return true;
}

static bool read_release_ok(struct dh_check *c, struct dh_event *ev)
{
	struct dh_check_lock *l = &c->locks.at[ev->target];
	uint64_t *depth = read_depth(c, ev->target, ev->thread);
	if (!depth)
		return not_held(c, ev, l->write_depth > 0 && l->writer == ev->thread);
	if (--*depth > 0) {
		ev->nested = true;
		return true;
	}
	if (depth != &l->read_depth)
		dh_map_remove(&c->reads, read_key(ev->target, ev->thread));
	l->readers--;
	return true;
}

/* --- methods --- */

static bool begin_ok(struct dh_check *c, const struct dh_event *ev)
{
	struct dh_check_thread *t = &c->threads.at[ev->thread];
	if (c->methods_open == DH_CHECK_METHODS_MAX)
		return wrong(c, "more than %d calls (mb) are open", DH_CHECK_METHODS_MAX);
	c->methods_open++;
	dh_vec_push(&t->methods, ev->target);
	return true;
}

static DH_COLD bool not_open(struct dh_check *c, const struct dh_event *ev)
{
	const struct dh_check_thread *t = &c->threads.at[ev->thread];
	struct dh_quoted name = shown(c, DH_NAME_METHOD, ev->target);
	struct dh_quoted thread = shown(c, DH_NAME_THREAD, ev->thread);
	if (t->methods.len == 0)
		return wrong(c, "me of %s without mb: thread %s has no open call",
			     name.text, thread.text);
	return wrong(c, "me of %s without mb: the innermost open call of thread %s is %s",
		     name.text, thread.text,
		     shown(c, DH_NAME_METHOD, t->methods.at[t->methods.len - 1]).text);
}

static bool end_ok(struct dh_check *c, const struct dh_event *ev)
{
	struct dh_check_thread *t = &c->threads.at[ev->thread];
	if (t->methods.len == 0 || t->methods.at[t->methods.len - 1] != ev->target)
		return not_open(c, ev);
	(void)dh_vec_pop(&t->methods);
	c->methods_open--;
	return true;
}

bool dh_check_event_slow(struct dh_check *c, struct dh_event *ev, uint64_t where)
{
	enum dh_name_kind kind = dh_op_kind(ev->op);
	size_t threads = (size_t)ev->thread + 1;
	if (kind == DH_NAME_THREAD)
		threads = DH_MAX(threads, (size_t)ev->target + 1);
	dh_vec_grow(&c->threads, threads);
	if (kind == DH_NAME_LOCK)
		dh_vec_grow(&c->locks, (size_t)ev->target + 1);
	if (!thread_steps(c, ev->thread, where))
		return false;
	switch ((enum dh_op)ev->op) {
	case DH_ACQUIRE:
		return acquire_ok(c, ev, where);
	case DH_RELEASE:
		return release_ok(c, ev);
	case DH_READ_ACQUIRE:
		return read_acquire_ok(c, ev);
	case DH_READ_RELEASE:
		return read_release_ok(c, ev);
	case DH_FORK:
		return fork_ok(c, ev, where);
	case DH_JOIN:
		return join_ok(c, ev, where);
	case DH_METHOD_BEGIN:
		return begin_ok(c, ev);
	case DH_METHOD_END:
		return end_ok(c, ev);
	default:
		return true;
	}
}
