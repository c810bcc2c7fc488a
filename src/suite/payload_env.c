// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/payload.h"

#include <string.h>

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return n == strcspn(b, "=") && memcmp(a, b, n) == 0;
}

static void set(struct suite_payload_env *env, const char *setting)
{
	for (size_t i = 0; i < env->all.n; i++)
		if (same_name(env->all.at[i], setting)) {
			env->all.at[i] = setting;
			return;
		}
	vec_push(&env->all, setting);
}

void suite_payload_env_init(struct suite_payload_env *env, char *const *ours,
			    const char *const *added)
{
	*env = (struct suite_payload_env){ .all = VEC_INIT };
	for (; ours && *ours; ours++)
		vec_push(&env->all, *ours);
	for (; added && *added; added++)
		set(env, *added);
	vec_push(&env->all, NULL);
}

void suite_payload_env_deinit(struct suite_payload_env *env)
{
	vec_deinit(&env->all);
}

const char *suite_payload_env_find(const struct suite_payload_env *env, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; env->all.at[i]; i++)
		if (strncmp(env->all.at[i], name, n) == 0 && env->all.at[i][n] == '=')
			return env->all.at[i] + n + 1;
	return NULL;
}

bool suite_payload_env_is_setting(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals && equals != text;
}
