/* SPDX-License-Identifier: MIT */
/*
 * See repeats.h. A forward analysis of what has been accessed on every way to a place: a
 * bit for each address (as a value and a distance from it), size and kind that is
 * accessed more than once. A call that is not quiet ends all that is known, and the
 * definition of a value all that goes by it: in a loop it is another one each time.
 */
#include "pass/repeats.h"
#include "pass/calls.h"
#include "pass/offset.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST = 512, /* of a function, that are kept account of */
	WORDS = MOST / 64,
};

struct fact {
	struct dh_offset at;
	unsigned size;
	bool write;
	unsigned times;
};

struct set {
	uint64_t word[WORDS];
};

struct repeats {
	const struct dh_cfg *g;
	struct ll_layout *layout;
	struct fact *fact; /* by their base, and then by the rest */
	size_t facts, room;
	struct set *out; /* of each block */
	unsigned removed;
};

/* ---- facts ---- */

static int compare(const void *a, const void *b)
{
	const struct fact *x = a, *y = b;
	if (x->at.base != y->at.base)
		return x->at.base < y->at.base ? -1 : 1;
	if (x->at.bytes != y->at.bytes)
		return x->at.bytes < y->at.bytes ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (int)x->write - (int)y->write;
}

static struct fact fact_of(const struct repeats *r, struct ll_value *call,
			   struct dh_call c)
{
	return (struct fact){dh_offset_of(r->layout, dh_ll.GetOperand(call, 0)), c.size,
			     c.write, 1};
}

static bool add(struct repeats *r, struct fact f)
{
	if (r->facts == r->room) {
		size_t room = r->room ? r->room * 2 : 64;
		struct fact *more = realloc(r->fact, room * sizeof *more);
		if (!more)
			return false;
		r->fact = more;
		r->room = room;
	}
	r->fact[r->facts++] = f;
	return true;
}

static bool collect(struct repeats *r)
{
	for (int b = 0; b < r->g->blocks; b++) {
		struct ll_value *v = dh_ll.GetFirstInstruction(r->g->block[b]);
		for (; v; v = dh_ll.GetNextInstruction(v)) {
			const struct dh_call c = dh_call_of(v);
			if (c.kind == DH_CALL_ACCESS && !add(r, fact_of(r, v, c)))
				return false;
		}
	}
	return true;
}

/* Does what is accessed by a have all that b has, of at least its kind? */
static bool covers(const struct fact *a, const struct fact *b)
{
	return a->at.base == b->at.base && (a->write || !b->write) &&
	       a->at.bytes <= b->at.bytes &&
	       a->at.bytes + (int64_t)a->size >= b->at.bytes + (int64_t)b->size;
}

/* Is there another one that it covers, or that covers it? */
static bool has_company(const struct repeats *r, size_t i)
{
	const struct fact *f = r->fact;
	if (f[i].times > 1)
		return true;
	for (size_t k = i; k-- > 0 && f[k].at.base == f[i].at.base;)
		if (covers(&f[k], &f[i]) || covers(&f[i], &f[k]))
			return true;
	for (size_t k = i + 1; k < r->facts && f[k].at.base == f[i].at.base; k++)
		if (covers(&f[k], &f[i]) || covers(&f[i], &f[k]))
			return true;
	return false;
}

/* One of each, as many as there is room for; and of these those that can be of use. */
static void sort(struct repeats *r)
{
	size_t n = 0, kept = 0;
	bool company[MOST];
	qsort(r->fact, r->facts, sizeof *r->fact, compare);
	for (size_t i = 0; i < r->facts; i++) {
		if (n && compare(&r->fact[n - 1], &r->fact[i]) == 0)
			r->fact[n - 1].times++;
		else
			r->fact[n++] = r->fact[i];
	}
	r->facts = n < MOST ? n : MOST;
	for (size_t i = 0; i < r->facts; i++)
		company[i] = has_company(r, i);
	for (size_t i = 0; i < r->facts; i++)
		if (company[i])
			r->fact[kept++] = r->fact[i];
	r->facts = kept;
}

/* The first one that goes by the value; r->facts where there is none. */
static size_t first_by(const struct repeats *r, const struct ll_value *base)
{
	size_t low = 0, high = r->facts;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (r->fact[middle].at.base < base)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->facts && r->fact[low].at.base == base ? low : r->facts;
}

/* ---- sets ---- */

static void set_bit(struct set *s, size_t i)
{
	s->word[i / 64] |= (uint64_t)1 << i % 64;
}

static bool has_bit(const struct set *s, size_t i)
{
	return s->word[i / 64] >> i % 64 & 1;
}

static void end_value(const struct repeats *r, struct set *s, const struct ll_value *v)
{
	for (size_t i = first_by(r, v); i < r->facts && r->fact[i].at.base == v; i++)
		s->word[i / 64] &= ~((uint64_t)1 << i % 64);
}

/* Notes an access; was it known to be one that repeats? */
static bool note(const struct repeats *r, struct set *s, const struct fact *f)
{
	bool known = false;
	for (size_t i = first_by(r, f->at.base);
	     i < r->facts && r->fact[i].at.base == f->at.base; i++) {
		known |= has_bit(s, i) && covers(&r->fact[i], f);
		if (compare(&r->fact[i], f) == 0)
			set_bit(s, i);
	}
	return known;
}

/* ---- the analysis ---- */

/* What holds behind an instruction, given what does before it. */
static bool pass(const struct repeats *r, struct set *s, struct ll_value *v)
{
	const struct dh_call c = dh_call_of(v);
	if (c.kind == DH_CALL_ACCESS) {
		const struct fact f = fact_of(r, v, c);
		return note(r, s, &f);
	}
	if (!dh_is_quiet(v))
		memset(s, 0, sizeof *s);
	end_value(r, s, v);
	return false;
}

static struct set before_block(const struct repeats *r, int b)
{
	struct set s;
	memset(&s, b ? 0xff : 0, sizeof s);
	for (int i = r->g->first[b]; b && i < r->g->first[b + 1]; i++)
		for (int w = 0; w < WORDS; w++)
			s.word[w] &= r->out[r->g->from[i]].word[w];
	return s;
}

static void analyse(struct repeats *r)
{
	bool changed = true;
	memset(r->out, 0xff, (size_t)r->g->blocks * sizeof *r->out);
	while (changed) {
		changed = false;
		for (int b = 0; b < r->g->blocks; b++) {
			struct set s = before_block(r, b);
			struct ll_value *v = dh_ll.GetFirstInstruction(r->g->block[b]);
			for (; v; v = dh_ll.GetNextInstruction(v))
				pass(r, &s, v);
			changed |= memcmp(&s, &r->out[b], sizeof s) != 0;
			r->out[b] = s;
		}
	}
}

static void remove_all(struct repeats *r)
{
	for (int b = 0; b < r->g->blocks; b++) {
		struct set s = before_block(r, b);
		struct ll_value *next, *v = dh_ll.GetFirstInstruction(r->g->block[b]);
		for (; v; v = next) {
			next = dh_ll.GetNextInstruction(v);
			if (!pass(r, &s, v))
				continue;
			dh_ll.InstructionEraseFromParent(v);
			r->removed++;
		}
	}
}

unsigned dh_repeats(const struct dh_cfg *g, struct ll_layout *layout)
{
	struct repeats r = {.g = g, .layout = layout};
	r.out = malloc((size_t)g->blocks * sizeof *r.out);
	if (r.out && collect(&r) && r.facts) {
		sort(&r);
		if (r.facts) {
			analyse(&r);
			remove_all(&r);
		}
	}
	free(r.out);
	free(r.fact);
	return r.removed;
}
