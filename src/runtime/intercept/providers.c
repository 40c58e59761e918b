/* SPDX-License-Identifier: MIT */
/*
 * See providers.h. The hash table of a module, in words of 32 bits but for the filter:
 *
 *   buckets, first symbol, words of the filter, shift;
 *   filter   a word of 64 bits with two bits set for each name
 *   bucket   the first symbol of a hash value, by its remainder; 0: none
 *   chain    by symbol from the first on: its hash value, the lowest bit set at the end
 */
#define _GNU_SOURCE
#include "runtime/intercept/providers.h"
#include "runtime/dynamic.h"
#include "runtime/text.h"

static bool hash_has(const struct dh_provider *p, const char *name, uint32_t hash)
{
	uint32_t buckets = p->hash[0], first = p->hash[1], words = p->hash[2];
	const uint64_t *filter = (const uint64_t *)(p->hash + 4);
	const uint32_t *bucket = (const uint32_t *)(filter + words);
	const uint32_t *chain = bucket + buckets;
	if (!buckets || !words)
		return false;
	uint64_t bits = (uint64_t)1 << hash % 64 | (uint64_t)1
						       << (hash >> p->hash[3]) % 64;
	uint32_t at = bucket[hash % buckets];
	if ((filter[hash / 64 % words] & bits) != bits || at < first)
		return false;
	for (;; at++) {
		const ElfW(Sym) *s = (const ElfW(Sym) *)p->symbols + at;
		if ((chain[at - first] | 1) == (hash | 1) && s->st_shndx != SHN_UNDEF &&
		    dh_text_same(p->names + s->st_name, name))
			return true;
		if (chain[at - first] & 1)
			return false;
	}
}

static bool known_to_have(const struct dh_providers *p, const char *name)
{
	uint32_t hash = 5381;
	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	for (uint32_t i = 0; i < p->count; i++)
		if (hash_has(&p->at[i], name, hash))
			return true;
	return false;
}

bool dh_providers_have(const struct dh_providers *p, const char *name)
{
	return !p->all || known_to_have(p, name);
}

static struct dh_provider provider_of(const struct dl_phdr_info *m)
{
	struct dh_provider made = {0};
	const ElfW(Dyn) *d = dh_dynamic_of(m);
	for (; d && d->d_tag != DT_NULL; d++) {
		uintptr_t at = dh_dynamic_place(m, d->d_un.d_ptr);
		if (d->d_tag == DT_GNU_HASH)
			made.hash = (const uint32_t *)at;
		else if (d->d_tag == DT_SYMTAB)
			made.symbols = (const void *)at;
		else if (d->d_tag == DT_STRTAB)
			made.names = (const char *)at;
	}
	return made;
}

/* The search goes on behind this library; where it was loaded late, for a plug-in, the
 * C library stands before it and is searched all the same. */
static int look_at(struct dl_phdr_info *m, DH_UNUSED size_t size, void *context)
{
	struct dh_providers *p = context;
	if (dh_dynamic_covers(m, (uintptr_t)&dh_providers_list)) {
		if (!known_to_have(p, "__libc_start_main")) {
			p->count = 0;
			p->all = true;
		}
		return 0;
	}
	struct dh_provider next = provider_of(m);
	if (p->count == DH_PROVIDERS_MOST || !next.hash || !next.symbols || !next.names)
		p->all = false;
	else
		p->at[p->count++] = next;
	return 0;
}

void dh_providers_list(struct dh_providers *out)
{
	out->count = 0;
	out->all = true;
	dl_iterate_phdr(look_at, out);
}
