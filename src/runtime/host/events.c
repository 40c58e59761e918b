/* SPDX-License-Identifier: MIT */
/*
 * See events.h. A life is one use of a variable's number. An event on a life is written
 * for it, and for all lives that were split off it later, since they begin with its
 * history. Two passes over the records: the first finds out who was split off whom, and
 * when; the second writes.
 */
#include "runtime/host/events.h"
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include "base/kernel.h"
#include "base/lock.h"
#include "base/sys.h"
#include "base/vec.h"
#include "runtime/helper.h"
#include "runtime/host/spill.h"
#include "runtime/modules.h"
#include "runtime/text.h"
#include "runtime/thread.h"

enum { BUFFER = 1 << 16 }; /* bytes */

/* Kinds of record beside operations. NOTE_VAR: thread and site are the address's lower
 * and upper half; NOTE_SPLIT: site is the part split off. */
enum { NOTE_VAR = DH_OP_COUNT, NOTE_SPLIT, NOTE_RENEW };

struct life {
	uintptr_t addr;
	uint32_t parts; /* the last that was split off it: its life + 1 */
	uint32_t next;	/* the one that was split off the same life before this one */
	uint64_t since; /* the record of the split */
};

static bool on;
static struct dh_text path;
static struct dh_spill spill;
static struct dh_lock turn; /* of those in the gate */

/* ---- keeping ---- */

void dh_events_start(const char *to)
{
	on = *to;
	if (!on)
		return;
	dh_helper_expand(&path, to, (uint64_t)DH_KERNEL_0(__NR_getpid));
	dh_spill_start(&spill, dh_text_c(&path));
}

void dh_events_var(uint32_t var, uintptr_t addr)
{
	if (DH_UNLIKELY(on))
		dh_spill_add(&spill,
			     (struct dh_spilled){NOTE_VAR, (uint32_t)addr, var,
						 (uint32_t)((uint64_t)addr >> 32)});
}

void dh_events_split(uint32_t var, uint32_t other)
{
	if (DH_UNLIKELY(on))
		dh_spill_add(&spill, (struct dh_spilled){NOTE_SPLIT, 0, var, other});
}

void dh_events_renew(enum dh_name_kind kind, uint32_t number)
{
	if (DH_UNLIKELY(on))
		dh_spill_add(&spill, (struct dh_spilled){NOTE_RENEW, kind, number, 0});
}

void dh_events_note(const struct dh_event *ev)
{
	if (DH_UNLIKELY(on))
		dh_spill_add(&spill, (struct dh_spilled){ev->op, ev->thread, ev->target,
							 ev->site});
}

void dh_events_lock(void)
{
	if (DH_UNLIKELY(on))
		dh_lock(&turn);
}

void dh_events_unlock(void)
{
	if (DH_UNLIKELY(on))
		dh_unlock(&turn);
}

/* The file is the parent's. */
void dh_events_stop(void)
{
	on = false;
	dh_spill_drop(&spill, false);
}

/* ---- writing ---- */

struct writing {
	long fd;
	long error; /* of the kernel, if there was one */
	struct dh_text text;
	struct dh_vec(struct life) lives;
	struct dh_vec(uint32_t) now; /* by variable: its present life + 1 */
	struct dh_vec(uint32_t) turns[DH_NAME_KINDS]; /* by number: how often renewed */
};

static void flush(struct writing *w)
{
	long error = -dh_sys_write((int)w->fd, w->text.at, w->text.len);
	w->error = w->error ? w->error : error;
	w->text.len = 0;
}

static const struct dh_spilled *record_at(struct writing *w, uint64_t i)
{
	const struct dh_spilled *r = dh_spill_at(&spill, i);
	if (!r && !w->error)
		w->error = spill.error ? spill.error : EIO;
	return r;
}

static void begin_life(struct writing *w, const struct dh_spilled *r)
{
	uintptr_t addr = (uintptr_t)((uint64_t)r->site << 32 | r->thread);
	dh_vec_grow(&w->now, (size_t)r->target + 1);
	w->now.at[r->target] = (uint32_t)w->lives.len + 1;
	dh_vec_push(&w->lives, (struct life){.addr = addr});
}

static void find_splits(struct writing *w)
{
	const struct dh_spilled *r;
	for (uint64_t i = 0; i < spill.count && (r = record_at(w, i)); i++) {
		if (r->op == NOTE_VAR) {
			begin_life(w, r);
		} else if (r->op == NOTE_SPLIT) {
			struct life *whole = &w->lives.at[w->now.at[r->target] - 1];
			struct life *part = &w->lives.at[w->now.at[r->site] - 1];
			part->since = i;
			part->next = whole->parts;
			whole->parts = w->now.at[r->site];
		}
	}
}

static void write_location(struct dh_text *to, uint32_t site)
{
	uint64_t pc = dh_site_pc(dh_contexts, site);
	if (!site)
		return;
	dh_modules_know(&pc, 1);
	const struct dh_module *m = dh_modules_find((uintptr_t)pc);
	const char *name = m ? m->path : "";
	for (const char *c = name; *c; c++)
		name = *c == '/' ? c + 1 : name;
	for (; *name; name++)
		dh_text_bytes(to, *name == '|' || *name == '\n' ? "_" : name, 1);
	for (size_t i = 0; m && i < m->segments.len; i++) {
		const struct dh_segment *s = &m->segments.at[i];
		if (pc >= s->start && pc < s->end)
			pc = pc - s->start + s->offset;
	}
	dh_text_add(to, "+");
	dh_text_hex(to, pc);
	dh_text_add(to, "@");
	dh_text_number(to, site);
}

/* The first letter of a name says what it names. */
static void write_line(struct writing *w, const struct dh_spilled *r, uint64_t name)
{
	static const char *const letters[DH_NAME_KINDS] = {
	    [DH_NAME_THREAD] = "T",  [DH_NAME_VAR] = "",      [DH_NAME_LOCK] = "l",
	    [DH_NAME_MESSAGE] = "m", [DH_NAME_BARRIER] = "b", [DH_NAME_VOLATILE] = "v",
	};
	enum dh_name_kind kind = dh_op_kind((enum dh_op)r->op);
	struct dh_text *to = &w->text;
	dh_text_add(to, "T");
	dh_text_number(to, r->thread);
	dh_text_add(to, "|");
	dh_text_add(to, dh_op_text((enum dh_op)r->op));
	dh_text_add(to, "(");
	dh_text_add(to, letters[kind]);
	if (kind == DH_NAME_VAR)
		dh_text_hex(to, name);
	else
		dh_text_number(to, name);
	if (name < w->turns[kind].len && w->turns[kind].at[name]) {
		dh_text_add(to, "_");
		dh_text_number(to, w->turns[kind].at[name]);
	}
	dh_text_add(to, ")|");
	write_location(to, r->site);
	dh_text_add(to, "\n");
	if (to->len > BUFFER)
		flush(w);
}

/* For the life, and those that were split off it after this record. */
static void write_for(struct writing *w, const struct dh_spilled *r, uint64_t when,
		      uint32_t life)
{
	write_line(w, r, w->lives.at[life].addr);
	for (uint32_t p = w->lives.at[life].parts; p; p = w->lives.at[p - 1].next) {
		if (w->lives.at[p - 1].since < when)
			break;
		write_for(w, r, when, p - 1);
	}
}

static void renew(struct writing *w, const struct dh_spilled *r)
{
	dh_vec_grow(&w->turns[r->thread], (size_t)r->target + 1);
	w->turns[r->thread].at[r->target]++;
}

static void write_all(struct writing *w)
{
	uint32_t lives = 0;
	find_splits(w);
	const struct dh_spilled *r;
	for (uint64_t i = 0; i < spill.count && (r = record_at(w, i)); i++) {
		if (r->op == NOTE_VAR)
			w->now.at[r->target] = ++lives;
		else if (r->op == NOTE_RENEW)
			renew(w, r);
		else if (r->op == NOTE_SPLIT)
			continue;
		else if (dh_op_kind((enum dh_op)r->op) == DH_NAME_VAR)
			write_for(w, r, i, w->now.at[r->target] - 1);
		else
			write_line(w, r, r->target);
	}
	flush(w);
}

static void complain(long error)
{
	struct dh_text t = {0};
	dh_text_add(&t, "deadheat: cannot write all events to ");
	dh_text_bytes(&t, path.at, path.len);
	dh_text_add(&t, ": error ");
	dh_text_number(&t, (uint64_t)error);
	dh_text_add(&t, "\n");
	dh_sys_write(2, t.at, t.len);
	dh_vec_free(&t);
}

void dh_events_finish(void)
{
	if (!on)
		return;
	struct writing w = {.fd = DH_KERNEL_4(__NR_openat, AT_FDCWD, dh_text_c(&path),
					      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
					      0666)};
	if (w.fd >= 0) {
		write_all(&w);
		DH_KERNEL_1(__NR_close, w.fd);
	} else {
		w.error = -w.fd;
	}
	if (w.error)
		complain(w.error);
	dh_vec_free(&w.text);
	dh_vec_free(&w.lives);
	dh_vec_free(&w.now);
	for (int k = 0; k < DH_NAME_KINDS; k++)
		dh_vec_free(&w.turns[k]);
	on = false;
	dh_spill_drop(&spill, true);
}
