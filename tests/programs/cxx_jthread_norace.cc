// flags: -std=c++20
/* SPDX-License-Identifier: MIT */
/* A thread that is asked to stop, and joined by its destructor. */
#include <stop_token>
#include <thread>

static int data;

int main()
{
	{
		int seen = 0;
		std::jthread one([&](std::stop_token stop) {
			std::stop_callback note(stop, [&] { seen = 1; });
			while (!stop.stop_requested())
				std::this_thread::yield();
			data = 1;
		});
		one.request_stop();
		data += seen - 1;
	}
	return data != 1;
}
