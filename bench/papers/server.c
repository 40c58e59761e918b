/* SPDX-License-Identifier: MIT */
/*
 * usage: server [WORKERS [SECONDS [INTERVAL [REQUESTS]]]]
 * A server and its clients in one process, for runs of minutes to hours. Clients open
 * connections, send REQUESTS through each (20) and check the answers; workers take
 * requests from a queue, look up and change sessions (a table with striped locks), count
 * under a lock and answer through the connection. Connections, requests and answers are
 * blocks of the heap; sessions come and go; every SWEEP requests a thread is started that
 * goes through all sessions, removes those that were not used for OLD requests and ends.
 * So what the program itself keeps does not depend on how fast it runs. After every
 * INTERVAL seconds a line: seconds, requests so far, resident KiB, milliseconds of
 * processor time so far; at the end `wrong answers: N`. Free of races.
 */
#include "../kernels/kernel.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 4, STRIPES = 64, BUCKETS = 4096, USERS = 20000 };
enum { OLD = 20000, SWEEP = 4000 };

struct connection {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	char *answer;
};

struct request {
	struct request *next;
	struct connection *from;
	uint64_t user;
	char text[32];
};

struct session {
	struct session *next;
	uint64_t user, visits;
	uint64_t last; /* the number of the request */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t some;
	struct request *first, **last;
	int closed;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &queue.first, 0};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t due; /* another SWEEP requests */
	uint64_t requests, wrong;
	int stop;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .due = PTHREAD_COND_INITIALIZER};

static long seconds, interval, requests;
static struct session *table[BUCKETS];
static pthread_mutex_t stripe[STRIPES];

/* ---- the queue ---- */

static void submit(struct request *r)
{
	pthread_mutex_lock(&queue.lock);
	r->next = NULL;
	*queue.last = r;
	queue.last = &r->next;
	pthread_cond_signal(&queue.some);
	pthread_mutex_unlock(&queue.lock);
}

static struct request *take(void)
{
	pthread_mutex_lock(&queue.lock);
	while (!queue.first && !queue.closed)
		pthread_cond_wait(&queue.some, &queue.lock);
	struct request *r = queue.first;

	if (r && !(queue.first = r->next))
		queue.last = &queue.first;
	pthread_mutex_unlock(&queue.lock);
	return r;
}

static void close_queue(void)
{
	pthread_mutex_lock(&queue.lock);
	queue.closed = 1;
	pthread_cond_broadcast(&queue.some);
	pthread_mutex_unlock(&queue.lock);
}

/* ---- sessions ---- */

static void visit(uint64_t user, uint64_t now)
{
	struct session **at = &table[user % BUCKETS];

	pthread_mutex_lock(&stripe[user % STRIPES]);
	while (*at && (*at)->user != user)
		at = &(*at)->next;
	if (!*at) {
		*at = calloc(1, sizeof **at);
		(*at)->user = user;
	}
	(*at)->visits++;
	(*at)->last = now;
	pthread_mutex_unlock(&stripe[user % STRIPES]);
}

static void *sweep(void *arg)
{
	const uint64_t *now = arg;

	for (int b = 0; b < BUCKETS; b++) {
		struct session **at = &table[b], *s;

		pthread_mutex_lock(&stripe[b % STRIPES]);
		while ((s = *at)) {
			if (s->last + OLD > *now) {
				at = &s->next;
				continue;
			}
			*at = s->next;
			free(s);
		}
		pthread_mutex_unlock(&stripe[b % STRIPES]);
	}
	return NULL;
}

/* ---- workers and clients ---- */

/* The number of the next request. */
static uint64_t count_request(void)
{
	pthread_mutex_lock(&state.lock);
	uint64_t now = ++state.requests;

	if (now % SWEEP == 0)
		pthread_cond_signal(&state.due);
	pthread_mutex_unlock(&state.lock);
	return now;
}

static void serve(struct request *r)
{
	char *answer = malloc(64);

	visit(r->user, count_request());
	snprintf(answer, 64, "hello %llu, %s", (unsigned long long)r->user, r->text);
	pthread_mutex_lock(&r->from->lock);
	r->from->answer = answer;
	pthread_cond_signal(&r->from->answered);
	pthread_mutex_unlock(&r->from->lock);
	free(r);
}

static void work(long id)
{
	struct request *r;

	(void)id;
	while ((r = take()))
		serve(r);
}

static int ask(struct connection *c, uint64_t user, int number)
{
	struct request *r = malloc(sizeof *r);
	char expected[64];

	*r = (struct request){.from = c, .user = user};
	snprintf(r->text, sizeof r->text, "request %d", number);
	snprintf(expected, sizeof expected, "hello %llu, request %d",
		 (unsigned long long)user, number);
	submit(r);
	pthread_mutex_lock(&c->lock);
	while (!c->answer)
		pthread_cond_wait(&c->answered, &c->lock);
	int wrong = strcmp(c->answer, expected) != 0;

	free(c->answer);
	c->answer = NULL;
	pthread_mutex_unlock(&c->lock);
	return wrong;
}

/* Counts a wrong answer; false when it is time to end. */
static int go_on(int wrong)
{
	pthread_mutex_lock(&state.lock);
	state.wrong += (uint64_t)wrong;
	int stop = state.stop;

	pthread_mutex_unlock(&state.lock);
	return !stop;
}

/* One connection; false when it is time to end. */
static int converse(uint64_t *seed)
{
	struct connection *c = calloc(1, sizeof *c);
	int on = 1;

	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->answered, NULL);
	for (int i = 0; i < requests && on; i++)
		on = go_on(ask(c, kernel_random(seed) % USERS, i));
	pthread_cond_destroy(&c->answered);
	pthread_mutex_destroy(&c->lock);
	free(c);
	return on;
}

static void *client(void *id)
{
	uint64_t seed = (uint64_t)(uintptr_t)id;

	while (converse(&seed))
		;
	return NULL;
}

/* ---- the clock ---- */

static long resident(void)
{
	long size = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%ld %ld", &size, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static long processor_time(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

static void say(long second)
{
	pthread_mutex_lock(&state.lock);
	uint64_t served = state.requests;
	pthread_mutex_unlock(&state.lock);
	printf("%ld %llu %ld %ld\n", second, (unsigned long long)served, resident(),
	       processor_time());
	fflush(stdout);
}

static int is_past(const struct timespec *until)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec > until->tv_sec ||
	       (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}

/* Is a sweep due, the last having been at `swept`? False when the time has come. */
static int sweep_due(uint64_t *swept, const struct timespec *until)
{
	int late = is_past(until);

	pthread_mutex_lock(&state.lock);
	while (state.requests - *swept < SWEEP && !late)
		late = pthread_cond_timedwait(&state.due, &state.lock, until);
	if (!late)
		*swept = state.requests;
	pthread_mutex_unlock(&state.lock);
	return !late;
}

/* Lets the time pass, then has the clients and the workers end. */
static void *watch(void *unused)
{
	pthread_t clients[CLIENTS], sweeper;
	struct timespec until;
	uint64_t swept = 0;

	for (uintptr_t i = 0; i < CLIENTS; i++)
		pthread_create(&clients[i], NULL, client, (void *)i);
	clock_gettime(CLOCK_REALTIME, &until);
	for (long s = 1; s <= seconds; s++) {
		until.tv_sec++;
		while (sweep_due(&swept, &until))
			if (!pthread_create(&sweeper, NULL, sweep, &swept))
				pthread_join(sweeper, NULL);
		if (s % interval == 0)
			say(s);
	}
	pthread_mutex_lock(&state.lock);
	state.stop = 1;
	pthread_mutex_unlock(&state.lock);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	close_queue();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t watcher;

	kernel_open(argc > 2 ? 2 : argc, argv);
	seconds = argc > 2 ? atol(argv[2]) : 10;
	interval = argc > 3 ? atol(argv[3]) : 1;
	requests = argc > 4 ? atol(argv[4]) : 20;
	if (seconds < 1 || interval < 1 || requests < 1) {
		fprintf(stderr, "usage: %s [WORKERS [SECONDS [INTERVAL [REQUESTS]]]]\n",
			argv[0]);
		return 2;
	}
	for (int i = 0; i < STRIPES; i++)
		pthread_mutex_init(&stripe[i], NULL);
	pthread_create(&watcher, NULL, watch, NULL);
	kernel_run(work);
	pthread_join(watcher, NULL);
	printf("wrong answers: %llu\n", (unsigned long long)state.wrong);
	return state.wrong != 0;
}
