/* SPDX-License-Identifier: MIT */
/* See strand.h. Strands that rest are in queues by the time of their ends. The exact one
 * that a new task knows is likely one of the oldest, or of the newest where its creator
 * has just waited. The longer a common one rests, the farther apart are the tasks that
 * share its slot. */
#include "runtime/openmp/strand.h"
#include "base/mem.h"
#include "runtime/lock_log.h"
#include "runtime/observer.h"
#include "runtime/openmp/spare.h"

enum {
	CANDIDATES = 8,	   /* exact strands looked at from either end of the queue */
	FOR_THREADS = 512, /* slots that are left to threads */
};

static struct dh_lock pool_lock;
DH_LOCK_AROUND_FORK(pool_lock, DH_FORK_OUTER);
static struct queue {
	struct dh_strand *oldest, *newest;
	uint32_t count; /* of its kind that there are, at rest or not */
} exact, common;	/* under pool_lock */
/* A task that began with this moment knew none of the free ones; likewise. */
static uint32_t none_name, none_version;
static uint64_t reused, shared, refused; /* likewise */
static struct dh_strand *all;		 /* that were ever made; likewise */

/* ---- moments ---- */

static size_t moment_size(uint32_t len)
{
	return sizeof(struct dh_moment) + len * sizeof(uint32_t);
}

struct dh_moment *dh_moment_now(const struct dh_self *t)
{
	uint32_t len = __atomic_load_n(&dh_slot_count, __ATOMIC_RELAXED);
	uint32_t slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	struct dh_moment *m = dh_spare_get(DH_SPARE_MOMENT, moment_size(len));
	m->refs = 1;
	m->name = t->state->name;
	m->version = t->state->version;
	m->len = len;
	dh_copy(m->at, t->vc, len * sizeof *m->at);
	m->at[slot] -= !t->dirty; /* an empty time frame is not known yet: clockset.c */
	return m;
}

struct dh_moment *dh_moment_again(struct dh_moment **kept, const struct dh_self *t)
{
	struct dh_moment *m = *kept;
	if (!m || m->name != t->state->name || m->version != t->state->version) {
		dh_moment_drop(m);
		*kept = m = dh_moment_now(t);
	}
	__atomic_fetch_add(&m->refs, 1, __ATOMIC_RELAXED);
	return m;
}

void dh_moment_drop(struct dh_moment *m)
{
	if (m && __atomic_sub_fetch(&m->refs, 1, __ATOMIC_ACQ_REL) == 0)
		dh_spare_free(DH_SPARE_MOMENT, m, moment_size(m->len));
}

void dh_moment_learn(struct dh_self *t, const struct dh_moment *m)
{
	const struct dh_clockset c = {.at = (uint32_t *)m->at, .len = m->len};
	dh_clockset_learn(t, &c);
}

static uint32_t moment_knows(const struct dh_moment *m, uint32_t slot)
{
	return slot < m->len ? m->at[slot] : 0;
}

uint32_t dh_start_knows(const struct dh_start *start, uint32_t slot)
{
	return slot == start->slot ? start->clock : moment_knows(start->moment, slot);
}

/* ---- flows ---- */

static void held_save(struct dh_flow *f, struct dh_thread_state *s)
{
	f->held_count = s->held_count;
	f->held_lost = s->held_lost;
	f->held = NULL;
	if (s->held_count) {
		f->held = dh_mem_alloc(s->held_count * sizeof *f->held);
		dh_copy(f->held, s->held, s->held_count * sizeof *f->held);
	}
	s->held_count = s->held_lost = 0;
}

static void held_load(struct dh_flow *f, struct dh_thread_state *s)
{
	s->held_count = f->held_count;
	s->held_lost = f->held_lost;
	if (f->held) {
		dh_copy(s->held, f->held, f->held_count * sizeof *f->held);
		dh_mem_free(f->held, f->held_count * sizeof *f->held);
		f->held = NULL;
	}
}

void dh_flow_save(struct dh_flow *f, struct dh_self *t)
{
	struct dh_thread_state *s = t->state;
	f->epoch = t->epoch;
	f->vc = t->vc;
	f->ignore = t->ignore;
	f->ignore_sync = t->ignore_sync;
	f->dirty = t->dirty;
	f->info = s->info;
	f->who = s->who;
	f->name = s->name;
	f->version = s->version;
	f->common = s->common;
	f->fence_release = s->fence_release;
	f->fence_acquire = s->fence_acquire;
	f->lock_log = s->lock_log;
	f->observed = s->observed;
	f->in_lane = s->in_lane;
	f->told = s->told;
	f->kin = t->kin;
	s->fence_release = s->fence_acquire = NULL;
	held_save(f, s);
}

/* What the thread remembers to have learned, another flow did. */
void dh_flow_load(struct dh_flow *f, struct dh_self *t)
{
	struct dh_thread_state *s = t->state;
	t->epoch = f->epoch;
	t->vc = f->vc;
	t->ignore = f->ignore;
	t->ignore_sync = f->ignore_sync;
	t->dirty = f->dirty;
	dh_past_forget(s);
	s->info = f->info;
	s->who = f->who;
	s->name = f->name;
	s->version = f->version;
	s->common = f->common;
	s->fence_release = f->fence_release;
	s->fence_acquire = f->fence_acquire;
	s->lock_log = f->lock_log;
	s->observed = f->observed;
	s->in_lane = f->in_lane;
	s->told = f->told;
	t->kin = f->kin;
	t->alike = dh_lane_alike(f->in_lane);
	held_load(f, s);
	dh_zero(s->learned, sizeof s->learned);
	dh_thread_look(t);
}

/* ---- the pool; under pool_lock ---- */

static void queue_add(struct queue *q, struct dh_strand *s)
{
	s->resting = true;
	s->older = q->newest;
	s->newer = NULL;
	*(q->newest ? &q->newest->newer : &q->oldest) = s;
	q->newest = s;
}

static struct dh_strand *queue_remove(struct queue *q, struct dh_strand *s)
{
	s->resting = false;
	*(s->older ? &s->older->newer : &q->oldest) = s->newer;
	*(s->newer ? &s->newer->older : &q->newest) = s->older;
	return s;
}

static bool known(const struct dh_start *start, const struct dh_strand *s)
{
	return dh_start_knows(start, s->flow.info->slot) >= s->last;
}

static struct dh_strand *find_known(const struct dh_start *start)
{
	struct dh_strand *old = exact.oldest, *new = exact.newest;
	for (int i = 0; old && i < CANDIDATES; i++) {
		if (known(start, old))
			return old;
		if (known(start, new))
			return new;
		old = old->newer;
		new = new->older;
	}
	return NULL;
}

/* As long as the creator learns nothing, no more are known than at the last look. */
static struct dh_strand *take_known(const struct dh_start *start)
{
	const struct dh_moment *m = start->moment;
	if (m->name == none_name && m->version == none_version)
		return NULL;
	struct dh_strand *s = find_known(start);
	if (!s) {
		none_name = m->name;
		none_version = m->version;
		return NULL;
	}
	reused++;
	return queue_remove(&exact, s);
}

static struct dh_strand *make(struct queue *kind)
{
	if (__atomic_load_n(&dh_slot_count, __ATOMIC_RELAXED) > DH_SLOTS - FOR_THREADS)
		return NULL;
	struct dh_thread_info *info = dh_thread_record(DH_THREAD_STRAND, 0);
	uint32_t slot = dh_slot_take(NULL, info->id);
	struct dh_strand *s = dh_mem_alloc(sizeof *s);
	s->flow = (struct dh_flow){.info = info,
				   .vc = dh_mem_alloc(DH_SLOTS * sizeof *s->flow.vc),
				   .name = dh_thread_new_name(),
				   .common = kind == &common};
	info->slot = slot;
	s->last = dh_slot_first_clock(slot) - 1;
	dh_lock(&dh_threads_lock);
	info->vc = s->flow.vc;
	dh_unlock(&dh_threads_lock);
	s->next = all;
	all = s;
	kind->count++;
	return s;
}

static struct dh_strand *take_common(void)
{
	struct dh_strand *s = NULL;
	if (common.count < DH_STRANDS_COMMON)
		s = make(&common);
	if (s || !common.oldest)
		return s;
	shared++;
	return queue_remove(&common, common.oldest);
}

/* May a task of this depth have one more exact strand? */
static bool may_make(uint32_t depth)
{
	static const uint32_t deepest[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 8, 5, 2};
	enum { STEPS = DH_ARRAY_LEN(deepest) };
	uint32_t step = exact.count / (DH_STRANDS_EXACT / STEPS);
	return step < STEPS && depth <= deepest[step];
}

static struct dh_strand *take(const struct dh_start *start, uint32_t depth)
{
	struct dh_strand *s = take_known(start);
	if (!s && may_make(depth))
		s = make(&exact);
	if (!s)
		s = take_common();
	refused += s == NULL;
	return s;
}

bool dh_strand_claim(struct dh_strand *s, const struct dh_moment *m)
{
	dh_lock(&pool_lock);
	bool fits = s->resting && moment_knows(m, s->flow.info->slot) >= s->last;
	if (fits) {
		queue_remove(s->flow.common ? &common : &exact, s);
		reused++;
	}
	dh_unlock(&pool_lock);
	return fits;
}

/* With its clock, a strand is used up. */
static bool used_up(const struct dh_strand *s)
{
	return s->last + 2 >= DH_RECORD_CLOCK_MAX;
}

/* False where it is. */
static bool give(struct dh_strand *s)
{
	struct queue *q = s->flow.common ? &common : &exact;
	if (used_up(s))
		q->count--;
	else
		queue_add(q, s);
	return !used_up(s);
}

/* How many tasks it has run is still wanted. */
static void retire(struct dh_strand *s)
{
	struct dh_thread_info *info = s->flow.info;
	dh_slot_give(info->slot, s->last);
	dh_lock(&dh_threads_lock);
	info->vc = NULL;
	dh_unlock(&dh_threads_lock);
	dh_moment_drop(s->base);
	dh_mem_free(s->flow.vc, DH_SLOTS * sizeof *s->flow.vc);
}

/* A task may have been refused one whose lane it knew to the end, but which had not been
 * given up. */
static void rest(struct dh_strand *s, bool after_lane)
{
	dh_lock(&pool_lock);
	bool kept = give(s);
	if (after_lane)
		none_name = 0;
	dh_unlock(&pool_lock);
	if (!kept)
		retire(s);
}

/* ---- tasks ---- */

/* The clock that the task begins with. Where the last one began with the same moment and
 * learned nothing, only its creator's own clock is another. */
static void set_clock(struct dh_strand *s, const struct dh_start *start)
{
	const struct dh_moment *m = start->moment;
	uint32_t *vc = s->flow.vc;
	if (s->base != m || s->based != s->flow.version) {
		dh_copy(vc, m->at, m->len * sizeof *vc);
		if (s->len > m->len)
			dh_zero(vc + m->len, (s->len - m->len) * sizeof *vc);
		__atomic_fetch_add(&start->moment->refs, 1, __ATOMIC_RELAXED);
		dh_moment_drop(s->base);
		s->base = start->moment;
		s->len = DH_MAX(m->len, s->flow.info->slot + 1);
	}
	vc[start->slot] = start->clock;
	s->based = ++s->flow.version;
}

/* The strands change places in clocks. What the other one's clock was made of is not true
 * of it any more. */
static void swap_slots(struct dh_strand *s, struct dh_strand *other)
{
	struct dh_thread_info *info = s->flow.info;
	uint32_t last = s->last;
	dh_lock(&dh_threads_lock);
	s->flow.info = other->flow.info;
	s->flow.info->vc = s->flow.vc;
	other->flow.info = info;
	info->vc = other->flow.vc;
	dh_unlock(&dh_threads_lock);
	s->last = other->last;
	other->last = last;
	s->flow.common = other->flow.common;
	other->flow.common = false;
	other->flow.name = dh_thread_new_name();
	other->flow.lock_log = NULL;
	other->len = __atomic_load_n(&dh_slot_count, __ATOMIC_RELAXED);
	dh_moment_drop(other->base);
	other->base = NULL;
}

/* The task that runs, in a time frame that it has published. */
static void leave_lane(struct dh_self *t)
{
	struct dh_strand *s = t->state->in_lane, *other = NULL;
	uint32_t host = 0, old = s->flow.info->slot;
	uint64_t os_id = s->flow.info->os_id;
	dh_lane_judge(t->state->who, false);
	dh_slot_host(old, dh_record_clock(t->epoch), &host);
	dh_lock(&pool_lock);
	if (may_make(s->depth))
		other = make(&exact);
	if (!other)
		other = take_common();
	shared += s->lane.low < s->last; /* there were others before it */
	refused += !other;
	dh_unlock(&pool_lock);
	s->lane.over = true;
	if (!other)
		return; /* its time frame goes on */
	swap_slots(s, other);
	rest(other, true);
	s->lane.low = 0;
	uint32_t slot = s->flow.info->slot, first = s->last + 1;
	__atomic_store_n(&s->flow.info->os_id, os_id, __ATOMIC_RELEASE);
	dh_slot_rename(slot, first, t->state->who, host);
	t->state->info = s->flow.info;
	t->state->common = s->flow.common;
	t->state->in_lane = NULL;
	t->alike = 0;
	t->state->version++;
	t->vc[slot] = first;
	t->epoch = dh_record_epoch(slot, first);
	t->dirty = DH_DIRTY_NEWS;
	dh_thread_look(t);
	t->state->lock_log = NULL; /* that of the lane stays with it */
	dh_lock_log_attach(t);
}

/* The slot is this task's from now on. In a lane it is so for those that follow, too. */
static void rename_slot(struct dh_strand *s, struct dh_self *t, uint32_t first,
			const struct dh_strand_task *task)
{
	struct dh_thread_info *info = s->flow.info;
	__atomic_store_n(&info->os_id, t->state->info->os_id, __ATOMIC_RELEASE);
	if (s->flow.common)
		s->flow.name = dh_thread_new_name();
	dh_slot_rename(info->slot, first, task->who, task->host);
}

/* One from the pool, in a lane of its own if it can be. */
static struct dh_strand *take_fresh(struct dh_self *t, const struct dh_strand_task *task)
{
	struct dh_strand *s = task->claimed;
	if (!s) {
		dh_lock(&pool_lock);
		s = take(task->start, task->depth);
		dh_unlock(&pool_lock);
	}
	if (!s)
		return NULL;
	s->lane.low = 0;
	rename_slot(s, t, s->last + 1, task);
	if (task->key && !s->flow.common) {
		s->last = dh_lane_open(s, task->key, s->last);
		__atomic_store_n(&dh_thread_leave_lane, leave_lane, __ATOMIC_RELAXED);
	}
	return s;
}

struct dh_strand *dh_strand_begin(struct dh_self *t, const struct dh_strand_task *task)
{
	struct dh_strand *s = task->key ? dh_lane_take(task->key, task->start) : NULL;
	if (!s && !(s = take_fresh(t, task)))
		return NULL;
	struct dh_flow *f = &s->flow;
	uint32_t slot = f->info->slot;
	uint32_t first = s->lane.low ? --s->lane.low : s->last + 1;
	set_clock(s, task->start);
	s->depth = task->depth;
	s->first = first;
	__atomic_store_n(&s->begun, s->begun + 1, __ATOMIC_RELAXED);
	f->vc[slot] = first;
	f->epoch = dh_record_epoch(slot, first);
	f->dirty = DH_DIRTY_NEWS;
	f->who = task->who;
	f->in_lane = s->lane.low ? s : NULL;
	f->told = false;
	f->kin = NULL;
	f->lock_log = NULL; /* its slot may be another one than it was */
	dh_flow_load(f, t);
	dh_lock_log_attach(t);
	if (!s->seen)
		dh_saw(t, DH_SEEN_START, f->info->id, 0);
	s->seen = true;
	return s;
}

bool dh_strand_has_learned(const struct dh_strand *s, const struct dh_self *t)
{
	return t->state->version != s->based;
}

bool dh_strand_told(const struct dh_strand *s, const struct dh_self *t)
{
	return t->state->in_lane && s->lane.told && !dh_strand_has_learned(s, t);
}

static void free_fence(struct dh_clockset **c)
{
	if (!*c)
		return;
	dh_clockset_free(*c);
	dh_mem_free(*c, sizeof **c);
	*c = NULL;
}

/* The task is through: what becomes of the clocks, and was it fit for a lane? */
static void close_clock(struct dh_strand *s, const struct dh_self *t)
{
	uint32_t slot = (uint32_t)(t->epoch >> DH_SLOT_SHIFT);
	bool learned = dh_strand_has_learned(s, t);
	if (learned)
		s->len = __atomic_load_n(&dh_slot_count, __ATOMIC_RELAXED);
	if (t->state->in_lane) {
		s->lane.over |= learned;
		s->lane.told = true;
	} else {
		s->last = t->vc[slot] - !t->dirty; /* an empty one is the next one's */
	}
	if (learned || !t->state->in_lane)
		dh_lane_judge(t->state->who, !learned && t->vc[slot] == s->first);
}

void dh_strand_end(struct dh_strand *s, struct dh_self *t)
{
	struct dh_strand *done = s;
	close_clock(s, t);
	dh_lock_log_detach(t);
	t->state->held_count = t->state->held_lost = 0;
	free_fence(&t->state->fence_release);
	free_fence(&t->state->fence_acquire);
	if (!t->state->in_lane && used_up(s))
		dh_saw(t, DH_SEEN_END, t->state->info->id, 0);
	dh_flow_save(&s->flow, t);
	s->flow.ignore = s->flow.ignore_sync = 0;
	if (s->flow.in_lane)
		done = dh_lane_put(s);
	if (done)
		rest(done, s->flow.in_lane != NULL);
}

void dh_strands_rest(void)
{
	for (struct dh_strand *s; (s = dh_lane_give_up());)
		rest(s, true);
}

void dh_strands_get_stats(struct dh_strands_stats *out)
{
	dh_lock(&pool_lock);
	*out = (struct dh_strands_stats){0, reused, shared, refused};
	for (const struct dh_strand *s = all; s; s = s->next)
		out->begun += __atomic_load_n(&s->begun, __ATOMIC_RELAXED);
	dh_unlock(&pool_lock);
}

void dh_strands_after_fork(void)
{
	exact = common = (struct queue){0};
	for (struct dh_strand *s = all; s; s = s->next)
		s->resting = false;
	none_name = 0;
	dh_lanes_after_fork();
}
