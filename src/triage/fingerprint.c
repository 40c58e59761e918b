/* SPDX-License-Identifier: MIT */
/*
 * See fingerprint.h. The identity is a text, which is then hashed: two functions in the
 * order of the alphabet, and the object. Lines, columns, addresses, threads, whether it
 * was read or written, and the callers have no part in it. Version 1: fingerprints stand
 * in baselines and suppressions, so what goes in here does not change under this number.
 */
#include "triage/fingerprint.h"
#include "triage/names.h"
#include "triage/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 1 };

static void side(const struct dh_finding_access *a, struct dh_name *to)
{
	uint32_t own = dh_stack_own(a->stack, 0);
	to->len = 0;
	to->text[0] = '\0';
	if (own < a->stack->len && !a->stack->at[own]->lost)
		dh_name_frame(a->stack->at[own], to);
}

/* A recorder may have had nothing better than the address. */
static bool is_address(const char *name)
{
	return name[0] == '0' && name[1] == 'x' && name[2] &&
	       name[2 + strspn(name + 2, "0123456789abcdef")] == '\0';
}

void dh_fingerprint_object(const struct dh_finding_object *o,
			   struct dh_fingerprint_object *to)
{
	static const char *const kinds[] = {
	    [DH_KIND_UNKNOWN] = "unknown", [DH_KIND_GLOBAL] = "global",
	    [DH_KIND_HEAP] = "heap",	   [DH_KIND_STACK] = "stack",
	    [DH_KIND_VARIABLE] = "global",
	};
	const struct dh_finding_frame *maker;
	to->named = true;
	to->kind = kinds[o->kind];
	to->name.len = 0;
	to->name.text[0] = '\0';
	if (o->label) {
		to->kind = "label";
		to->name.len = strnlen(o->label, DH_NAME_MAX - 1);
		memcpy(to->name.text, o->label, to->name.len);
		to->name.text[to->name.len] = '\0';
	} else if (o->kind == DH_KIND_GLOBAL ||
		   (o->kind == DH_KIND_VARIABLE && !is_address(o->variable.name))) {
		dh_name_variable(o->variable.name, o->variable.part, &to->name);
	} else {
		to->named = false;
		maker = o->kind == DH_KIND_HEAP ? dh_stack_allocator(o->allocated) : NULL;
		if (maker)
			dh_name_frame(maker, &to->name);
	}
}

uint64_t dh_fingerprint(const struct dh_finding *f)
{
	struct dh_name one, two, *a = &one, *b = &two;
	struct dh_fingerprint_object object;
	side(&f->first, &one);
	side(&f->second, &two);
	if (strcmp(one.text, two.text) > 0)
		a = &two, b = &one;
	dh_fingerprint_object(&f->object, &object);
	uint64_t h = dh_pool_hash(VERSION, a->text, a->len);
	h = dh_pool_hash(h, b->text, b->len);
	h = dh_pool_hash(h, object.kind, strlen(object.kind));
	return dh_pool_hash(h, object.name.text, object.name.len);
}

void dh_fingerprints(const struct dh_finding *f,
		     void (*tell)(uint64_t fingerprint, enum dh_grade grade, void *with),
		     void *with)
{
	struct dh_finding_place places[DH_FINDING_MOST];
	size_t len = f->further ? dh_finding_places(f, places) : 0;
	for (const struct dh_finding *r = f; r; r = r->further)
		tell(dh_fingerprint(r), r->grade, with);
	for (size_t i = 0; i < len; i++)
		for (size_t k = 0; k <= i; k++) {
			struct dh_finding pair = {.has_first = true,
						  .first = *places[k].access,
						  .second = *places[i].access,
						  .object = f->object};
			tell(dh_fingerprint(&pair), places[i].race->grade, with);
		}
}

struct dh_fingerprint_text dh_fingerprint_text(uint64_t fingerprint)
{
	struct dh_fingerprint_text t;
	snprintf(t.text, sizeof t.text, "%016" PRIx64, fingerprint);
	return t;
}
