/* SPDX-License-Identifier: MIT */
/*
 * Six programs that synchronise by a library (sync.h), each with a race that is one, and
 * one (chain) that only calls it. The second thread starts after the first by means that
 * no detector sees, so that every run has its events in the same order.
 *
 *   programs NAME [TIMES]
 */
#include "sync.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "invisible.h"

static invisible_step_t step;
static int times = 1;

/* Account, of RDIT's Figure 4.6. */
static struct flag ended[2];
int balances[2], total;

static void account(int i)
{
	balances[i] += 100;
	total += 100;
	flag_set(&ended[i]);
}

static void account_end(void)
{
	flag_wait(&ended[0]);
	flag_wait(&ended[1]);
	if (balances[0] + balances[1] != total)
		puts("lost");
}

/* Results that are ready when a latch opens; errors are counted without a lock. */
static struct latch ready = {2};
int results[2], errors;

static void latch(int i)
{
	results[i] = i;
	errors++;
	latch_arrive(&ready);
}

static void latch_end(void)
{
	latch_wait(&ready);
	if (results[0] + results[1] + errors == 0)
		puts("none");
}

/* A lock of the library's; one of two counters is outside. */
static struct ticket ticket;
int sum, hits;

static void lock(int i)
{
	for (int k = 0; k < times; k++) {
		ticket_lock(&ticket);
		sum += i;
		ticket_unlock(&ticket);
	}
	hits++;
}

/* An item that is handed over; how many were sent is not. */
static struct mailbox box;
int item, sent;

static void mailbox(int i)
{
	if (i == 0) {
		item = 7;
		mailbox_put(&box, 1);
		sent++;
	} else {
		mailbox_get(&box);
		if (item != 7 || sent > 1)
			puts("early");
	}
}

/* Made once, by whoever comes first; who used it last is not protected. */
static struct once made;
int config, last;

static void once(int i)
{
	if (once_begin(&made)) {
		config = 3;
		once_done(&made);
	}
	last = config + i;
}

/* A flag behind the data that it is for, and before some that it is not. */
static struct flag data_ready;
int data, more;

static void flag(int i)
{
	if (i == 0) {
		data = 1;
		flag_set(&data_ready);
		more = 1;
	} else {
		flag_wait(&data_ready);
		if (data + more == 0)
			puts("early");
	}
}

/* Each thread has a chain of its own, and writes a pointer in it between two calls. */
static struct chain *chain_of(int length)
{
	struct chain *first = NULL;
	for (int k = 0; k < length; k++) {
		struct chain *c = malloc(sizeof *c);
		*c = (struct chain){.next = first, .mark = first, .value = k};
		first = c;
	}
	return first;
}

static void chain(int i)
{
	enum { LENGTH = 200 };
	struct chain *first = chain_of(LENGTH), *c = first;
	int got = i;
	for (int k = 0; k < times; k++) {
		got += chain_sum(first);
		c->mark = c;
		c = c->next ? c->next : first;
	}
	if (got == 0)
		puts("nothing");
	for (struct chain *next; first; first = next) {
		next = first->next;
		free(first);
	}
}

static const struct {
	const char *name;
	void (*work)(int i);
	void (*end)(void);
} programs[] = {
    {"account", account, account_end},
    {"latch", latch, latch_end},
    {"lock", lock, NULL},
    {"mailbox", mailbox, NULL},
    {"once", once, NULL},
    {"flag", flag, NULL},
    {"chain", chain, NULL},
};

static void (*work)(int i);

static void *first(void *unused)
{
	work(0);
	invisible_advance(&step);
	return unused;
}

static void *second(void *unused)
{
	invisible_await(&step, 1);
	work(1);
	return unused;
}

int main(int argc, char **argv)
{
	size_t i = 0, n = sizeof programs / sizeof *programs;
	pthread_t a, b;
	while (i < n && (argc < 2 || strcmp(argv[1], programs[i].name) != 0))
		i++;
	if (i == n)
		return 2;
	if (argc > 2)
		times = atoi(argv[2]);
	work = programs[i].work;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	if (programs[i].end)
		programs[i].end();
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
