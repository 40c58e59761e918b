/* SPDX-License-Identifier: MIT */
/*
 * Findings for people. Names come from the program: control characters in them are
 * shown as '?', so that they cannot play with the terminal.
 */
#include "report/live.h"

#include <inttypes.h>
#include <string.h>

struct page {
	FILE *to;
	const struct dh_live_style *style;
	const struct dh_live_race *race;
};

enum { MOST_FRAMES = 100, KEPT_OUTER = 20 }; /* longer stacks lose their middle */

static void paint(const struct page *p, const char *escape)
{
	if (p->style->colour)
		fputs(escape, p->to);
}

static void name(const struct page *p, const char *text)
{
	for (; *text; text++)
		fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, p->to);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- places ---- */

static void file(const struct page *p, const char *path, uint32_t line, uint32_t column)
{
	size_t n = p->style->folder ? strlen(p->style->folder) : 0;
	if (n && strncmp(path, p->style->folder, n) == 0 && path[n] == '/')
		path += n + 1;
	name(p, path);
	if (line)
		fprintf(p->to, ":%" PRIu32, line);
	if (line && column)
		fprintf(p->to, ":%" PRIu32, column);
}

static void frame(const struct page *p, const struct dh_source_frame *f)
{
	if (f->pc == DH_WIRE_LOST) {
		fputs("(the calls from here outward were lost)", p->to);
		return;
	}
	if (f->file) {
		file(p, f->file, f->line, f->column);
		if (f->function) {
			fputs(" in ", p->to);
			name(p, f->function);
		}
		if (f->inlined)
			fputs(" (inlined)", p->to);
		return;
	}
	if (f->function) {
		name(p, f->function);
		fprintf(p->to, "+0x%" PRIx64 " in ", f->into);
	}
	if (f->module) {
		name(p, f->module);
		fprintf(p->to, "+0x%" PRIx64, f->offset);
	} else {
		fprintf(p->to, "0x%" PRIx64, f->pc);
	}
}

static void stack(const struct page *p, const struct dh_source_frames *s)
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

static const struct dh_live_thread *find_thread(const struct page *p, uint64_t id)
{
	for (size_t i = 0; i < p->race->threads.len; i++)
		if (p->race->threads.at[i].id == id)
			return &p->race->threads.at[i];
	return NULL;
}

/* The line of a construct of OpenMP. */
static void construct(const struct page *p, const struct dh_live_thread *t)
{
	const struct dh_source_frame *f = t->created.len ? &t->created.at[0] : NULL;
	if (f && f->file)
		file(p, f->file, f->line, 0);
	else if (f)
		frame(p, f);
	else
		fputs("a place that is not known", p->to);
}

static void thread(const struct page *p, uint64_t id)
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
		name(p, t->name);
		fputc('"', p->to);
	}
}

static bool of_openmp(const struct dh_live_thread *t)
{
	return t->flags & (DH_WIRE_TASK | DH_WIRE_REGION);
}

/* Has the region of the i-th been shown, with another thread of it? */
static bool region_shown(const struct page *p, size_t i)
{
	const struct dh_live_thread *t = p->race->threads.at;
	for (size_t k = 0; k < i; k++)
		if (t[i].flags & t[k].flags & DH_WIRE_REGION && t[k].created.len &&
		    t[k].created.at[0].pc == t[i].created.at[0].pc)
			return true;
	return false;
}

static void creations(const struct page *p)
{
	for (size_t i = 0; i < p->race->threads.len; i++) {
		const struct dh_live_thread *t = &p->race->threads.at[i];
		if ((t->flags & DH_WIRE_MAIN) || !t->created.len || region_shown(p, i))
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

static void variable(const struct page *p, const struct dh_source_object *g)
{
	name(p, g->name);
	if (g->part)
		name(p, g->part);
	else if (g->offset)
		fprintf(p->to, "+%" PRIu64, g->offset);
}

/* In the heading. */
static void object_short(const struct page *p)
{
	const struct dh_live_race *r = p->race;
	const struct dh_live_object *o = &r->object;
	if (*o->label) {
		fputc('"', p->to);
		name(p, o->label);
		fputc('"', p->to);
	} else if (o->is_global) {
		variable(p, &o->global);
	} else if (o->kind == DH_OBJECT_HEAP) {
		fprintf(p->to, "a %sheap block of %" PRIu64 " byte%s",
			o->freed ? "freed " : "", o->size, plural(o->size));
	} else if (o->kind == DH_OBJECT_STACK) {
		fputs("the stack of ", p->to);
		thread(p, o->thread);
	} else if (o->kind == DH_OBJECT_MAPPING && *o->file) {
		fputs("the mapped file ", p->to);
		name(p, o->file);
	} else {
		fprintf(p->to, "memory at 0x%" PRIx64, r->address);
	}
}

static void heap_block(const struct page *p, const struct dh_live_object *o)
{
	uint64_t offset = p->race->address - o->base;
	fprintf(p->to,
		"  the address 0x%" PRIx64 " is byte %" PRIu64
		" of a heap block of %" PRIu64 " byte%s,\n  allocated by ",
		p->race->address, offset, o->size, plural(o->size));
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

static void global(const struct page *p, const struct dh_source_object *g)
{
	fputs("  ", p->to);
	name(p, g->name);
	fputs(" is a global variable", p->to);
	if (g->size)
		fprintf(p->to, " of %" PRIu64 " byte%s", g->size, plural(g->size));
	if (g->file) {
		fputs(", declared at ", p->to);
		file(p, g->file, g->line, 0);
	}
	fprintf(p->to, " (0x%" PRIx64 " in ", g->base);
	name(p, g->module);
	fputs(")\n", p->to);
}

static void mapping(const struct page *p, const struct dh_live_object *o)
{
	uint64_t offset = p->race->address - o->base;
	fprintf(p->to, "  the address 0x%" PRIx64 " is ", p->race->address);
	if (*o->file) {
		fprintf(p->to, "byte %" PRIu64 " of the file ", o->file_offset + offset);
		name(p, o->file);
		fputs(", mapped", p->to);
	} else {
		fprintf(p->to, "byte %" PRIu64 " of memory that is mapped", offset);
	}
	fprintf(p->to, " at 0x%" PRIx64 " (%" PRIu64 " byte%s)\n", o->base, o->size,
		plural(o->size));
}

static void object_long(const struct page *p)
{
	const struct dh_live_object *o = &p->race->object;
	fputc('\n', p->to);
	if (o->is_global) {
		global(p, &o->global);
	} else if (o->kind == DH_OBJECT_HEAP) {
		heap_block(p, o);
	} else if (o->kind == DH_OBJECT_STACK) {
		fprintf(p->to,
			"  the address 0x%" PRIx64 " is on the stack or among the "
			"thread-local variables of ",
			p->race->address);
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

static void locks(const struct page *p, const struct dh_live_locks *all, const char *how)
{
	for (size_t i = 0; i < all->len; i++) {
		const struct dh_live_lock *l = &all->at[i];
		fprintf(p->to, "    %sholding%s the lock ", how,
			l->flags & DH_WIRE_LOCK_WRITE ? "" : ", for reading,");
		if (*l->name) {
			fputc('"', p->to);
			name(p, l->name);
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
static void held_now(const struct page *p)
{
	locks(p, &p->race->locks, "");
	if (!p->race->locks.len)
		fputs("    no locks held\n", p->to);
	if (p->race->locks_lost)
		fprintf(p->to, "    and %" PRIu64 " more lock%s\n", p->race->locks_lost,
			plural(p->race->locks_lost));
}

/* Of the first. */
static void held_then(const struct page *p)
{
	const struct dh_live_race *r = p->race;
	locks(p, &r->sure, "");
	locks(p, &r->maybe, "perhaps ");
	if (!r->earlier_known)
		fputs("    which locks it held is not known any more\n", p->to);
	else if (!r->sure.len && !r->maybe.len)
		fputs("    no locks held\n", p->to);
}

static void access(const struct page *p, const struct dh_live_access *a, const char *when)
{
	fputs("  ", p->to);
	paint(p, "\033[1m");
	if (a->flags & DH_WIRE_FREE)
		fputs("free", p->to);
	else
		fprintf(p->to, "%s%s of %" PRIu64 " byte%s",
			a->flags & DH_WIRE_ATOMIC ? "atomic " : "",
			a->flags & DH_WIRE_WRITE ? "write" : "read", a->size,
			plural(a->size));
	fputs(" by ", p->to);
	/* The same words for both mean two of them. */
	const struct dh_live_thread *t = find_thread(p, a->thread);
	if (t && of_openmp(t) && a == &p->race->first && a->thread == p->race->second.thread)
		fputs("another ", p->to);
	thread(p, a->thread);
	if (a->stack.len) {
		fputs(t && of_openmp(t) ? ", at " : " at ", p->to);
		frame(p, &a->stack.at[0]);
	}
	paint(p, "\033[0m");
	fprintf(p->to, "%s\n", when);
	stack(p, &a->stack);
}

/* Why it counts although it did not happen. */
static void luck(const struct page *p)
{
	if (p->race->grade == DH_WIRE_POTENTIAL)
		fputs("\n  no lock protects both; in this run they were ordered, by who "
		      "came first to\n  some lock or otherwise, in another they may meet\n",
		      p->to);
}

/* What tells how much the finding is to be trusted, and worth. */
static void caveats(const struct page *p)
{
	if (p->race->second.flags & DH_WIRE_COARSE)
		fputs("\n  these are parts of one variable, as the engine was told to see "
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
	struct page p = {to, style, r};
	bool freed = (r->first.flags | r->second.flags) & DH_WIRE_FREE;
	paint(&p, "\033[1;31m");
	fprintf(to, "deadheat: data race%s (%s) on ", freed ? " with a free" : "",
		dh_live_grade(r));
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
	creations(&p);
	fputc('\n', to);
}

/* ---- the summary ---- */

static void losses(const struct page *p, const struct dh_live_end *e)
{
	bool any = false;
	for (size_t i = 0; i < e->counters.len; i++) {
		const struct dh_live_counter *c = &e->counters.at[i];
		if (!c->loss || !c->value)
			continue;
		fprintf(p->to, "%s%s %" PRIu64, any ? ", " : "  lost: ", c->name,
			c->value);
		any = true;
	}
	fputs(any ? "\n" : "  nothing was lost\n", p->to);
}

/* What was seen and, as the program or the user wishes, not reported. */
static void met(const struct page *p, const struct dh_live_end *e, const char *counter,
		const char *what)
{
	for (size_t i = 0; i < e->counters.len; i++)
		if (e->counters.at[i].value && strcmp(e->counters.at[i].name, counter) == 0)
			fprintf(p->to, "  passed over %" PRIu64 " time%s: races %s\n",
				e->counters.at[i].value, plural(e->counters.at[i].value),
				what);
}

static void modules(const struct page *p, struct dh_symbols *s)
{
	size_t system = 0;
	for (uint32_t i = 0; i < dh_symbols_count(s); i++) {
		enum dh_module_kind kind = dh_symbols_kind(s, i);
		system += kind == DH_MODULE_SYSTEM;
		if (kind != DH_MODULE_PLAIN && kind != DH_MODULE_UNREADABLE)
			continue;
		fputs(kind == DH_MODULE_PLAIN ? "  not instrumented: "
					      : "  not readable: ",
		      p->to);
		name(p, dh_symbols_path(s, i));
		fputc('\n', p->to);
	}
	if (system)
		fprintf(p->to, "  not instrumented: %zu system librar%s\n", system,
			system == 1 ? "y" : "ies");
}

static void counters(const struct page *p, const struct dh_live_end *e)
{
	for (size_t i = 0; i < e->counters.len; i++)
		fprintf(p->to, "    %-24s %14" PRIu64 "\n", e->counters.at[i].name,
			e->counters.at[i].value);
}

/* What was found, and by the user's wish does not count. */
static void passed_over(const struct page *p, const struct dh_live_end *e)
{
	size_t used = 0;
	for (size_t i = 0; i < e->rules.len; i++)
		used += e->rules.at[i].used != 0;
	if (e->suppressed)
		fprintf(p->to, "  %" PRIu64 " suppressed by %zu rule%s\n", e->suppressed,
			used, plural(used));
	if (e->known)
		fprintf(p->to, "  %" PRIu64 " known from the baseline\n", e->known);
}

static void unused(const struct page *p, const struct dh_live_end *e)
{
	enum { MOST = 10 };
	size_t shown = 0, left = 0;
	for (size_t i = 0; i < e->rules.len; i++) {
		const struct dh_live_rule *r = &e->rules.at[i];
		if (r->used)
			continue;
		if (shown == MOST && !p->style->verbose) {
			left++;
			continue;
		}
		shown++;
		fputs("  ", p->to);
		file(p, r->file, r->line, 0);
		fputs(": ", p->to);
		name(p, r->text);
		fprintf(p->to, "%s%s\n", r->idle ? ": " : " was not used",
			r->idle ? r->idle : "");
	}
	if (left)
		fprintf(p->to, "  %zu more rules were not used (--verbose names them)\n",
			left);
}

void dh_live_text_end(const struct dh_live_end *e, struct dh_symbols *s,
		      const struct dh_live_style *style, FILE *to)
{
	struct page p = {to, style, NULL};
	if (e->distinct)
		fprintf(to,
			"deadheat: %" PRIu64 " distinct race%s, met %" PRIu64 " time%s\n",
			e->distinct, plural(e->distinct), e->total, plural(e->total));
	if (e->potential)
		fprintf(to, "  %" PRIu64 " of these potential\n", e->potential);
	if (!e->distinct)
		fputs("deadheat: no races\n", to);
	passed_over(&p, e);
	if (e->left_out)
		fprintf(to,
			"  %" PRIu64
			" not shown: between the same lines as others (--json and "
			"--verbose have all)\n",
			e->left_out);
	if (e->told)
		losses(&p, e);
	else
		fputs("  the program ended without a word: a crash, a kill or an exec\n",
		      to);
	met(&p, e, "benign_met", "that the program calls benign");
	met(&p, e, "untracked_met", "in what the annotations name");
	modules(&p, s);
	unused(&p, e);
	if (style->stats)
		counters(&p, e);
	if (e->suggestions && *e->suggestions)
		fprintf(to, "  lines that would suppress what is reported here:\n%s",
			e->suggestions);
}
