/* SPDX-License-Identifier: MIT */
/* The facts of a race as a message; see report.h. */
#include "runtime/evidence.h"
#include "runtime/lock_log.h"
#include "runtime/maps.h"
#include "runtime/message.h"
#include "runtime/modules.h"
#include "runtime/report.h"
#include "runtime/sync.h"

enum { MOST_ANCESTORS = 8 };

static void side(const struct dh_race_side *s)
{
	dh_message_word(s->flags);
	dh_message_word(s->address);
	dh_message_word(s->size);
	dh_message_word(s->thread ? s->thread->id : DH_WIRE_NO_THREAD);
	dh_message_stack(s->site);
}

static void thread(const struct dh_thread_info *info)
{
	size_t n = 0;
	while (n < DH_NAME_MAX && info->name[n])
		n++;
	dh_message_word(info->id);
	dh_message_word(info->parent);
	dh_message_word(info->os_id);
	dh_message_word(
	    (info->running ? DH_WIRE_RUNNING : 0) | (info->id == 0 ? DH_WIRE_MAIN : 0) |
	    (info->kind == DH_THREAD_TASK ? DH_WIRE_TASK : 0) |
	    (info->kind == DH_THREAD_REGION ? DH_WIRE_REGION : 0) |
	    (uint64_t)info->number << DH_WIRE_NUMBER_SHIFT);
	dh_message_bytes(info->name, n);
	dh_message_stack(info->created_at);
}

struct crowd {
	const struct dh_thread_info *at[6 * MOST_ANCESTORS];
	size_t len;
};

/* A thread and the ones that it comes from. */
static void gather(struct crowd *c, const struct dh_thread_info *info)
{
	for (unsigned depth = 0; info && depth < MOST_ANCESTORS; depth++) {
		for (size_t i = 0; i < c->len; i++)
			if (c->at[i] == info)
				return;
		c->at[c->len++] = info;
		info = info->id == 0 ? NULL : dh_thread_by_id(info->parent);
	}
}

static void threads(const struct dh_race_facts *f)
{
	struct crowd c = {.len = 0};
	gather(&c, f->second.thread);
	gather(&c, f->first.thread);
	gather(&c, f->stack_owner);
	gather(&c, f->local.thread);
	if (f->in_heap && f->block.alloc_site)
		gather(&c, dh_thread_by_id(f->block.alloc_thread));
	if (f->in_heap && f->block.freed)
		gather(&c, dh_thread_by_id(f->block.free_thread));
	dh_message_word(c.len);
	for (size_t i = 0; i < c.len; i++)
		thread(c.at[i]);
}

void dh_facts_pack_lock(const struct dh_held *h)
{
	char name[DH_NAME_MAX] = "";
	uint32_t made = 0;
	struct dh_sync *s = dh_sync_lock(h->lock, false);
	if (s) {
		dh_copy(name, s->name, sizeof name);
		made = s->created_at;
		dh_sync_unlock(s);
	}
	name[sizeof name - 1] = '\0';
	dh_message_word(h->lock);
	dh_message_word(h->write ? DH_WIRE_LOCK_WRITE : 0);
	dh_message_text(name);
	dh_message_stack(h->site);
	dh_message_stack(made);
}

/* The kernel has names for memory that processes share, though it is in no file. */
static bool is_file(const char *path)
{
	return *path == '/' && !dh_text_begins(path, "/dev/zero (deleted)") &&
	       !dh_text_begins(path, "/SYSV");
}

/* Memory that is none of ours, of a stack or of a module: what the kernel says of it. */
static bool mapping(uintptr_t address)
{
	struct dh_maps maps;
	struct dh_mapping at;
	bool found = false;
	if (dh_modules_find(address) || !dh_maps_open(&maps))
		return false;
	while (!found && dh_maps_next(&maps, &at))
		found = at.start <= address && address < at.end;
	if (found) {
		dh_message_word(DH_OBJECT_MAPPING);
		dh_message_word(at.start);
		dh_message_word(at.end - at.start);
		dh_message_word(at.offset);
		dh_message_text(is_file(at.path) ? at.path : "");
	}
	dh_maps_close(&maps);
	return found;
}

static void object(const struct dh_race_facts *f)
{
	const struct dh_heap_block *b = &f->block;
	if (f->in_heap) {
		dh_message_word(DH_OBJECT_HEAP);
		dh_message_word(b->base);
		dh_message_word(b->size);
		dh_message_word(b->alloc_site ? b->alloc_thread : DH_WIRE_NO_THREAD);
		dh_message_stack(b->alloc_site);
		dh_message_word(b->freed);
		dh_message_word(b->freed ? b->free_thread : DH_WIRE_NO_THREAD);
		dh_message_stack(b->freed ? b->free_site : 0);
	} else if (f->local.thread) {
		dh_message_word(DH_OBJECT_LOCAL);
		dh_message_word(f->local.thread->id);
		dh_message_word(f->local.module);
		dh_message_word(f->local.offset);
	} else if (f->stack_owner) {
		dh_message_word(DH_OBJECT_STACK);
		dh_message_word(f->stack_owner->id);
	} else if (!mapping(f->address)) {
		dh_message_word(DH_OBJECT_UNKNOWN);
	}
}

static void all_held(const struct dh_held *at, uint32_t count)
{
	dh_message_word(count);
	for (uint32_t i = 0; i < count; i++)
		dh_facts_pack_lock(&at[i]);
}

/* Of the earlier access. */
static void earlier(const struct dh_lock_log_answer *a)
{
	dh_message_word(a != NULL);
	if (!a)
		return;
	all_held(a->sure, a->sure_count);
	all_held(a->maybe, a->maybe_count);
}

void dh_facts_pack(const struct dh_race_facts *f, bool further)
{
	dh_message_begin(further ? DH_WIRE_FURTHER : DH_WIRE_RACE);
	dh_message_word(f->serial);
	dh_message_word(f->grade);
	dh_message_word(f->address);
	dh_message_word(f->size);
	side(&f->second);
	side(&f->first);
	threads(f);
	all_held(f->locks, f->lock_count);
	dh_message_word(f->locks_lost);
	earlier(f->earlier);
	dh_message_text(f->label);
	object(f);
}

static void know_stack(uint32_t site)
{
	enum { MOST = 256 };
	uint64_t kept[MOST];
	size_t depth, n = 0;
	const uint64_t *pcs = dh_message_walk(site, &depth);
	for (size_t i = 0; i < depth; i++) {
		if (pcs[i] < DH_WIRE_FOLDED)
			kept[n++] = pcs[i];
		if (n == MOST || i + 1 == depth) {
			dh_modules_know(kept, n);
			n = 0;
		}
	}
}

void dh_facts_know_modules(const struct dh_race_facts *f)
{
	know_stack(f->second.site);
	know_stack(f->first.site);
	know_stack(f->block.alloc_site);
	know_stack(f->block.free_site);
}

static void lock_counts(const struct dh_evidence_count *at)
{
	uint64_t n = 0;
	while (n < DH_EVIDENCE_MOST && at[n].count)
		n++;
	dh_message_word(n);
	for (uint64_t i = 0; i < n; i++) {
		dh_message_word(at[i].count);
		dh_facts_pack_lock(
		    &(struct dh_held){.lock = (uintptr_t)at[i].what, .write = true});
	}
}

static void steps(const struct dh_evidence_count *at)
{
	uint64_t n = 0;
	while (n < DH_EVIDENCE_MOST && at[n].count)
		n++;
	dh_message_word(n);
	for (uint64_t i = 0; i < n; i++) {
		dh_message_word(at[i].count);
		dh_message_word((uint64_t)at[i].what);
	}
}

void dh_facts_pack_evidence(const struct dh_evidence *e)
{
	const struct dh_evidence_facts *f = &e->facts;
	const uint64_t numbers[] = {
	    e->serial,
	    f->granule + (unsigned)__builtin_ctz(f->mask),
	    !f->full,
	    (uint64_t)(32 - __builtin_clz(f->mask) - __builtin_ctz(f->mask)),
	    f->accesses,
	    f->reads,
	    f->writes,
	    f->atomics,
	    f->thread_count,
	    f->read_then_write,
	    f->unlocked,
	    f->same_value,
	    f->other_steps,
	    e->at_first,
	    e->at_second,
	};
	dh_message_begin(DH_WIRE_EVIDENCE);
	for (size_t i = 0; i < DH_ARRAY_LEN(numbers); i++)
		dh_message_word(numbers[i]);
	lock_counts(f->locks);
	steps(f->steps);
}
