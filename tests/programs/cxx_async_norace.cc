/* SPDX-License-Identifier: MIT */
/* What std::async computes is there once its future has been waited for. */
#include <future>
#include <string>

static int data[4];

static std::string work(int i)
{
	data[i] = i;
	return std::string(40, static_cast<char>('a' + i));
}

int main()
{
	std::future<std::string> f[4];
	size_t length = 0;

	for (int i = 0; i < 4; i++)
		f[i] = std::async(std::launch::async, work, i);
	for (int i = 0; i < 4; i++)
		length += f[i].get().size() + data[i];
	return length != 4 * 40 + 6;
}
