// SPDX-License-Identifier: LGPL-2.1-or-later
#include "metric/reduce.h"

#define DERIVED(id, name_, unit_, section_, form_, description_, ...)                     \
	{ .name = name_,                                                                  \
	  .unit = METRIC_UNIT_##unit_,                                                    \
	  .section = METRIC_SECTION_##section_,                                           \
	  .form = METRIC_DERIVED_FORM_##form_,                                            \
	  .description = description_,                                                    \
	  .n_inputs = sizeof((enum metric_id[]){ __VA_ARGS__ }) / sizeof(enum metric_id), \
	  .inputs = { __VA_ARGS__ } },
const struct metric_derived metric_derived[METRIC_N_DERIVED] = {
#include "metric/derived.def"
};
#undef DERIVED

static bool divide(long double above, long double below, long double *ret)
{
	if (below == 0)
		return false;
	*ret = above / below;
	return true;
}

static long double sum_and_larger(const long double *in, size_t n)
{
	long double sum = 0;

	for (size_t i = 0; i + 2 < n; i++)
		sum += in[i];
	return sum + (in[n - 2] > in[n - 1] ? in[n - 2] : in[n - 1]);
}

struct metric_derived_value metric_derived_compute(enum metric_derived_id id,
						   const struct metric_reduced *values)
{
	const struct metric_derived *row = &metric_derived[id];
	struct metric_derived_value result = { .measured = UINT32_MAX };
	long double in[METRIC_LIMIT_DERIVED_INPUTS] = { 0 };

	for (size_t i = 0; i < row->n_inputs; i++) {
		const struct metric_reduced *input = &values[row->inputs[i]];

		if (!metric_reduced_scalar(input, metric_rows[row->inputs[i]].kind, &in[i]))
			return (struct metric_derived_value){ .of = input->of };
		if (input->measured < result.measured) {
			result.measured = input->measured;
			result.of = input->of;
		}
	}
	switch (row->form) {
	case METRIC_DERIVED_FORM_QUOTIENT:
		result.known = divide(in[0], in[1], &result.value);
		break;
	case METRIC_DERIVED_FORM_SHARE:
		result.known = divide(in[0], in[0] + in[1], &result.value);
		break;
	case METRIC_DERIVED_FORM_DIFFERENCE:
		result.known = true;
		result.value = in[0] - in[1];
		break;
	case METRIC_DERIVED_FORM_SUM_AND_LARGER:
		result.known = true;
		result.value = sum_and_larger(in, row->n_inputs);
		break;
	}
	return result;
}

void metric_derived_format_formula(enum metric_derived_id id, struct strbuf *into)
{
	const struct metric_derived *row = &metric_derived[id];
	const char *a = metric_rows[row->inputs[0]].name, *b = metric_rows[row->inputs[1]].name;

	switch (row->form) {
	case METRIC_DERIVED_FORM_QUOTIENT:
		strbuf_appendf(into, "%s / %s", a, b);
		break;
	case METRIC_DERIVED_FORM_SHARE:
		strbuf_appendf(into, "%s / (%s + %s)", a, a, b);
		break;
	case METRIC_DERIVED_FORM_DIFFERENCE:
		strbuf_appendf(into, "%s - %s", a, b);
		break;
	case METRIC_DERIVED_FORM_SUM_AND_LARGER:
		for (size_t i = 0; i + 2 < row->n_inputs; i++)
			strbuf_appendf(into, "%s + ", metric_rows[row->inputs[i]].name);
		strbuf_appendf(into, "max(%s, %s)",
			       metric_rows[row->inputs[row->n_inputs - 2]].name,
			       metric_rows[row->inputs[row->n_inputs - 1]].name);
		break;
	}
}
