/* SPDX-License-Identifier: MIT */
/* An aligned access through all steps that an entry point takes (runtime/aligned.h). */
#ifndef TESTS_RUNTIME_STEPS_H
#define TESTS_RUNTIME_STEPS_H

#include "runtime/fine.h"
#include "runtime/over.h"
#include "runtime/recalled.h"
#include "runtime/two_granules.h"

DH_INLINE void all_steps(uintptr_t addr, unsigned size, bool write, uint64_t pc)
{
	struct dh_seen s = {0};
	enum dh_sight sight = dh_access_glance(addr, size, write, &s);
	bool done = sight == DH_SIGHT_REPEAT;
	if (sight == DH_SIGHT_WHOLE && size == DH_GRANULE && !write && dh_set_recent(s.read))
		done = dh_read_met(&s);
	else if (sight == DH_SIGHT_WHOLE && size == DH_GRANULE && dh_recalls(dh_thread_self()))
		done = write ? dh_write_recalled(addr, pc, &s) : dh_read_recalled(addr, pc, &s);
	uint32_t site = 0;
	if (!done && sight == DH_SIGHT_WHOLE && dh_is_more(&s, size, write))
		done = write ? dh_write_over(addr, dh_mask_of(addr, size), true, &site, pc, &s)
			     : dh_read_over(addr, dh_mask_of(addr, size), true, &site, pc, &s);
	if (!done && sight == DH_SIGHT_WHOLE)
		done = dh_access_simply(addr, size, write, pc, &s);
	else if (sight == DH_SIGHT_FINE)
		done = write ? dh_fine_write(addr, size, pc, &s)
			     : dh_fine_read(addr, size, pc, &s);
	if (!done && sight == DH_SIGHT_WHOLE && size < DH_GRANULE) {
		const unsigned mask = dh_mask_of(addr, size);
		done = write ? dh_write_over(addr, mask, false, &site, pc, &s)
			     : dh_read_over(addr, mask, false, &site, pc, &s);
	}
	if (!done && write && sight == DH_SIGHT_WHOLE)
		done = dh_write_after(addr, dh_mask_of(addr, size), &site, pc, &s);
	else if (!done && !write && s.granule && size == DH_GRANULE) {
		done = (sight == DH_SIGHT_SEVERAL && dh_set_recent(s.read)) ||
		       dh_set_met(dh_thread_base(), s.read) ||
		       (sight == DH_SIGHT_SEVERAL && !dh_sets_is_set(s.read) &&
			dh_cell_known(dh_thread_base(), s.c, s.read));
		s.write = DH_LOAD(&s.c->write);
		done = done || dh_read_recalled(addr, pc, &s) ||
		       dh_read_beside(addr, DH_WHOLE, pc, &s);
	} else if (!done && !write && s.granule && sight == DH_SIGHT_SEVERAL &&
		   dh_sets_tags(s.read)) {
		const unsigned mask = dh_mask_of(addr, size);
		s.c = s.granule;
		s.write = DH_LOAD(&s.c->write);
		done = dh_set_known(dh_thread_base(), s.read, mask) ||
		       (!dh_record_is_tag(s.write) &&
			(dh_some_recalled(addr, mask, pc, &s) ||
			 dh_read_beside(addr, mask, pc, &s)));
	}
	if (!done && !write && sight == DH_SIGHT_SEVERAL)
		done = dh_access_in_lane(addr, size, s.granule);
	if (!done && (sight == DH_SIGHT_SEVERAL || dh_record_is_tag(s.write)))
		done = dh_access_among_several(addr, size, write, pc, s.granule);
	if (done)
		return;
	while (!dh_access_first(addr, size, write, pc, s.granule) &&
	       dh_access_unsited(addr, size, write, pc))
		;
}

/* The same for 16 bytes: two granules. */
DH_INLINE void all_steps_of_two(uintptr_t addr, bool write, uint64_t pc)
{
	struct dh_self *t = dh_thread_base();
	struct dh_seen_two s = {0};
	uint32_t site = 0;
	enum dh_sight sight = dh_two_glance(addr, write, &s);
	if (sight == DH_SIGHT_REPEAT)
		return;
	if (sight == DH_SIGHT_SEVERAL && !write && (dh_two_recent(&s) || dh_two_known(&s)))
		return;
	bool plain = t->simply && !t->alike, simple = plain && sight == DH_SIGHT_WHOLE;
	if (simple && (write ? dh_two_after(t, addr, pc, &s) : dh_two_read(t, addr, pc, &s)))
		return;
	if (plain && sight != DH_SIGHT_NONE && !write && dh_two_beside(t, addr, pc, &s))
		return;
	for (unsigned i = 0; i < 2; i++)
		if (!simple ||
		    !dh_one_simply(t, addr + i * 8, write, pc, s.c + i, s.word[i], &site))
			all_steps(addr + i * 8, 8, write, pc);
}

#endif
