// SPDX-License-Identifier: LGPL-2.1-or-later
#include "work/work.h"

#include "base/macros.h"

static const struct work_kind_info kinds[KTSTR_N_WORK_KINDS] = {
#define KTSTR_WORK_KIND(id, name, meaning, iteration, computes, ...) \
	[KTSTR_WORK_##id] = { #name,	 meaning,                    \
			      iteration, work_step_##name,           \
			      computes,	 { .kind = KTSTR_WORK_##id, __VA_ARGS__ } },
#include <ktstr/work_kinds.def>
#undef KTSTR_WORK_KIND
};

const struct work_kind_info *work_kind_info(enum ktstr_work_kind kind)
{
	return (unsigned int)kind < KTSTR_N_WORK_KINDS && kinds[kind].name ? &kinds[kind] : NULL;
}

const struct work_param work_params[] = {
#define KTSTR_WORK_PARAM(name, words) { #name, offsetof(struct ktstr_work, name), words },
#include <ktstr/work_params.def>
#undef KTSTR_WORK_PARAM
};
const size_t work_n_params = ARRAY_SIZE(work_params);

unsigned int *work_param_of(struct ktstr_work *work, const struct work_param *param)
{
	return (unsigned int *)((char *)work + param->offset);
}

struct ktstr_work work_resolve(const struct ktstr_work *work)
{
	struct ktstr_work normal = kinds[work->kind].normal, ret = *work;

	for (size_t i = 0; i < work_n_params; i++)
		if (!*work_param_of(&ret, &work_params[i]))
			*work_param_of(&ret, &work_params[i]) = *work_param_of(&normal,
									       &work_params[i]);
	return ret;
}
