/* SPDX-License-Identifier: MIT */
/*
 * References to locales of libstdc++ that several threads have, and to the facets in
 * them. The library counts both with atomics of its own, which nobody sees; a facet of
 * the program's own has a destructor that is watched, and whoever has let go of the facet
 * comes before that.
 *
 * A reference is given up where a locale is destroyed or assigned to. We have one of our
 * own around the library's work and give that up here: as with exceptions, who is not the
 * last says so (a release), and who is the last learns what the others have said. Facets
 * belong to any number of locales, so who has the last reference to one locale gives up
 * those to its facets in the same way.
 *
 * What has to be known is in the headers of the library, and part of its binary
 * interface. The classic locale and its facets stay for good; most locales are that one.
 */
#include "runtime/abi.h"
#include "runtime/intercept/cxx.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

/* Its virtual functions begin with two destructors, of which the second frees it. */
struct facet {
	void (**methods)(struct facet *);
	int references; /* atomic */
};
enum { DELETE = 1 };

struct content {
	int references; /* atomic */
	struct facet **facets;
	size_t count;
};

struct locale {
	struct content *content;
};

#define DESTROY	     _ZNSt6localeD1Ev
#define DESTROY_BASE _ZNSt6localeD2Ev
#define ASSIGN	     _ZNSt6localeaSERKS_
DH_EXPORT void DESTROY(struct locale *l);
DH_EXPORT void DESTROY_BASE(struct locale *l);
DH_EXPORT struct locale *ASSIGN(struct locale *to, const struct locale *from);
const struct locale *_ZNSt6locale7classicEv(void);

/* Gives up a reference; false where it is the last, which is still there. */
static bool gave_up(struct dh_self *t, int *references)
{
	int now = __atomic_load_n(references, __ATOMIC_ACQUIRE);
	if (now > 1)
		dh_sync_release_join(t, (uintptr_t)references);
	while (now > 1)
		if (__atomic_compare_exchange_n(references, &now, now - 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return true;
	dh_sync_acquire(t, (uintptr_t)references);
	return false;
}

/* A facet in place of one of the standard's has a second one beside it, for code with the
 * other kind of strings, and that a reference to the first which the library gives up. So
 * what others have said is learnt of all before any goes. */
static void let_facets_go(struct dh_self *t, struct content *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->facets[i])
			dh_sync_acquire(t, (uintptr_t)&c->facets[i]->references);
	for (size_t i = 0; i < c->count; i++) {
		struct facet *f = c->facets[i];
		c->facets[i] = NULL;
		if (f && !gave_up(t, &f->references))
			f->methods[DELETE](f);
	}
}

static void let_go(struct dh_self *t, struct content *c)
{
	struct locale last = {c};
	if (gave_up(t, &c->references))
		return;
	let_facets_go(t, c);
	DH_CXX(_ZNSt6localeD1Ev)(&last);
}

/* The content for which there is something to do; NULL for none. */
static struct content *content_of(const struct dh_self *t, const struct locale *l)
{
	bool classic = !t || l->content == DH_CXX(_ZNSt6locale7classicEv)()->content;
	return classic ? NULL : l->content;
}

void DESTROY(struct locale *l)
{
	struct dh_self *t = dh_watched();
	struct content *c = content_of(t, l);
	if (c)
		let_go(t, c);
	else
		DH_CXX(_ZNSt6localeD1Ev)(l);
}

void DESTROY_BASE(struct locale *l)
{
	DESTROY(l);
}

struct locale *ASSIGN(struct locale *to, const struct locale *from)
{
	struct dh_self *t = dh_watched();
	struct content *old = content_of(t, to);
	if (old)
		__atomic_fetch_add(&old->references, 1, __ATOMIC_RELAXED);
	DH_CXX(_ZNSt6localeaSERKS_)(to, from);
	if (old)
		let_go(t, old);
	return to;
}
