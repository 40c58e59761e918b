/* SPDX-License-Identifier: MIT */
/*
 * Reads that more than one write could serve, because values are equal. Which of them it
 * will be is left to the schedule; but what all of them have before them, the read has
 * before it, too. So a flag that goes from 0 to 1 and back puts its two threads in turns.
 *
 * For saturate.h alone, whose orders it looks at; not for concurrent use with the same
 * saturator. Allocates nothing.
 */
#ifndef DH_PREDICT_CHOICES_H
#define DH_PREDICT_CHOICES_H

#include "predict/saturate.h"

/* Writes of the variable times threads; with more it takes too long. */
enum { DH_CHOICE_WORK_MAX = 8192 };

struct dh_choice {
	uint32_t count; /* of what can be the last write before the read: 0, 1, or 2 for
			   more; what was there before the window counts as one */
	uint32_t write; /* one of them, or DH_NONE */
};

/* What the read, an event of the cut, can get its value from in a schedule with the race,
 * as far as x knows. x->meet becomes, for each thread, how many of its events come before
 * the read whichever it is. */
struct dh_choice dh_choice_of(const struct dh_saturator *x, uint32_t read);

#endif
