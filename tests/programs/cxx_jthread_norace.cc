/* SPDX-License-Identifier: MIT */
// flags: -std=c++20
/* A thread that is asked to stop, and joined by its destructor. */
#include <stop_token>
#include <thread>

static int data, asked;

int main()
{
	{
		std::jthread one([](std::stop_token stop) {
			std::stop_callback note(stop, [] { asked = 1; });
			while (!stop.stop_requested())
				std::this_thread::yield();
			data = 1;
		});
		data = 2;
		one.request_stop();
	}
	return data + asked != 2;
}
