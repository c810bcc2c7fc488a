/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A typed growing array:
 *
 *	VEC(int) tids = VEC_INIT;
 *	vec_push(&tids, 42);
 *	for (size_t i = 0; i < tids.n; i++) use(tids.at[i]);
 *	vec_deinit(&tids);
 */
#ifndef KTSTR_BASE_VEC_H
#define KTSTR_BASE_VEC_H

#include <stdlib.h>

#include "base/alloc.h"

#define VEC(type)                \
	struct {                 \
		type *at;        \
		size_t n;        \
		size_t capacity; \
	}

#define VEC_INIT { NULL, 0, 0 }

#define vec_reserve_one_(v)                                                                \
	do {                                                                               \
		if ((v)->n == (v)->capacity) {                                             \
			(v)->capacity = (v)->capacity ? 2 * (v)->capacity : 8;             \
			(v)->at = xreallocarray((v)->at, (v)->capacity, sizeof(*(v)->at)); \
		}                                                                          \
	} while (0)

#define vec_push(v, ...)                           \
	do {                                       \
		vec_reserve_one_(v);               \
		(v)->at[(v)->n++] = (__VA_ARGS__); \
	} while (0)

#define vec_clear(v) ((void)((v)->n = 0))

#define vec_deinit(v)                       \
	do {                                \
		free((v)->at);              \
		(v)->at = NULL;             \
		(v)->n = (v)->capacity = 0; \
	} while (0)

#endif
