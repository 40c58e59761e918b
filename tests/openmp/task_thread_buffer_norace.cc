/* SPDX-License-Identifier: MIT */
/* Tasks use buffers that are their thread's: one behind a pointer, the elements of a
 * vector, and one of a structure that a pointer leads to, which is replaced now and then. */
#include <memory>
#include <vector>

struct Context {
	std::vector<int> parts;
};

static int *buffer;
#pragma omp threadprivate(buffer)
static thread_local std::vector<int> scratch;
static thread_local std::unique_ptr<Context> context;
int out[32];

int main()
{
#pragma omp parallel
	{
		buffer = new int[64];
		scratch.resize(64);
		context.reset(new Context);
#pragma omp barrier
#pragma omp single
		for (int i = 0; i < 32; i++) {
#pragma omp task
			{
				for (int k = 0; k < 64; k++)
					buffer[k] = scratch[k] = i;
				context->parts.push_back(buffer[i] + scratch[i]);
				out[i] = context->parts.back();
				if (i % 8 == 7)
					context.reset(new Context);
			}
		}
		delete[] buffer;
	}
	return out[31] != 62;
}
