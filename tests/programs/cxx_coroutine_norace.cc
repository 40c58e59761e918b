/* SPDX-License-Identifier: MIT */
/* Coroutines of the language that go from thread to thread through a queue. */
// flags: -std=c++20
#include <coroutine>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

std::mutex m;
std::deque<std::coroutine_handle<>> waiting;
int running = 4, total;

struct task {
	struct promise_type {
		task get_return_object() { return {}; }
		std::suspend_never initial_suspend() { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() { std::terminate(); }
	};
};

struct queued : std::suspend_always {
	void await_suspend(std::coroutine_handle<> h)
	{
		std::lock_guard l(m);
		waiting.push_back(h);
	}
};

static task count(int from)
{
	std::vector<int> mine;
	for (int i = 0; i < 20; i++) {
		mine.push_back(from + i);
		co_await queued{};
	}
	std::lock_guard l(m);
	total += (int)mine.size();
	running--;
}

static void resume_all()
{
	for (;;) {
		std::unique_lock l(m);
		if (!running)
			return;
		if (waiting.empty())
			continue;
		auto h = waiting.front();
		waiting.pop_front();
		l.unlock();
		h.resume();
	}
}

int main()
{
	for (int i = 0; i < 4; i++)
		count(i);
	std::thread one(resume_all), two(resume_all);
	one.join();
	two.join();
	return total == 80 ? 0 : 1;
}
