/* SPDX-License-Identifier: MIT */
// flags: -std=c++17
// output: ok
/* Objects that want more than the usual alignment get it. */
#include <cstdint>
#include <cstdio>

struct alignas(256) wide {
	char bytes[300];
};

int main()
{
	wide *one = new wide, *many = new wide[3];
	bool good = (std::uintptr_t)one % 256 == 0 && (std::uintptr_t)many % 256 == 0;
	delete one;
	delete[] many;
	std::puts(good ? "ok" : "not aligned");
	return 0;
}
