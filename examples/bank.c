/* SPDX-License-Identifier: MIT */
/*
 * A small bank with two forgotten locks. Two tellers move money between two accounts,
 * main sums up. The accounts are sound: opened before the tellers start, then always
 * used under bank_lock, and read by main when both tellers have ended.
 *
 *   audit.last   who made the last transfer, is written when the lock is given back
 *   rate.usd     the exchange rate in the cache, is refreshed and read without any lock
 *
 *   deadheat cc examples/bank.c -o bank
 *   deadheat run ./bank
 *
 * bank.std is a run of it as a trace.
 */
#include <pthread.h>
#include <stdio.h>

struct account {
	long balance; /* under bank_lock */
};

static pthread_mutex_t bank_lock = PTHREAD_MUTEX_INITIALIZER;
static struct account alice, bob;
static struct {
	int last;
} audit;
static struct {
	int usd;
} rate; /* cents for one coin */

static void transfer(int teller, struct account *from, struct account *to, long amount)
{
	pthread_mutex_lock(&bank_lock);
	from->balance -= amount;
	to->balance += amount;
	pthread_mutex_unlock(&bank_lock);
	audit.last = teller;
}

static void *first_teller(void *unused)
{
	rate.usd = 108; /* news from the exchange */
	transfer(1, &alice, &bob, 30);
	return unused;
}

static void *second_teller(void *unused)
{
	transfer(2, &bob, &alice, 10);
	int usd = rate.usd;
	printf("Moved 10 coins; one is worth %d cents.\n", usd);
	return unused;
}

int main(void)
{
	pthread_t first, second;
	alice.balance = 100;
	bob.balance = 100;
	rate.usd = 110;
	pthread_create(&first, NULL, first_teller, NULL);
	pthread_create(&second, NULL, second_teller, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	printf("Alice has %ld coins, ", alice.balance);
	printf("Bob has %ld. ", bob.balance);
	printf("Teller %d was the last one.\n", audit.last);
	return 0;
}
