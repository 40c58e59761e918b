/* SPDX-License-Identifier: MIT */
/*
 * Findings for people. Names come from the program: control characters in them are
 * shown as '?', so that they cannot play with the terminal.
 */
#include "report/live_page.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_FRAMES = 100, KEPT_OUTER = 20 }; /* longer stacks lose their middle */

static void paint(const struct dh_live_page *p, const char *escape)
{
	if (p->style->colour)
		fputs(escape, p->to);
}

void dh_live_name(const struct dh_live_page *p, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, p->to);
}

const char *dh_live_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- places ---- */

void dh_live_file(const struct dh_live_page *p, const char *path, uint32_t line,
		  uint32_t column)
{
	size_t n = p->style->folder ? strlen(p->style->folder) : 0;
	if (n && strncmp(path, p->style->folder, n) == 0 && path[n] == '/')
		path += n + 1;
	dh_live_name(p, path);
	if (line)
		fprintf(p->to, ":%" PRIu32, line);
	if (line && column)
		fprintf(p->to, ":%" PRIu32, column);
}

static void frame(const struct dh_live_page *p, const struct dh_source_frame *f)
{
	if (f->pc == DH_WIRE_LOST) {
		fputs("(the calls from here outward were lost)", p->to);
		return;
	}
	if (f->file) {
		dh_live_file(p, f->file, f->line, f->column);
		if (f->function) {
			fputs(" in ", p->to);
			dh_live_name(p, f->function);
		}
		if (f->inlined)
			fputs(" (inlined)", p->to);
		return;
	}
	if (f->function) {
		dh_live_name(p, f->function);
		fprintf(p->to, "+0x%" PRIx64 " in ", f->into);
	}
	if (f->module) {
		dh_live_name(p, f->module);
		fprintf(p->to, "+0x%" PRIx64, f->offset);
	} else {
		fprintf(p->to, "0x%" PRIx64, f->pc);
	}
}

static void stack(const struct dh_live_page *p, const struct dh_source_frames *s)
{
	size_t skip_from = s->len, skip_to = s->len;
	if (s->len > MOST_FRAMES) {
		skip_from = MOST_FRAMES - KEPT_OUTER;
		skip_to = s->len - KEPT_OUTER;
	}
	for (size_t i = 0; i < s->len; i++) {
		if (i == skip_from && skip_to > skip_from) {
			fprintf(p->to, "      ... %zu more ...\n", skip_to - skip_from);
			i = skip_to;
		}
		fprintf(p->to, "      #%zu ", i);
		frame(p, &s->at[i]);
		fputs(s->at[i].folded ? " (perhaps more rounds)\n" : "\n", p->to);
	}
	if (!s->len)
		fputs("      (stack not known)\n", p->to);
}

/* ---- threads ---- */

static const struct dh_live_thread *find_thread(const struct dh_live_page *p, uint64_t id)
{
	for (size_t i = 0; i < p->race->threads.len; i++)
		if (p->race->threads.at[i].id == id)
			return &p->race->threads.at[i];
	return NULL;
}

/* The line of a construct of OpenMP. */
static void construct(const struct dh_live_page *p, const struct dh_live_thread *t)
{
	const struct dh_source_frame *f = t->created.len ? &t->created.at[0] : NULL;
	if (f && f->file)
		dh_live_file(p, f->file, f->line, 0);
	else if (f)
		frame(p, f);
	else
		fputs("a place that is not known", p->to);
}

static void thread(const struct dh_live_page *p, uint64_t id)
{
	const struct dh_live_thread *t = find_thread(p, id);
	if (id == DH_WIRE_NO_THREAD) {
		fputs("a thread that is not known any more", p->to);
		return;
	}
	if (t && (t->flags & DH_WIRE_TASK)) {
		fputs("task created at ", p->to);
		construct(p, t);
		return;
	}
	if (t && (t->flags & DH_WIRE_REGION)) {
		fprintf(p->to, "thread %" PRIu64 " of the parallel region at ",
			t->flags >> DH_WIRE_NUMBER_SHIFT);
		construct(p, t);
		return;
	}
	if (t && (t->flags & DH_WIRE_MAIN))
		fputs("the main thread", p->to);
	else
		fprintf(p->to, "thread %" PRIu64, id);
	if (t && *t->name) {
		fputs(" \"", p->to);
		dh_live_name(p, t->name);
		fputc('"', p->to);
	}
}

static bool of_openmp(const struct dh_live_thread *t)
{
	return t->flags & (DH_WIRE_TASK | DH_WIRE_REGION);
}

/* Has the region of the i-th been shown, with another thread of it? */
static bool region_shown(const struct dh_live_page *p, size_t i)
{
	const struct dh_live_thread *t = p->race->threads.at;
	for (size_t k = 0; k < i; k++)
		if (t[i].flags & t[k].flags & DH_WIRE_REGION && t[k].created.len &&
		    t[k].created.at[0].pc == t[i].created.at[0].pc)
			return true;
	return false;
}

static bool is_side(const struct dh_live_page *p, unsigned sides, uint64_t thread)
{
	return (sides & DH_LIVE_SECOND && p->race->second.thread == thread) ||
	       (sides & DH_LIVE_FIRST && p->race->first.thread == thread);
}

/* Of all threads that the race names, or of those of some sides alone. */
static void creations(const struct dh_live_page *p, unsigned sides)
{
	for (size_t i = 0; i < p->race->threads.len; i++) {
		const struct dh_live_thread *t = &p->race->threads.at[i];
		if ((t->flags & DH_WIRE_MAIN) || !t->created.len || region_shown(p, i) ||
		    (sides && !is_side(p, sides, t->id)))
			continue;
		fputs("\n  ", p->to);
		if (of_openmp(t)) {
			fputs(t->flags & DH_WIRE_TASK ? "the task at "
						      : "the parallel region at ",
			      p->to);
			construct(p, t);
		} else {
			thread(p, t->id);
		}
		bool ended = !(t->flags & DH_WIRE_RUNNING) && !of_openmp(t);
		fputs(ended ? " (ended) was" : " was", p->to);
		fputs(t->flags & DH_WIRE_REGION ? " begun by " : " created by ", p->to);
		thread(p, t->parent);
		fputs(" at\n", p->to);
		stack(p, &t->created);
	}
}

/* ---- the object ---- */

static void variable(const struct dh_live_page *p, const struct dh_source_object *g)
{
	dh_live_name(p, g->name);
	if (g->part)
		dh_live_name(p, g->part);
	else if (g->offset)
		fprintf(p->to, "+%" PRIu64, g->offset);
}

/* In the heading. */
static void object_short(const struct dh_live_page *p)
{
	const struct dh_live_race *r = p->race;
	const struct dh_live_object *o = &r->object;
	if (*o->label) {
		fputc('"', p->to);
		dh_live_name(p, o->label);
		fputc('"', p->to);
	} else if (o->is_global) {
		variable(p, &o->global);
		if (o->kind == DH_OBJECT_LOCAL) {
			fputs(" of ", p->to);
			thread(p, o->thread);
		}
	} else if (o->kind == DH_OBJECT_HEAP) {
		fprintf(p->to, "a %sheap block of %" PRIu64 " byte%s",
			o->freed ? "freed " : "", o->size, dh_live_plural(o->size));
	} else if (o->kind == DH_OBJECT_STACK) {
		fputs("the stack of ", p->to);
		thread(p, o->thread);
	} else if (o->kind == DH_OBJECT_LOCAL) {
		fputs("a thread-local variable of ", p->to);
		thread(p, o->thread);
	} else if (o->kind == DH_OBJECT_MAPPING && *o->file) {
		fputs("the mapped file ", p->to);
		dh_live_name(p, o->file);
	} else {
		fprintf(p->to, "memory at 0x%" PRIx64, r->address);
	}
}

static void heap_block(const struct dh_live_page *p, const struct dh_live_object *o)
{
	uint64_t offset = p->race->address - o->base;
	fprintf(p->to,
		"  the address 0x%" PRIx64 " is byte %" PRIu64
		" of a heap block of %" PRIu64 " byte%s,\n  allocated by ",
		p->race->address, offset, o->size, dh_live_plural(o->size));
	thread(p, o->thread);
	fputs(" at\n", p->to);
	stack(p, &o->allocated);
	if (!o->freed)
		return;
	fputs("  and freed by ", p->to);
	thread(p, o->free_thread);
	fputs(" at\n", p->to);
	stack(p, &o->released);
}

static void global(const struct dh_live_page *p, const struct dh_live_object *o)
{
	const struct dh_source_object *g = &o->global;
	bool local = o->kind == DH_OBJECT_LOCAL;
	fputs("  ", p->to);
	dh_live_name(p, g->name);
	fputs(local ? " is a thread-local variable" : " is a global variable", p->to);
	if (g->size)
		fprintf(p->to, " of %" PRIu64 " byte%s", g->size,
			dh_live_plural(g->size));
	if (g->file) {
		fputs(", declared at ", p->to);
		dh_live_file(p, g->file, g->line, 0);
	}
	fprintf(p->to, " (0x%" PRIx64 "%s", g->base, local ? ", that of " : " in ");
	if (local)
		thread(p, o->thread);
	else
		dh_live_name(p, g->module);
	fputs(")\n", p->to);
}

static void mapping(const struct dh_live_page *p, const struct dh_live_object *o)
{
	uint64_t offset = p->race->address - o->base;
	fprintf(p->to, "  the address 0x%" PRIx64 " is ", p->race->address);
	if (*o->file) {
		fprintf(p->to, "byte %" PRIu64 " of the file ", o->file_offset + offset);
		dh_live_name(p, o->file);
		fputs(", mapped", p->to);
	} else {
		fprintf(p->to, "byte %" PRIu64 " of memory that is mapped", offset);
	}
	fprintf(p->to, " at 0x%" PRIx64 " (%" PRIu64 " byte%s)\n", o->base, o->size,
		dh_live_plural(o->size));
}

static void object_long(const struct dh_live_page *p)
{
	const struct dh_live_object *o = &p->race->object;
	fputc('\n', p->to);
	if (o->is_global) {
		global(p, o);
	} else if (o->kind == DH_OBJECT_HEAP) {
		heap_block(p, o);
	} else if (o->kind == DH_OBJECT_STACK || o->kind == DH_OBJECT_LOCAL) {
		fprintf(p->to, "  the address 0x%" PRIx64 " is %s ", p->race->address,
			o->kind == DH_OBJECT_STACK ? "on the stack of"
						   : "among the thread-local variables of");
		thread(p, o->thread);
		fputc('\n', p->to);
	} else if (o->kind == DH_OBJECT_MAPPING) {
		mapping(p, o);
	} else {
		fprintf(p->to, "  nothing is known of the memory at 0x%" PRIx64 "\n",
			p->race->address);
	}
}

/* ---- the accesses ---- */

static void locks(const struct dh_live_page *p, const struct dh_live_locks *all,
		  const char *how)
{
	for (size_t i = 0; i < all->len; i++) {
		const struct dh_live_lock *l = &all->at[i];
		fprintf(p->to, "    %sholding%s the lock ", how,
			l->flags & DH_WIRE_LOCK_WRITE ? "" : ", for reading,");
		if (*l->name) {
			fputc('"', p->to);
			dh_live_name(p, l->name);
			fputs("\" ", p->to);
		}
		if (l->is_global)
			variable(p, &l->global);
		else
			fprintf(p->to, "0x%" PRIx64, l->address);
		fputs(", taken at\n", p->to);
		stack(p, &l->taken);
	}
}

/* Of the second access. */
static void held_now(const struct dh_live_page *p)
{
	locks(p, &p->race->locks, "");
	if (!p->race->locks.len)
		fputs("    no locks held\n", p->to);
	if (p->race->locks_lost)
		fprintf(p->to, "    and %" PRIu64 " more lock%s\n", p->race->locks_lost,
			dh_live_plural(p->race->locks_lost));
}

/* Of the first. */
static void held_then(const struct dh_live_page *p)
{
	const struct dh_live_race *r = p->race;
	locks(p, &r->sure, "");
	locks(p, &r->maybe, "perhaps ");
	if (!r->earlier_known)
		fputs("    which locks it held is not known any more\n", p->to);
	else if (!r->sure.len && !r->maybe.len)
		fputs("    no locks held\n", p->to);
}

static void headline(const struct dh_live_page *p, const struct dh_live_access *a)
{
	if (a->flags & DH_WIRE_FREE)
		fputs("free", p->to);
	else
		fprintf(p->to, "%s%s of %" PRIu64 " byte%s",
			a->flags & DH_WIRE_ATOMIC ? "atomic " : "",
			a->flags & DH_WIRE_WRITE ? "write" : "read", a->size,
			dh_live_plural(a->size));
	fputs(" by ", p->to);
	/* The same words for both mean two of them. */
	const struct dh_live_thread *t = find_thread(p, a->thread);
	if (t && of_openmp(t) && a == &p->race->first &&
	    a->thread == p->race->second.thread)
		fputs("another ", p->to);
	thread(p, a->thread);
	if (a->stack.len) {
		fputs(t && of_openmp(t) ? ", at " : " at ", p->to);
		frame(p, &a->stack.at[0]);
	}
}

static void access(const struct dh_live_page *p, const struct dh_live_access *a,
		   const char *when)
{
	fputs("  ", p->to);
	paint(p, "\033[1m");
	headline(p, a);
	paint(p, "\033[0m");
	fprintf(p->to, "%s\n", when);
	stack(p, &a->stack);
}

/* Why it counts although it did not happen. */
static void luck(const struct dh_live_page *p)
{
	if (p->race->grade == DH_WIRE_POTENTIAL)
		fputs(
		    "\n  no lock protects both; in this run they were ordered, by who "
		    "came first to\n  some lock or otherwise, in another they may meet\n",
		    p->to);
}

/* What tells how much the finding is to be trusted, and worth. */
static void caveats(const struct dh_live_page *p)
{
	if (p->race->second.flags & DH_WIRE_COARSE)
		fputs(
		    "\n  these are parts of one variable, as the engine was told to see "
		    "it, and need not\n  overlap: run again with --granularity adaptive, "
		    "or a smaller DEADHEAT_UNIT\n",
		    p->to);
	if (p->race->second.flags & DH_WIRE_SUSPENDED)
		fputs("\n  detection was suspended at the later access: this does not "
		      "count\n",
		      p->to);
}

void dh_live_text_race(const struct dh_live_race *r, const struct dh_live_style *style,
		       FILE *to)
{
	struct dh_live_page p = {to, style, r};
	bool freed = (r->first.flags | r->second.flags) & DH_WIRE_FREE;
	paint(&p, "\033[1;31m");
	fputs("deadheat: data race", to);
	if (style->numbers)
		fprintf(to, " %" PRIu64, r->serial);
	fprintf(to, "%s (%s) on ", freed ? " with a free" : "", dh_live_grade(r));
	object_short(&p);
	paint(&p, "\033[0m");
	fputc('\n', to);
	access(&p, &r->second, "");
	held_now(&p);
	fputc('\n', to);
	access(&p, &r->first, ", earlier");
	held_then(&p);
	luck(&p);
	caveats(&p);
	object_long(&p);
	creations(&p, 0);
	fputc('\n', to);
}

void dh_live_text_further(const struct dh_live_race *r, unsigned further,
			  const struct dh_live_style *style, FILE *to)
{
	struct dh_live_page p = {to, style, r};
	paint(&p, "\033[1;31m");
	fputs("deadheat: further access to ", to);
	object_short(&p);
	fprintf(to, ", of data race %" PRIu64 " (%s)", r->serial, dh_live_grade(r));
	paint(&p, "\033[0m");
	fputc('\n', to);
	if (further & DH_LIVE_SECOND) {
		access(&p, &r->second, "");
		held_now(&p);
	}
	if (further == (DH_LIVE_SECOND | DH_LIVE_FIRST))
		fputc('\n', to);
	if (further & DH_LIVE_FIRST) {
		access(&p, &r->first, ", earlier");
		held_then(&p);
	}
	if (further != (DH_LIVE_SECOND | DH_LIVE_FIRST)) {
		fputs("    against the ", to);
		headline(&p, further & DH_LIVE_SECOND ? &r->first : &r->second);
		fputc('\n', to);
	}
	caveats(&p);
	creations(&p, further);
	fputc('\n', to);
}

void dh_live_text_access(const struct dh_live_race *r, const struct dh_live_access *a,
			 const struct dh_live_style *style, FILE *to)
{
	headline(&(struct dh_live_page){to, style, r}, a);
}

void dh_live_text_object(const struct dh_live_race *r, const struct dh_live_style *style,
			 FILE *to)
{
	object_short(&(struct dh_live_page){to, style, r});
}
