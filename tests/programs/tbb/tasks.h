/* SPDX-License-Identifier: MIT */
/* As much of the binary interface of oneTBB (libtbb.so.12) as the test needs: the names
 * and where things are. */
#ifndef TESTS_PROGRAMS_TBB_TASKS_H
#define TESTS_PROGRAMS_TBB_TASKS_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tbb
{
namespace detail
{
namespace d1
{
struct execution_data;
class small_object_pool;
struct task_group_context {
};

struct wait_context {
	std::uint64_t version = 1;
	std::atomic<std::uint64_t> count{0};
};

struct traits {
	std::uint64_t version = 0;
};

struct task : traits {
	virtual ~task() = default;
	virtual task *execute(execution_data &) = 0;
	virtual task *cancel(execution_data &) = 0;
	std::uint64_t reserved[6] = {};
};
} // namespace d1

namespace r1
{
void spawn(d1::task &, d1::task_group_context &);
void wait(d1::wait_context &, d1::task_group_context &);
void *allocate(d1::small_object_pool *&, std::size_t);
} // namespace r1
} // namespace detail
} // namespace tbb

#endif
