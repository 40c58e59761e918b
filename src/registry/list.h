/* SPDX-License-Identifier: MIT */
/* Every engine and filter, in the order in which `deadheat engines` lists them:
 * X(the name of its ops struct). */
#ifndef DH_REGISTRY_LIST_H
#define DH_REGISTRY_LIST_H

#define DH_ENGINE_LIST(X)                                                                \
	X(dh_engine_fasttrack)                                                           \
	X(dh_engine_djit)                                                                \
	X(dh_engine_lockset)                                                             \
	X(dh_engine_multirace)                                                           \
	X(dh_engine_eraser)                                                              \
	X(dh_engine_racetrack_basic)                                                     \
	X(dh_engine_racetrack)                                                           \
	X(dh_engine_patent)                                                              \
	X(dh_engine_goldilocks)                                                          \
	X(dh_engine_goldilocks_paper)                                                    \
	X(dh_engine_log)                                                                 \
	X(dh_engine_null)                                                                \
	X(dh_engine_count)                                                               \
	X(dh_engine_print)

#define DH_FILTER_LIST(X)                                                                \
	X(dh_filter_tree)                                                                \
	X(dh_filter_tree_strict)                                                         \
	X(dh_filter_span)

#endif
