/* SPDX-License-Identifier: MIT */
/* See untracked.h. */
#include "runtime/untracked.h"
#include "runtime/environment.h"
#include "runtime/modules.h"
#include "runtime/text.h"

struct range {
	uint64_t start, end;
	uint32_t module; /* in paths */
	bool code;
};

static struct dh_vec(struct range) ranges; /* fixed after the start */
static struct dh_vec(char *) paths;
static uint64_t hits; /* atomic */

/* ---- reading ---- */

static uint64_t hex(const char **at)
{
	uint64_t n = 0;
	for (;; ++*at) {
		char c = **at;
		if (c >= '0' && c <= '9')
			n = n << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n << 4 | (uint64_t)(c - 'a' + 10);
		else
			return n;
	}
}

static void take_path(const char *at, const char *end)
{
	size_t n = (size_t)(end - at);
	char *copy = dh_mem_alloc(n + 1);
	dh_copy(copy, at, n);
	dh_vec_push(&paths, copy);
}

/* "c 1f00 1f80" */
static void take_range(const char *at)
{
	struct range r = {.code = *at == 'c', .module = (uint32_t)paths.len - 1};
	at += 2;
	r.start = hex(&at);
	at += *at == ' ';
	r.end = hex(&at);
	dh_vec_push(&ranges, r);
}

void dh_untracked_init(void)
{
	const char *at = dh_environment_get("DEADHEAT_UNTRACKED");
	while (at && *at) {
		const char *end = at;
		while (*end && *end != '\n')
			end++;
		if (*at == '/')
			take_path(at, end);
		else if ((*at == 'c' || *at == 'd') && end - at > 2 && paths.len)
			take_range(at);
		at = *end ? end + 1 : end;
	}
}

/* ---- asking ---- */

/* A module's data may reach beyond what is mapped from its file. */
static bool covers(const struct range *r, const struct dh_module *m, uint64_t address)
{
	uint64_t from = address - m->segments.at[0].start;
	return r->start <= from && from < r->end &&
	       dh_text_same(m->path, paths.at[r->module]);
}

static bool any_covers(uint64_t address, bool code)
{
	for (uint32_t i = 0; i < dh_modules_count(); i++)
		for (size_t k = 0; k < ranges.len; k++)
			if (ranges.at[k].code == code &&
			    covers(&ranges.at[k], dh_modules_at(i), address))
				return true;
	return false;
}

/* An access is before the place that its call returns to. */
bool dh_untracked(uintptr_t address, uint64_t pc, uint64_t other_pc)
{
	if (DH_LIKELY(!ranges.len))
		return false;
	dh_modules_know((const uint64_t[]){pc, other_pc}, 2);
	bool yes = any_covers(address, false) || any_covers(pc - 1, true) ||
		   any_covers(other_pc - 1, true);
	__atomic_fetch_add(&hits, yes, __ATOMIC_RELAXED);
	return yes;
}

uint64_t dh_untracked_hits(void)
{
	return __atomic_load_n(&hits, __ATOMIC_RELAXED);
}
