/* SPDX-License-Identifier: MIT */
/* Stacks of two and parked accesses; the terms and (P) are in stack.h. */
#include "filters/stack.h"

void dh_stacks_init(struct dh_stacks *s, struct dh_stream *stream, bool strict)
{
	*s = (struct dh_stacks){.stream = stream, .strict = strict};
	dh_vec_grow(&s->at, 1); /* number 0 is none */
	dh_vec_grow(&s->parked, 1);
}

static void forget(struct dh_vc **know)
{
	for (int r = 0; r < DH_RELATIONS; r++) {
		dh_vc_unref(know[r]);
		know[r] = NULL;
	}
}

void dh_stacks_free(struct dh_stacks *s)
{
	for (size_t i = 0; i < s->at.len; i++)
		for (int m = 0; m < 2; m++)
			forget(s->at.at[i].member[m].know);
	for (size_t i = 0; i < s->strands.len; i++)
		dh_vc_unref(s->strands.at[i].copy);
	dh_map_free(&s->index);
	dh_vec_free(&s->at);
	dh_vec_free(&s->free);
	dh_vec_free(&s->parked);
	dh_vec_free(&s->free_parked);
	dh_vec_free(&s->strands);
	dh_vec_free(&s->due);
}

struct dh_strand *dh_stacks_strand(struct dh_stacks *s, uint32_t thread)
{
	dh_vec_grow(&s->strands, (size_t)thread + 1);
	return &s->strands.at[thread];
}

/* ---- knowledge ---- */

static bool counts(const struct dh_stacks *s, enum dh_relation r)
{
	return r == DH_WEAK || s->strict;
}

static uint32_t published(const struct dh_stacks *s, const struct dh_party *p)
{
	return p->know[DH_WEAK].published +
	       (s->strict ? p->know[DH_STRONG].published : 0);
}

/* A bounded clock is its thread's own and is changed in place: take a copy, once per
 * version. */
static struct dh_vc *copy_of(struct dh_stacks *s, const struct dh_party *p,
			     const struct dh_know *k)
{
	struct dh_strand *strand = dh_stacks_strand(s, p->id);
	if (!strand->copy || strand->copy_version != k->version) {
		dh_vc_unref(strand->copy);
		strand->copy = NULL;
		for (size_t i = k->bounded->entries.len; i > 0; i--) {
			struct dh_bounded_entry *e = &k->bounded->entries.at[i - 1];
			dh_vc_set(&strand->copy, e->slot, e->clock);
		}
		strand->copy_version = k->version;
	}
	return dh_vc_ref(strand->copy);
}

static void capture(struct dh_stacks *s, const struct dh_party *p, struct dh_vc **know)
{
	for (int r = 0; r < DH_RELATIONS; r++) {
		const struct dh_know *k = &p->know[r];
		if (!counts(s, r))
			know[r] = NULL;
		else
			know[r] = k->bounded ? copy_of(s, p, k) : dh_vc_ref(k->vc);
	}
}

static bool knows_vc(const struct dh_party *p, enum dh_relation r, const struct dh_vc *vc)
{
	if (!p->know[r].bounded)
		return dh_vc_leq(vc, p->know[r].vc);
	for (uint32_t slot = 0; vc && slot < vc->len; slot++)
		if (!dh_order_before(p, r, slot, vc->clock[slot]))
			return false;
	return true;
}

static bool knows_all(const struct dh_party *p, const struct dh_member *m)
{
	return knows_vc(p, DH_WEAK, m->know[DH_WEAK]) &&
	       knows_vc(p, DH_STRONG, m->know[DH_STRONG]);
}

static bool diverged(const struct dh_stacks *s, const struct dh_member *m)
{
	return published(s, &dh_stream_thread(s->stream, m->thread - 1)->party) !=
	       m->published;
}

static void enter(struct dh_stacks *s, struct dh_member *m, const struct dh_thread *t,
		  uint32_t frame)
{
	forget(m->know);
	capture(s, &t->party, m->know);
	m->thread = t->party.id + 1;
	m->frame = frame;
	m->published = published(s, &t->party);
}

/* ---- lists ---- */

static struct dh_link *member_link(struct dh_stacks *s, uint32_t number)
{
	return &s->at.at[number / 2].member[number % 2].link;
}

/* Enters a stack with parked accesses into the list of one of its members. */
static void list_member(struct dh_stacks *s, uint32_t stack, uint32_t place)
{
	struct dh_member *m = &s->at.at[stack].member[place];
	struct dh_strand *strand = dh_stacks_strand(s, m->thread - 1);
	uint32_t number = stack * 2 + place;
	m->link = (struct dh_link){0, strand->stacks};
	m->listed = true;
	if (strand->stacks)
		member_link(s, strand->stacks)->prev = number;
	strand->stacks = number;
}

static void unlist_member(struct dh_stacks *s, uint32_t stack, uint32_t place)
{
	struct dh_member *m = &s->at.at[stack].member[place];
	if (!m->listed)
		return;
	m->listed = false;
	if (m->link.next)
		member_link(s, m->link.next)->prev = m->link.prev;
	if (m->link.prev)
		member_link(s, m->link.prev)->next = m->link.next;
	else
		s->strands.at[m->thread - 1].stacks = m->link.next;
}

static void list_parked(struct dh_stacks *s, uint32_t number)
{
	struct dh_parked *p = &s->parked.at[number];
	struct dh_strand *strand = dh_stacks_strand(s, p->thread);
	p->listed = true;
	p->mine = (struct dh_link){0, strand->parked};
	if (strand->parked)
		s->parked.at[strand->parked].mine.prev = number;
	strand->parked = number;
	if (!p->stack)
		return;
	struct dh_stack *st = &s->at.at[p->stack];
	p->here = (struct dh_link){st->last, 0};
	if (st->last) {
		s->parked.at[st->last].here.next = number;
	} else {
		st->first = number;
		list_member(s, p->stack, 0);
		list_member(s, p->stack, 1);
	}
	st->last = number;
}

static void unlist_parked(struct dh_stacks *s, struct dh_parked *p)
{
	p->listed = false;
	if (p->mine.next)
		s->parked.at[p->mine.next].mine.prev = p->mine.prev;
	if (p->mine.prev)
		s->parked.at[p->mine.prev].mine.next = p->mine.next;
	else
		s->strands.at[p->thread].parked = p->mine.next;
	if (!p->stack)
		return;
	struct dh_stack *st = &s->at.at[p->stack];
	*(p->here.prev ? &s->parked.at[p->here.prev].here.next : &st->first) =
	    p->here.next;
	*(p->here.next ? &s->parked.at[p->here.next].here.prev : &st->last) =
	    p->here.prev;
	if (!st->first) {
		unlist_member(s, p->stack, 0);
		unlist_member(s, p->stack, 1);
	}
}

/* ---- parked accesses ---- */

uint32_t dh_stack_park(struct dh_stacks *s, uint32_t stack, const struct dh_thread *t,
		       const struct dh_recall_key *key, uint32_t generation,
		       const struct dh_access *a)
{
	uint32_t number;
	if (s->free_parked.len) {
		number = dh_vec_pop(&s->free_parked);
	} else {
		number = (uint32_t)s->parked.len;
		dh_vec_grow(&s->parked, (size_t)number + 1);
	}
	struct dh_parked *p = &s->parked.at[number];
	*p = (struct dh_parked){
	    .access = *a,
	    .key = *key,
	    .thread = t->party.id,
	    .frame = dh_stacks_frame(s, &t->party),
	    .generation = generation,
	    .lock_steps = dh_stacks_strand(s, t->party.id)->lock_steps,
	    .stack = stack,
	};
	list_parked(s, number);
	return number;
}

void dh_stacks_due(struct dh_stacks *s, uint32_t parked)
{
	unlist_parked(s, &s->parked.at[parked]);
	dh_vec_push(&s->due, parked);
}

void dh_stacks_due_mine(struct dh_stacks *s, uint32_t thread)
{
	while (s->strands.at[thread].parked)
		dh_stacks_due(s, s->strands.at[thread].parked);
}

/* The oldest parked access takes the place of a member that is about to publish. Its
 * thread knows now what it knew then. */
static void replace_member(struct dh_stacks *s, uint32_t stack, uint32_t place)
{
	unlist_member(s, stack, place);
	struct dh_stack *st = &s->at.at[stack];
	uint32_t number = st->first;
	const struct dh_parked *p = &s->parked.at[number];
	enter(s, &st->member[place], dh_stream_thread(s->stream, p->thread), p->frame);
	dh_stacks_due(s, number);
	if (st->first)
		list_member(s, stack, place);
}

void dh_stacks_due_publish(struct dh_stacks *s, uint32_t thread)
{
	dh_stacks_due_mine(s, thread);
	for (uint32_t number; (number = s->strands.at[thread].stacks) != 0;)
		replace_member(s, number / 2, number % 2);
}

void dh_stacks_unpark(struct dh_stacks *s, uint32_t parked)
{
	struct dh_parked *p = &s->parked.at[parked];
	if (p->listed)
		unlist_parked(s, p);
	dh_vec_push(&s->free_parked, parked);
}

/* ---- stacks ---- */

static uint64_t hash(const struct dh_stack_key *k, uint64_t messages)
{
	uint64_t h = dh_mix(((uint64_t)k->site << 32 | k->var) ^ messages);
	h = dh_mix(h + ((uint64_t)k->held << 32 | k->held_write));
	return h + k->write;
}

static bool same_key(const struct dh_stack_key *a, const struct dh_stack_key *b)
{
	return a->site == b->site && a->var == b->var && a->held == b->held &&
	       a->held_write == b->held_write && a->write == b->write;
}

/* The clock algorithm, as in recall.h. */
static void evict(struct dh_stacks *s)
{
	for (;;) {
		if (++s->hand >= s->at.len)
			s->hand = 1;
		struct dh_stack *st = &s->at.at[s->hand];
		if (!st->live)
			continue;
		if (!st->recent)
			break;
		st->recent = false;
	}
	struct dh_stack *st = &s->at.at[s->hand];
	while (st->first)
		dh_stacks_due(s, st->first);
	forget(st->member[0].know);
	forget(st->member[1].know);
	dh_map_remove(&s->index, st->hash);
	*st = (struct dh_stack){0};
	dh_vec_push(&s->free, s->hand);
	s->len--;
}

/* The stack of a hash, made where there is none; 0 where it has another key. */
static uint32_t find_or_make(struct dh_stacks *s, const struct dh_stack_key *key,
			     uint64_t h, size_t limit, uint64_t *evicted)
{
	uint64_t *found = dh_map_get(&s->index, h);
	if (found)
		return same_key(&s->at.at[*found].key, key) ? (uint32_t)*found : 0;
	while (s->len >= limit) {
		evict(s);
		++*evicted;
	}
	uint32_t number;
	if (s->free.len) {
		number = dh_vec_pop(&s->free);
	} else {
		number = (uint32_t)s->at.len;
		dh_vec_grow(&s->at, (size_t)number + 1);
	}
	s->at.at[number] = (struct dh_stack){.key = *key, .hash = h, .live = true};
	*dh_map_put(&s->index, h, NULL) = number;
	s->len++;
	return number;
}

/* Is the stack, or can it be made, that of these messages and generation? One whose
 * members have all diverged is as good as empty. */
static bool fits(struct dh_stacks *s, struct dh_stack *st, uint64_t messages,
		 uint32_t generation)
{
	st->recent = true;
	if (st->messages == messages && st->generation == generation)
		return true;
	for (int i = 0; st->generation == generation && i < 2; i++)
		if (st->member[i].thread && !diverged(s, &st->member[i]))
			return false;
	while (st->first)
		dh_stacks_due(s, st->first);
	for (int i = 0; i < 2; i++) {
		forget(st->member[i].know);
		st->member[i] = (struct dh_member){0};
	}
	st->messages = messages;
	st->generation = generation;
	return true;
}

uint32_t dh_stack_get(struct dh_stacks *s, const struct dh_stack_key *key,
		      uint64_t messages, uint32_t generation, size_t limit,
		      uint64_t *evicted)
{
	for (int i = 0; i < 2; i++) {
		uint64_t h = hash(key, i ? messages : 0);
		uint32_t number = find_or_make(s, key, h, limit, evicted);
		if (number && fits(s, &s->at.at[number], messages, generation))
			return number;
	}
	return 0;
}

enum dh_stack_verdict dh_stack_judge(struct dh_stacks *s, uint32_t stack,
				     const struct dh_thread *t, uint32_t frame)
{
	struct dh_member *m = s->at.at[stack].member;
	for (int i = 0; i < 2; i++) {
		if (m[i].thread != t->party.id + 1)
			continue;
		if (m[i].frame == frame)
			return DH_STACK_REPEAT;
		if (diverged(s, &m[i]))
			enter(s, &m[i], t, frame);
		return DH_STACK_NEW;
	}
	for (int i = 0; i < 2; i++) {
		if (m[i].thread && !diverged(s, &m[i]))
			continue;
		enter(s, &m[i], t, frame);
		return DH_STACK_NEW;
	}
	bool full = knows_all(&t->party, &m[0]) && knows_all(&t->party, &m[1]);
	return full ? DH_STACK_FULL : DH_STACK_NEW;
}
