/* SPDX-License-Identifier: MIT */
/*
 * Stacks in SARIF, twice: as thread flows, which viewers walk through step by step in
 * the order of execution, and as stacks, which keep every frame. A flow has only frames
 * with source, since a step has to lead somewhere.
 */
#include "triage/sarif.h"
#include "triage/describe.h"
#include "triage/names.h"

#include <stdio.h>
#include <string.h>

enum {
	MAX_FLOWS = 8,	  /* variants that are shown as flows */
	MAX_FRAMES = 400, /* of a flow, the innermost; GitHub shows 1,000 for a result */
};

/* ---- thread flows ---- */

struct side {
	const struct dh_finding *f;
	const struct dh_finding_access *a;
	bool later, further; /* further: one that was added to the two */
	uint32_t steps; /* written so far */
};

static void step_open(struct dh_sarif *s, const struct dh_finding_frame *f,
		      const struct side *side, const char *what, const char *how)
{
	dh_json_open(&s->j, NULL, '{');
	dh_json_open(&s->j, "location", '{');
	if (f)
		dh_sarif_place(s, f, 0, side->f->run);
	dh_sarif_say(s, "message", "%s%s", what, how);
	dh_json_close(&s->j, '}');
}

static void step_close(struct dh_sarif *s, struct side *side, uint64_t level,
		       const char *kind)
{
	dh_json_open(&s->j, "kinds", '[');
	dh_json_text(&s->j, NULL, kind);
	dh_json_close(&s->j, ']');
	dh_json_number(&s->j, "nestingLevel", level);
	dh_json_close(&s->j, '}');
	side->steps++;
}

static void creation(struct dh_sarif *s, struct side *side)
{
	const struct dh_finding_thread *t = side->a->thread;
	const struct dh_finding_frame *f =
	    t && t->created ? dh_stack_where(t->created) : NULL;
	if (!f || !f->file)
		return;
	step_open(s, f, side, dh_describe_thread(t).text, " is created here");
	step_close(s, side, 0, "call");
}

static void locks(struct dh_sarif *s, struct side *side, uint64_t level)
{
	for (size_t i = 0; i < side->a->locks.len; i++) {
		const struct dh_finding_lock *l = &side->a->locks.at[i];
		const struct dh_finding_frame *f =
		    l->taken ? dh_stack_where(l->taken) : NULL;
		if (!f || !f->file)
			continue;
		step_open(s, f, side, l->name, " is taken here, and held");
		step_close(s, side, level, "lock");
	}
}

/* From the outermost to the innermost; *level is that of the access in the end. */
static void calls(struct dh_sarif *s, struct side *side,
		  const struct dh_finding_frame *where, uint64_t *level)
{
	const struct dh_finding_stack *stack = side->a->stack;
	for (uint32_t i = DH_MIN(stack->len, (uint32_t)MAX_FRAMES); i-- > 0;) {
		const struct dh_finding_frame *f = stack->at[i];
		if (f == where)
			break;
		if (!f->file || f->lost)
			continue;
		step_open(s, f, side, "in ", dh_describe_frame(f).text);
		step_close(s, side, (*level)++, "call");
	}
}

static void access_step(struct dh_sarif *s, struct side *side,
			const struct dh_finding_frame *where, uint64_t level)
{
	step_open(s, where, side, dh_describe_access(side->a).text,
		  side->further ? ": a further access"
		  : side->later ? ": the race was noticed here"
				: ": the earlier access");
	dh_json_text(&s->j, "importance", "essential");
	if (!side->further)
		dh_json_number(&s->j, "executionOrder", side->later ? 2 : 1);
	step_close(s, side, level, "memory");
}

static void thread_flow(struct dh_sarif *s, struct side side, const char *id)
{
	const struct dh_finding_frame *where = dh_stack_where(side.a->stack);
	uint64_t level = 0;
	dh_json_open(&s->j, NULL, '{');
	dh_json_text(&s->j, "id", id);
	dh_sarif_say(s, "message", "%s", dh_describe_thread(side.a->thread).text);
	dh_json_open(&s->j, "locations", '[');
	creation(s, &side);
	calls(s, &side, where, &level);
	locks(s, &side, level);
	if ((where && where->file) || !side.steps)
		access_step(s, &side, where, level);
	dh_json_close(&s->j, ']');
	dh_json_close(&s->j, '}');
}

static void further_flows(struct dh_sarif *s, const struct dh_finding *f)
{
	struct dh_finding_place places[DH_FINDING_MOST];
	size_t len = dh_finding_places(f, places), two = f->has_first ? 2 : 1;
	for (size_t i = two; i < len; i++) {
		char id[32];
		snprintf(id, sizeof id, "further %zu", i - two + 1);
		thread_flow(s, (struct side){places[i].race, places[i].access, false,
					     true, 0}, id);
	}
}

void dh_sarif_flows(struct dh_sarif *s, const struct dh_cause *c)
{
	dh_json_open(&s->j, "codeFlows", '[');
	for (size_t i = 0; i < DH_MIN(c->variants_len, (size_t)MAX_FLOWS); i++) {
		const struct dh_finding *f = c->variants[i].sample;
		dh_json_open(&s->j, NULL, '{');
		dh_json_open(&s->j, "threadFlows", '[');
		if (f->has_first)
			thread_flow(s, (struct side){.f = f, .a = &f->first}, "first");
		thread_flow(s, (struct side){.f = f, .a = &f->second, .later = true},
			    "second");
		further_flows(s, f);
		dh_json_close(&s->j, ']');
		dh_json_close(&s->j, '}');
	}
	dh_json_close(&s->j, ']');
}

/* ---- stacks ---- */

static void frame(struct dh_sarif *s, const struct dh_finding_frame *f,
		  const struct dh_finding_run *run)
{
	dh_json_open(&s->j, NULL, '{');
	dh_json_open(&s->j, "location", '{');
	dh_sarif_place(s, f, 0, run);
	if (f->lost || f->inlined || f->folded) {
		dh_json_open(&s->j, "message", '{');
		dh_json_text(&s->j, "text",
			     f->lost	 ? "the outer frames were lost"
			     : f->folded ? "of a recursion that may have had more rounds"
					 : "inlined into the next function");
		dh_json_close(&s->j, '}');
	}
	dh_json_close(&s->j, '}');
	if (f->module)
		dh_json_text(&s->j, "module", f->module);
	dh_json_close(&s->j, '}');
}

/* what, and by whom. */
static void stack(struct dh_sarif *s, const struct dh_finding_stack *st,
		  const struct dh_finding_run *run, const char *what,
		  const struct dh_finding_thread *by)
{
	dh_json_open(&s->j, NULL, '{');
	dh_sarif_say(s, "message", "%s %s", what, dh_describe_thread(by).text);
	dh_json_open(&s->j, "frames", '[');
	for (uint32_t i = 0; i < st->len; i++)
		frame(s, st->at[i], run);
	dh_json_close(&s->j, ']');
	dh_json_close(&s->j, '}');
}

static void access_stack(struct dh_sarif *s, const struct dh_finding *f,
			 const struct dh_finding_access *a)
{
	struct dh_phrase what = dh_describe_access(a);
	size_t len = strlen(what.text);
	snprintf(what.text + len, sizeof what.text - len, " by");
	stack(s, a->stack, f->run, what.text, a->thread);
}

void dh_sarif_stacks(struct dh_sarif *s, const struct dh_finding *f)
{
	struct dh_finding_place places[DH_FINDING_MOST];
	dh_json_open(&s->j, "stacks", '[');
	access_stack(s, f, &f->second);
	if (f->has_first)
		access_stack(s, f, &f->first);
	size_t len = dh_finding_places(f, places);
	for (size_t i = f->has_first ? 2 : 1; i < len; i++)
		access_stack(s, places[i].race, places[i].access);
	if (f->object.allocated)
		stack(s, f->object.allocated, f->run, "allocated by", f->object.thread);
	if (f->object.freed)
		stack(s, f->object.freed, f->run, "freed by", f->object.free_thread);
	for (size_t i = 0; i < f->threads_len; i++)
		if (f->threads[i].created)
			stack(s, f->threads[i].created, f->run, "creation of",
			      &f->threads[i]);
	dh_json_close(&s->j, ']');
}
