/* SPDX-License-Identifier: MIT */
/*
 * Work for sqlite: four threads, each with a connection of its own to one file, and two
 * that share a connection to a database in memory.
 *
 *   sqlite FILE ROUNDS [ROWS]
 *
 * The two also fill a table in memory with ROWS rows of a thousand bytes, 0 by default.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "sqlite3.h"

enum { OWN = 4, ALL = 6 };

static const char *path;
static int rounds, rows;
static sqlite3 *shared;

static void run(sqlite3 *db, const char *format, int a, int b)
{
	char text[200];
	int status;
	snprintf(text, sizeof text, format, a, b);
	do
		status = sqlite3_exec(db, text, NULL, NULL, NULL);
	while (status == SQLITE_BUSY || status == SQLITE_LOCKED);
	if (status) {
		fprintf(stderr, "%s: %s\n", text, sqlite3_errmsg(db));
		exit(2);
	}
}

static sqlite3 *opened(const char *name)
{
	sqlite3 *db;
	if (sqlite3_open(name, &db))
		exit(2);
	sqlite3_busy_timeout(db, 20000);
	return db;
}

/* What one of those that share a connection adds in a round, and reads back. */
static void fill(int me, int round)
{
	int part = rows / (ALL - OWN) / rounds, from = ((me - OWN) * rounds + round) * part;
	if (part == 0)
		return;
	run(shared,
	    "with recursive c(n) as (select %d union all select n + 1 from c where n < %d) "
	    "insert into big select n, zeroblob(1000) from c",
	    from + 1, from + part);
	run(shared, "select sum(length(b)) from big where a between %d and %d", from + 1,
	    from + part);
}

static void *work(void *number)
{
	int me = (int)(intptr_t)number;
	sqlite3 *db = me < OWN ? opened(path) : shared;
	for (int i = 0; i < rounds; i++) {
		run(db, "insert into t values(%d, %d)", me, i);
		run(db, "select sum(b) from t where a = %d", me, 0);
		if (db == shared)
			fill(me, i);
	}
	if (db != shared)
		sqlite3_close(db);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[ALL];
	if (argc < 3)
		return 2;
	path = argv[1];
	rounds = atoi(argv[2]);
	rows = argc > 3 ? atoi(argv[3]) : 0;
	remove(path);
	shared = opened(":memory:");
	sqlite3 *db = opened(path);
	run(shared, "create table t(a, b)", 0, 0);
	run(shared, "create table big(a integer primary key, b)", 0, 0);
	run(db, "pragma journal_mode = wal", 0, 0);
	run(db, "create table t(a, b)", 0, 0);
	for (intptr_t i = 0; i < ALL; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < ALL; i++)
		pthread_join(t[i], NULL);
	sqlite3_close(db);
	sqlite3_close(shared);
	return 0;
}
