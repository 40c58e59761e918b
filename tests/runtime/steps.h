/* SPDX-License-Identifier: MIT */
/* An aligned access through all steps that an entry point takes (runtime/aligned.h). */
#ifndef TESTS_RUNTIME_STEPS_H
#define TESTS_RUNTIME_STEPS_H

#include "runtime/aligned.h"

DH_INLINE void all_steps(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	struct dh_cell *c;
	if (dh_access_repeats(addr, size, write, &c))
		return;
	enum dh_glance g = c ? dh_access_there(addr, size, write, c) : DH_GLANCE_FIRST;
	if (g == DH_GLANCE_FIRST ? c && dh_access_simply(addr, size, write, pc, c)
				 : dh_access_among_several(addr, size, write, pc, c))
		return;
	while (!dh_access_first(addr, size, write, pc, c) &&
	       dh_access_unsited(addr, size, write, pc))
		;
}

#endif
