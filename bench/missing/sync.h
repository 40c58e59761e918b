/* SPDX-License-Identifier: MIT */
/* Synchronisation of a library's own making, for programs.c. */
#ifndef BENCH_MISSING_SYNC_H
#define BENCH_MISSING_SYNC_H

struct flag {
	int set;
};
void flag_set(struct flag *f);
void flag_wait(struct flag *f);

struct latch {
	int left;
};
void latch_arrive(struct latch *l);
void latch_wait(struct latch *l);

struct ticket {
	unsigned next, serving;
};
void ticket_lock(struct ticket *t);
void ticket_unlock(struct ticket *t);

struct mailbox {
	int full, value;
};
void mailbox_put(struct mailbox *m, int value);
int mailbox_get(struct mailbox *m);

/* Nonzero: the caller is to do it, and say so. */
struct once {
	int state;
};
int once_begin(struct once *o);
void once_done(struct once *o);

/* No synchronisation: something large that is handed to the library again and again. */
struct chain {
	struct chain *next, *mark;
	int value;
	char text[1000];
};
int chain_sum(const struct chain *c);

#endif
