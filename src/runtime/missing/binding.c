/* SPDX-License-Identifier: MIT */
/* See binding.h. */
#define _GNU_SOURCE
#include "runtime/missing/binding.h"
#include <dlfcn.h>
#include "runtime/intercept/real.h"

DH_REAL_WANT(dlopen);
DH_REAL_WANT(dlclose);

static void take(struct dh_binding *b, const ElfW(Dyn) * d)
{
	uintptr_t at = dh_dynamic_place(b->module, d->d_un.d_ptr);
	switch (d->d_tag) {
	case DT_SYMTAB:
		b->symbols = (const ElfW(Sym) *)at;
		break;
	case DT_STRTAB:
		b->names = (const char *)at;
		break;
	case DT_RELA:
		b->plain = (const ElfW(Rela) *)at;
		break;
	case DT_RELASZ:
		b->plains = d->d_un.d_val / sizeof *b->plain;
		break;
	case DT_JMPREL:
		b->call = (const ElfW(Rela) *)at;
		break;
	case DT_PLTRELSZ:
		b->calls = d->d_un.d_val / sizeof *b->call;
		break;
	case DT_VERSYM:
		b->versions = (const uint16_t *)at;
		break;
	case DT_VERNEED:
		b->needed = (const ElfW(Verneed) *)at;
		break;
	case DT_VERNEEDNUM:
		b->needed_count = d->d_un.d_val;
		break;
	}
}

bool dh_binding_of(const struct dl_phdr_info *m, struct dh_binding *out)
{
	*out = (struct dh_binding){.module = m};
	const ElfW(Dyn) *d = dh_dynamic_of(m);
	for (; d && d->d_tag != DT_NULL; d++)
		take(out, d);
	out->calls = out->call ? out->calls : 0;
	out->plains = out->plain ? out->plains : 0;
	return out->symbols && out->names;
}

const char *dh_binding_name(const struct dh_binding *b, const ElfW(Rela) * r)
{
#if defined(__x86_64__)
	enum { CALL = R_X86_64_JUMP_SLOT, PLAIN = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
	enum { CALL = R_AARCH64_JUMP_SLOT, PLAIN = R_AARCH64_GLOB_DAT };
#endif
	unsigned type = (unsigned)ELF64_R_TYPE(r->r_info);
	if (type != CALL && type != PLAIN)
		return NULL;
	const char *name = b->names + b->symbols[ELF64_R_SYM(r->r_info)].st_name;
	return *name ? name : NULL;
}

/* The version of a symbol that the module was linked against, or NULL. */
static const char *version_of(const struct dh_binding *b, size_t symbol)
{
	enum { HIDDEN = 0x8000, FIRST = 2 };
	unsigned wanted = b->versions ? b->versions[symbol] & ~(unsigned)HIDDEN : 0;
	const ElfW(Verneed) *n = wanted >= FIRST ? b->needed : NULL;
	for (size_t i = 0; n && i < b->needed_count; i++) {
		const ElfW(Vernaux) *a =
		    (const ElfW(Vernaux) *)((const char *)n + n->vn_aux);
		for (unsigned k = 0; k < n->vn_cnt; k++) {
			if (a->vna_other == wanted)
				return b->names + a->vna_name;
			a = (const ElfW(Vernaux) *)((const char *)a + a->vna_next);
		}
		n = (const ElfW(Verneed) *)((const char *)n + n->vn_next);
	}
	return NULL;
}

static uintptr_t look_in(void *where, const char *name, const char *version)
{
	void *found = version ? dlvsym(where, name, version) : dlsym(where, name);
	if (!found)
		dlerror(); /* else the program would find our error there */
	return (uintptr_t)found;
}

/* In the module itself, or what it asked the loader to load, but it is not in the scope
 * of all. */
static uintptr_t look_behind(const struct dh_binding *b, const char *name,
			     const char *version)
{
	const char *path = b->module->dlpi_name;
	void *m = *path ? DH_REAL(dlopen)(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (!m)
		return 0;
	uintptr_t found = look_in(m, name, version);
	DH_REAL(dlclose)(m);
	return found;
}

/* As the loader would at the first call. A program that was linked to be at a fixed
 * address may have the address of a function within itself, where it jumps through the
 * same slot: then the function is another one of the name. */
static uintptr_t look_up(const struct dh_binding *b, size_t symbol)
{
	const char *name = b->names + b->symbols[symbol].st_name;
	const char *version = version_of(b, symbol);
	uintptr_t found = look_in(RTLD_DEFAULT, name, version);
	if (found && dh_dynamic_covers(b->module, found))
		found = look_in(RTLD_NEXT, name, version);
	return found ? found : look_behind(b, name, version);
}

uintptr_t dh_binding_function(const struct dh_binding *b, const ElfW(Rela) * r,
			      uintptr_t value)
{
	size_t symbol = ELF64_R_SYM(r->r_info);
	if (!value)
		return 0;
	if (dh_dynamic_covers(b->module, value)) {
		if (b->symbols[symbol].st_shndx != SHN_UNDEF)
			return 0;
		value = look_up(b, symbol);
	}
	return value && !dh_dynamic_covers(b->module, value) ? value : 0;
}
