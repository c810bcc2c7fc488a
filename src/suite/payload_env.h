/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Our environment with a few things changed, for a program that is started. */
#ifndef KTSTR_SUITE_PAYLOAD_ENV_H
#define KTSTR_SUITE_PAYLOAD_ENV_H

#include "base/vec.h"

struct suite_payload_env {
	VEC(const char *) all; /* ends with NULL; the texts are borrowed */
};

/*
 * Each "NAME=value" of `added` replaces what had that name; the last of a name counts. `added` ends
 * with NULL and may be NULL.
 */
void suite_payload_env_init(struct suite_payload_env *env, char *const *ours,
			    const char *const *added);
void suite_payload_env_deinit(struct suite_payload_env *env);
#define _cleanup_suite_payload_env_ __attribute__((cleanup(suite_payload_env_deinit)))

/* NULL when there is none. */
const char *suite_payload_env_find(const struct suite_payload_env *env, const char *name);
/* True for "NAME=value" with a name. */
bool suite_payload_env_is_setting(const char *text);

#endif
