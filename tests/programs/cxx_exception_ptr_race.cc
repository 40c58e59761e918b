/* SPDX-License-Identifier: MIT */
/* Two threads have the same exception: its life is safe, what is in it is not. */
#include <exception>
#include <thread>
#include "invisible.h"

struct failure {
	int code;
};

static invisible_step_t step;

static void look(std::exception_ptr e, int turn)
{
	try {
		std::rethrow_exception(e);
	} catch (failure &f) {
		invisible_await(&step, turn);
		f.code = turn; // race: a b
		invisible_advance(&step);
	}
	invisible_await(&step, 2); /* neither lets go before both have written */
}

int main()
{
	std::exception_ptr e = std::make_exception_ptr(failure{0});
	std::thread one(look, e, 0), two(look, e, 1);

	one.join();
	two.join();
	return 0;
}
