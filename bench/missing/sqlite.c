/* SPDX-License-Identifier: MIT */
/*
 * Work for sqlite: four threads, each with a connection of its own to one file, and two
 * that share a connection to a database in memory.
 *
 *   sqlite FILE ROUNDS
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "sqlite3.h"

enum { OWN = 4, ALL = 6 };

static const char *path;
static int rounds;
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

static void *work(void *number)
{
	int me = (int)(intptr_t)number;
	sqlite3 *db = me < OWN ? opened(path) : shared;
	for (int i = 0; i < rounds; i++) {
		run(db, "insert into t values(%d, %d)", me, i);
		run(db, "select sum(b) from t where a = %d", me, 0);
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
	remove(path);
	shared = opened(":memory:");
	sqlite3 *db = opened(path);
	run(shared, "create table t(a, b)", 0, 0);
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
