/* SPDX-License-Identifier: MIT */
/* See objects.h. Objects are also listed by page, so that freeing memory that holds none
 * costs one look-up for each page. */
#include "runtime/host/objects.h"
#include "runtime/host/events.h"
#include "runtime/host/host.h"

enum { PAGE_BITS = 12, QUARANTINE = 4096 };

static uint64_t key_of(enum dh_name_kind kind, uintptr_t addr)
{
	return (uint64_t)addr << 3 | kind;
}
_Static_assert(DH_NAME_KINDS <= 8, "kinds fit three bits");

/* One that was given back long ago, or a new one. */
static uint32_t take_number(struct dh_objects *o, enum dh_name_kind kind)
{
	size_t *taken = &o->taken_again[kind];
	if (o->given_back[kind].len - *taken < QUARANTINE)
		return o->count[kind]++;
	uint32_t number = o->given_back[kind].at[(*taken)++];
	if (*taken >= QUARANTINE) { /* the list keeps to twice that */
		size_t rest = o->given_back[kind].len - *taken;
		for (size_t i = 0; i < rest; i++)
			o->given_back[kind].at[i] = o->given_back[kind].at[*taken + i];
		o->given_back[kind].len = rest;
		*taken = 0;
	}
	dh_events_renew(kind, number);
	return number;
}

/* The number is kept back for some time; what engines know of the object goes at once. */
static void give_back(struct dh_objects *o, enum dh_name_kind kind, uint32_t number)
{
	if (kind == DH_NAME_BARRIER)
		return;
	if (kind == DH_NAME_LOCK)
		o->locks.at[number] = (struct dh_held_lock){0};
	if (kind == DH_NAME_VOLATILE)
		dh_vec_free(&o->volatiles.at[number].fences);
	dh_stream_forget(dh_host.stream, kind, number);
	dh_vec_push(&o->given_back[kind], number);
}

uint32_t dh_object_new(struct dh_objects *o, enum dh_name_kind kind)
{
	uint32_t number = take_number(o, kind);
	if (kind == DH_NAME_LOCK)
		dh_vec_grow(&o->locks, (size_t)number + 1);
	if (kind == DH_NAME_VOLATILE)
		dh_vec_grow(&o->volatiles, (size_t)number + 1);
	return number;
}

static void list(struct dh_objects *o, enum dh_name_kind kind, uintptr_t addr)
{
	uint32_t place = o->unused;
	if (place) {
		o->unused = o->at.at[place - 1].next;
	} else {
		dh_vec_grow(&o->at, o->at.len + 1);
		place = (uint32_t)o->at.len;
	}
	uint64_t *first = dh_map_put(&o->pages, addr >> PAGE_BITS, NULL);
	o->at.at[place - 1] = (struct dh_object){addr, kind, (uint32_t)*first};
	*first = place;
}

uint32_t dh_object_number(struct dh_objects *o, enum dh_name_kind kind, uintptr_t addr)
{
	bool fresh;
	uint64_t *number = dh_map_put(&o->numbers, key_of(kind, addr), &fresh);
	if (fresh) {
		*number = dh_object_new(o, kind);
		list(o, kind, addr);
	}
	return (uint32_t)*number;
}

bool dh_object_find(const struct dh_objects *o, enum dh_name_kind kind, uintptr_t addr,
		    uint32_t *number)
{
	const uint64_t *have = dh_map_get(&o->numbers, key_of(kind, addr));
	if (have)
		*number = (uint32_t)*have;
	return have != NULL;
}

/* A lock that somebody has will be given back. */
static bool is_held(const struct dh_objects *o, const struct dh_object *x)
{
	uint32_t number;
	if (x->kind != DH_NAME_LOCK || !dh_object_find(o, x->kind, x->addr, &number))
		return false;
	return o->locks.at[number].writer || o->locks.at[number].readers;
}

static void forget(struct dh_objects *o, const struct dh_object *x)
{
	uint32_t number;
	if (dh_object_find(o, x->kind, x->addr, &number))
		give_back(o, x->kind, number);
	dh_map_remove(&o->numbers, key_of(x->kind, x->addr));
}

static void forget_page(struct dh_objects *o, uintptr_t page, uintptr_t addr,
			uintptr_t end)
{
	uint64_t *first = dh_map_get(&o->pages, page);
	if (!first)
		return;
	uint32_t stay = 0;
	for (uint32_t place = (uint32_t)*first, next; place; place = next) {
		struct dh_object *x = &o->at.at[place - 1];
		bool goes = x->addr >= addr && x->addr < end && !is_held(o, x);
		next = x->next;
		if (goes)
			forget(o, x);
		uint32_t *to = goes ? &o->unused : &stay;
		x->next = *to;
		*to = place;
	}
	if (stay)
		*first = stay;
	else
		dh_map_remove(&o->pages, page);
}

void dh_objects_forget(struct dh_objects *o, uintptr_t addr, size_t size)
{
	uintptr_t first = addr >> PAGE_BITS, last = (addr + size - 1) >> PAGE_BITS;
	if (last - first < o->pages.cap) {
		for (uintptr_t page = first; page <= last; page++)
			forget_page(o, page, addr, addr + size);
		return;
	}
	struct dh_vec(uintptr_t) pages = {0};
	for (size_t i = 0; i < o->pages.cap; i++) {
		uintptr_t page = o->pages.slots[i].key;
		if (o->pages.used[i] && page >= first && page <= last)
			dh_vec_push(&pages, page);
	}
	for (size_t i = 0; i < pages.len; i++)
		forget_page(o, pages.at[i], addr, addr + size);
	dh_vec_free(&pages);
}
