/* SPDX-License-Identifier: MIT */
/* Well-formed traces, one event at a time; see world.h. */
#include "world.h"

#include <string.h>

static bool held_by_other(const struct world *w, uint32_t self, uint32_t lock, bool write)
{
	for (uint32_t t = 0; t < WORLD_THREADS; t++) {
		if (t == self)
			continue;
		if (w->threads[t].write_depth[lock] ||
		    (write && w->threads[t].read_depth[lock]))
			return true;
	}
	return false;
}

static bool acquire(struct world *w, struct dh_event *ev, bool write)
{
	struct world_thread *t = &w->threads[ev->thread];
	uint8_t *depth = write ? t->write_depth : t->read_depth;
	if (held_by_other(w, ev->thread, ev->target, write) || depth[ev->target] == 4)
		return false;
	ev->nested = depth[ev->target] > 0;
	depth[ev->target]++;
	t->locks++;
	return true;
}

static bool release(struct world *w, struct dh_event *ev, bool write)
{
	struct world_thread *t = &w->threads[ev->thread];
	uint8_t *depth = write ? t->write_depth : t->read_depth;
	if (depth[ev->target] == 0)
		return false;
	depth[ev->target]--;
	ev->nested = depth[ev->target] > 0;
	t->locks--;
	return true;
}

static bool fork_thread(struct world *w, const struct dh_event *ev)
{
	struct world_thread *child = &w->threads[ev->target];
	if (child->begun || child->joined || ev->target == ev->thread)
		return false;
	child->begun = true;
	return true;
}

static bool join_thread(struct world *w, const struct dh_event *ev)
{
	struct world_thread *child = &w->threads[ev->target];
	if (!child->begun || ev->target == ev->thread || child->locks ||
	    child->method_count)
		return false;
	child->joined = true;
	return true;
}

static bool barrier(struct world *w, const struct dh_event *ev)
{
	bool *inside = &w->threads[ev->thread].inside[ev->target];
	if (ev->op == DH_BARRIER_ENTER) {
		if (*inside)
			return false;
		*inside = w->episode[ev->target] = true;
		return true;
	}
	*inside = false;
	return w->episode[ev->target];
}

static bool method(struct world *w, const struct dh_event *ev)
{
	struct world_thread *t = &w->threads[ev->thread];
	if (ev->op == DH_METHOD_BEGIN) {
		if (t->method_count == sizeof t->methods)
			return false;
		t->methods[t->method_count++] = (uint8_t)ev->target;
		return true;
	}
	if (t->method_count == 0 || t->methods[t->method_count - 1] != ev->target)
		return false;
	t->method_count--;
	return true;
}

static bool step(struct world *w, struct dh_event *ev)
{
	switch ((enum dh_op)ev->op) {
	case DH_ACQUIRE:
	case DH_READ_ACQUIRE:
		return acquire(w, ev, ev->op == DH_ACQUIRE);
	case DH_RELEASE:
	case DH_READ_RELEASE:
		return release(w, ev, ev->op == DH_RELEASE);
	case DH_FORK:
		return fork_thread(w, ev);
	case DH_JOIN:
		return join_thread(w, ev);
	case DH_BARRIER_ENTER:
	case DH_BARRIER_LEAVE:
		return barrier(w, ev);
	case DH_METHOD_BEGIN:
	case DH_METHOD_END:
		return method(w, ev);
	default:
		return true;
	}
}

bool world_accepts(struct world *w, struct dh_event *ev)
{
	ev->nested = false;
	if (w->threads[ev->thread].joined || !step(w, ev))
		return false;
	w->threads[ev->thread].begun = true;
	return true;
}

bool trace_check(struct trace *t)
{
	struct world w;
	memset(&w, 0, sizeof w);
	for (uint32_t i = 0; i < t->count; i++) {
		t->at[i].index = i;
		if (!world_accepts(&w, &t->at[i]))
			return false;
	}
	return true;
}

/* One letter per kind of name: two kinds may not be confused in a listing. */
static const char letters[DH_NAME_KINDS] = {
    [DH_NAME_THREAD] = 'T',  [DH_NAME_VAR] = 'x',     [DH_NAME_LOCK] = 'l',
    [DH_NAME_MESSAGE] = 'm', [DH_NAME_BARRIER] = 'b', [DH_NAME_VOLATILE] = 'v',
    [DH_NAME_METHOD] = 'f',  [DH_NAME_SITE] = 's',
};

void trace_print(const struct trace *t, FILE *to)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const struct dh_event *ev = &t->at[i];
		fprintf(to, "T%u|%s(%c%u", ev->thread, dh_op_text(ev->op),
			letters[dh_op_kind(ev->op)], ev->target);
		for (uint32_t k = 0; k < ev->reach_count; k++)
			fprintf(to, "%cx%u", k ? ',' : ':', ev->reach[k]);
		fputs(")|", to);
		if (ev->site != DH_SITE_NONE)
			fprintf(to, "s%u", ev->site);
		fputc('\n', to);
	}
}
