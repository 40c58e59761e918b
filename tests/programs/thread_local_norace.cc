/* SPDX-License-Identifier: MIT */
/* Who has joined a thread comes after the destructors of its thread-local objects. */
#include <thread>

int x;

struct last_words {
	int *where = nullptr;
	~last_words()
	{
		if (where)
			*where = 1;
	}
};

static thread_local last_words words;

int main()
{
	std::thread t([] { words.where = &x; });
	t.join();
	x = 2;
}
