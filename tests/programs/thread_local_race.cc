/* SPDX-License-Identifier: MIT */
/* The destructor of a thread-local object still counts as the thread. */
#include <thread>
#include "invisible.h"

static invisible_step_t step;
int x;

struct last_words {
	int *where = nullptr;
	~last_words()
	{
		if (where)
			*where = 1; // race: a
		invisible_advance(&step);
	}
};

static thread_local last_words words;

int main()
{
	std::thread t([] { words.where = &x; });
	invisible_await(&step, 1);
	x = 2; // race: b
	t.join();
}
