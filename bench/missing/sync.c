/* SPDX-License-Identifier: MIT */
/* See sync.h. Built with race detection, or without: then its inside is missing. */
#include "sync.h"

#include <sched.h>

static int load(int *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static void store(int *at, int value)
{
	__atomic_store_n(at, value, __ATOMIC_RELEASE);
}

void flag_set(struct flag *f)
{
	store(&f->set, 1);
}

void flag_wait(struct flag *f)
{
	while (!load(&f->set))
		sched_yield();
}

void latch_arrive(struct latch *l)
{
	__atomic_fetch_sub(&l->left, 1, __ATOMIC_ACQ_REL);
}

void latch_wait(struct latch *l)
{
	while (load(&l->left) > 0)
		sched_yield();
}

void ticket_lock(struct ticket *t)
{
	unsigned mine = __atomic_fetch_add(&t->next, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&t->serving, __ATOMIC_ACQUIRE) != mine)
		sched_yield();
}

void ticket_unlock(struct ticket *t)
{
	__atomic_fetch_add(&t->serving, 1, __ATOMIC_ACQ_REL);
}

void mailbox_put(struct mailbox *m, int value)
{
	while (load(&m->full))
		sched_yield();
	m->value = value;
	store(&m->full, 1);
}

int mailbox_get(struct mailbox *m)
{
	while (!load(&m->full))
		sched_yield();
	int value = m->value;
	store(&m->full, 0);
	return value;
}

int once_begin(struct once *o)
{
	int fresh = 0;
	if (__atomic_compare_exchange_n(&o->state, &fresh, 1, 0, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return 1;
	while (load(&o->state) != 2)
		sched_yield();
	return 0;
}

void once_done(struct once *o)
{
	store(&o->state, 2);
}

int chain_sum(const struct chain *c)
{
	int sum = 0;
	for (; c; c = c->next)
		sum += c->value;
	return sum;
}
