/* SPDX-License-Identifier: MIT */
/* The ELF file of a module: opening it, and what kind it is. */
#include "report/symbols_internal.h"
#include "report/unpacked.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static bool is_system(const char *path)
{
	static const char *const folders[] = {"/lib/",	   "/lib32/",	  "/lib64/",
					      "/usr/lib/", "/usr/lib32/", "/usr/lib64/"};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

/* Instrumented code calls __tsan_func_entry; a module that defines it is a runtime. */
static enum dh_module_kind kind_by_symbols(Elf *elf, Elf_Scn *section,
					   enum dh_module_kind kind)
{
	GElf_Shdr header;
	Elf_Data *data = elf_getdata(section, NULL);
	if (!data || !gelf_getshdr(section, &header) || !header.sh_entsize)
		return kind;
	for (int i = 0; i < (int)(header.sh_size / header.sh_entsize); i++) {
		GElf_Sym sym;
		if (!gelf_getsym(data, i, &sym))
			break;
		const char *name = elf_strptr(elf, header.sh_link, sym.st_name);
		if (!name || strncmp(name, "__tsan_", 7) != 0)
			continue;
		if (strcmp(name, "__tsan_func_entry") != 0 &&
		    strcmp(name, "__tsan_init") != 0)
			continue;
		return sym.st_shndx == SHN_UNDEF ? DH_MODULE_INSTRUMENTED
						 : DH_MODULE_RUNTIME;
	}
	return kind;
}

static enum dh_module_kind kind_of(const struct dh_symbol_module *m)
{
	GElf_Addr bias;
	Elf *elf = m->module ? dwfl_module_getelf(m->module, &bias) : NULL;
	enum dh_module_kind kind =
	    is_system(m->path) ? DH_MODULE_SYSTEM : DH_MODULE_PLAIN;
	if (!elf)
		return DH_MODULE_UNREADABLE;
	for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
		GElf_Shdr header;
		if (gelf_getshdr(s, &header) && header.sh_type == SHT_DYNSYM)
			kind = kind_by_symbols(elf, s, kind);
	}
	return kind;
}

void dh_module_open(struct dh_symbol_module *m)
{
	if (m->opened)
		return;
	m->opened = true;
	m->kind = DH_MODULE_UNREADABLE;
	int fd = open(m->path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		fd = dh_unpacked(fd);
	if (fd < 0 || !(m->dwfl = dwfl_begin(&callbacks))) {
		if (fd >= 0)
			close(fd);
		return;
	}
	dwfl_report_begin(m->dwfl);
	m->module = dwfl_report_elf(m->dwfl, m->path, m->path, fd, m->start, false);
	dwfl_report_end(m->dwfl, NULL, NULL);
	if (!m->module) {
		close(fd);
		return;
	}
	Dwarf_Addr start, end;
	dwfl_module_info(m->module, NULL, &start, &end, NULL, NULL, NULL, NULL);
	m->end = end > m->end ? end : m->end;
	m->kind = kind_of(m);
}

void dh_module_open_debug(struct dh_symbol_module *m)
{
	dh_module_open(m);
	if (m->opened_debug || !m->module)
		return;
	m->opened_debug = true;
	m->dwarf = dwfl_module_getdwarf(m->module, &m->bias);
}

Dwarf_Die dh_module_whole_unit(Dwarf_Die unit)
{
	Dwarf_Die split;
	uint8_t type;
	if (dwarf_cu_info(unit.cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
	    type == DW_UT_skeleton && split.cu)
		return split;
	return unit;
}

void dh_module_close(struct dh_symbol_module *m)
{
	dh_units_free(m);
	dh_vec_free(&m->variables);
	dh_vec_free(&m->locals);
	if (m->dwfl)
		dwfl_end(m->dwfl);
}
