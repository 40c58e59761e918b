/* SPDX-License-Identifier: MIT */
/* Two threads look at one exception; whoever lets go last runs its destructor. */
#include <exception>
#include <thread>
#include <utility>
#include "invisible.h"

struct failure {
	int code;
	explicit failure(int c) : code(c)
	{
	}
	failure(const failure &) = default;
	~failure()
	{
		code = -1;
	}
};

static invisible_step_t step;
static int seen;

/* Lets go by the end of its handler, and by that of its pointer. */
static void look(std::exception_ptr e, int turn)
{
	invisible_await(&step, turn);
	try {
		std::rethrow_exception(turn ? std::move(e) : e);
	} catch (const failure &f) {
		__atomic_fetch_add(&seen, f.code, __ATOMIC_RELAXED);
	}
	e = nullptr;
	invisible_advance(&step);
}

int main()
{
	std::thread one, two;
	try {
		throw failure(3);
	} catch (const failure &f) {
		one = std::thread(look, std::current_exception(), 0);
		two = std::thread(look, std::current_exception(), 1);
		invisible_await(&step, 2);
	} /* the last of three */
	one.join();
	two.join();

	std::exception_ptr e = std::make_exception_ptr(failure{4});
	one = std::thread(look, e, 2);
	two = std::thread(look, std::move(e), 3);
	one.join();
	two.join();
	return seen != 14;
}
