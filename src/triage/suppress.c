/* SPDX-License-Identifier: MIT */
/* See suppress.h. Reading is in suppress_read.c. */
#define _GNU_SOURCE
#include "triage/suppress.h"
#include "base/glob.h"
#include "triage/fingerprint.h"
#include "triage/suppress_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static bool part_of(const char *pattern, const char *text)
{
	return text && dh_glob(pattern, strlen(pattern), text, false);
}

static bool equals(const char *pattern, const char *text)
{
	return text && dh_glob(pattern, strlen(pattern), text, true);
}

/* Does one text after the other match as a whole? */
static bool equals_both(const char *pattern, const char *a, const char *b)
{
	if (!a || !b)
		return false;
	char *both;
	if (asprintf(&both, "%s%s", a, b) < 0)
		DH_CHECK(!"out of memory");
	bool found = equals(pattern, both);
	free(both);
	return found;
}

/* A function's name with its parameters, or without. */
static bool names_function(const char *pattern, const char *function)
{
	const char *open = function ? strchr(function, '(') : NULL;
	if (!open || equals(pattern, function))
		return equals(pattern, function);
	char *bare = strndup(function, (size_t)(open - function));
	bool found = equals(pattern, bare);
	free(bare);
	return found;
}

/* ---- what a rule looks at ---- */

static bool in_frame(const char *pattern, const struct dh_finding_frame *f)
{
	return part_of(pattern, f->function) || part_of(pattern, f->file) ||
	       part_of(pattern, f->module);
}

static bool in_stack(const char *pattern, const struct dh_finding_stack *s)
{
	for (uint32_t i = 0; s && i < s->len; i++)
		if (in_frame(pattern, s->at[i]))
			return true;
	return false;
}

static bool on_top(const char *pattern, const struct dh_finding_stack *s)
{
	return s->len && in_frame(pattern, s->at[0]);
}

static bool by_race(const struct dh_rule *r, const struct dh_finding *f)
{
	if (in_stack(r->pattern, f->second.stack) ||
	    (f->has_first && in_stack(r->pattern, f->first.stack)))
		return true;
	for (size_t i = 0; i < f->threads_len; i++)
		if (in_stack(r->pattern, f->threads[i].created))
			return true;
	return f->object.kind == DH_KIND_GLOBAL &&
	       part_of(r->pattern, f->object.variable.name);
}

static bool by_race_top(const struct dh_rule *r, const struct dh_finding *f)
{
	return on_top(r->pattern, f->second.stack) ||
	       (f->has_first && on_top(r->pattern, f->first.stack));
}

/* The function of the access, its file, or the file's last name. */
static bool is_at(const char *pattern, const struct dh_finding_stack *s)
{
	if (!s->len)
		return false;
	const char *file = s->at[0]->file, *slash = file ? strrchr(file, '/') : NULL;
	return names_function(pattern, s->at[0]->function) || equals(pattern, file) ||
	       (slash && equals(pattern, slash + 1));
}

static bool by_pair(const struct dh_rule *r, const struct dh_finding *f)
{
	const struct dh_finding_stack *a = f->second.stack, *b = f->first.stack;
	return f->has_first && ((is_at(r->pattern, a) && is_at(r->other, b)) ||
				(is_at(r->pattern, b) && is_at(r->other, a)));
}

static bool by_variable(const struct dh_rule *r, const struct dh_finding *f)
{
	const struct dh_finding_variable *v = &f->object.variable;
	return equals(r->pattern, f->object.label) || equals(r->pattern, v->name) ||
	       equals_both(r->pattern, v->name, v->part);
}

static bool by_field(const struct dh_rule *r, const struct dh_finding *f)
{
	return equals(r->pattern, f->object.variable.field);
}

static bool by_allocation(const struct dh_rule *r, const struct dh_finding *f)
{
	const struct dh_finding_stack *s = f->object.allocated;
	for (uint32_t i = 0; s && i < s->len; i++)
		if (names_function(r->pattern, s->at[i]->function))
			return true;
	return false;
}

static bool among(const char *pattern, const struct dh_finding_locks *l)
{
	for (size_t i = 0; i < l->len; i++)
		if (equals(pattern, l->at[i].name) ||
		    (l->at[i].global && equals(pattern, l->at[i].global->name)))
			return true;
	return false;
}

static bool by_lock(const struct dh_rule *r, const struct dh_finding *f)
{
	return among(r->pattern, &f->second.locks) || among(r->pattern, &f->first.locks);
}

static bool by_thread_name(const struct dh_rule *r, const struct dh_finding *f)
{
	const struct dh_finding_thread *a = f->second.thread, *b = f->first.thread;
	return (a && equals(r->pattern, a->name)) || (b && equals(r->pattern, b->name));
}

static bool by_fingerprint(const struct dh_rule *r, const struct dh_finding *f)
{
	return equals(r->pattern, dh_fingerprint_text(dh_fingerprint(f)).text);
}

static bool never(const struct dh_rule *r, const struct dh_finding *f)
{
	(void)r, (void)f;
	return false;
}

static const char only_races[] = "only data races are reported";

const struct dh_rule_kind dh_rule_kinds[] = {
    {"race", by_race, NULL},
    {"race_top", by_race_top, NULL},
    {"called_from_lib", never, NULL},
    {"thread", never, only_races},
    {"mutex", never, only_races},
    {"signal", never, only_races},
    {"deadlock", never, only_races},
    {"pair", by_pair, NULL},
    {"variable", by_variable, NULL},
    {"field", by_field, NULL},
    {"allocated", by_allocation, NULL},
    {"lock", by_lock, NULL},
    {"thread_name", by_thread_name, NULL},
    {"fingerprint", by_fingerprint, NULL},
};
const size_t dh_rule_kind_count = DH_ARRAY_LEN(dh_rule_kinds);

/* ---- matching ---- */

const struct dh_suppress_rule *dh_suppress_match(struct dh_suppressions *s,
						 const struct dh_finding *f)
{
	for (size_t i = 0; i < s->rules.len; i++) {
		struct dh_rule *r = &s->rules.at[i];
		if (!r->kind->matches(r, f))
			continue;
		r->shown.used++;
		return &r->shown;
	}
	return NULL;
}

size_t dh_suppress_count(const struct dh_suppressions *s)
{
	return s->rules.len;
}

const struct dh_suppress_rule *dh_suppress_at(const struct dh_suppressions *s, size_t i)
{
	return &s->rules.at[i].shown;
}

/* ---- suggesting ---- */

/* Without the parameters, which are part of no name. */
static void put_name(const char *name, FILE *to)
{
	fwrite(name, 1, strcspn(name, "(\n\r"), to);
}

static void put_rule(const struct dh_finding *f, FILE *to)
{
	const struct dh_finding_stack *a = f->first.stack, *b = f->second.stack;
	const struct dh_finding_variable *v = &f->object.variable;
	if (f->has_first && a->len && b->len && a->at[0]->function &&
	    b->at[0]->function) {
		fputs("pair:", to);
		put_name(a->at[0]->function, to);
		fputs("<->", to);
		put_name(b->at[0]->function, to);
	} else if (v->name) {
		fprintf(to, "variable:%s%s", v->name, v->part ? v->part : "");
	} else {
		fprintf(to, "fingerprint:%s",
			dh_fingerprint_text(dh_fingerprint(f)).text);
	}
	fputc('\n', to);
}

void dh_suppress_suggest(const struct dh_finding *f, struct dh_map *seen, FILE *to)
{
	char *line = NULL;
	size_t len = 0;
	bool fresh;
	FILE *memory = open_memstream(&line, &len);
	if (!memory)
		return;
	put_rule(f, memory);
	fclose(memory);
	uint64_t hash = len;
	for (size_t i = 0; i < len; i++)
		hash = dh_mix(hash ^ (unsigned char)line[i]);
	dh_map_put(seen, hash, &fresh);
	if (fresh)
		fwrite(line, 1, len, to);
	free(line);
}
