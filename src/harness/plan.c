// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/session.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "harness/limits.h"
#include "topo/topology.h"

void harness_plan_deinit(struct harness_plan *plan)
{
	for (size_t i = 0; i < plan->variants.n; i++)
		free(plan->variants.at[i].name);
	vec_deinit(&plan->variants);
}

bool harness_plan_pattern_matches(const char *pattern, const struct exchange_declared_suite *suite,
				  const struct exchange_declared_test *test)
{
	_cleanup_free_ char *name = xasprintf("%s:%s", suite->name, test->name);

	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, name, 0) == 0;
	return strstr(name, pattern) != NULL;
}

static bool is_wanted(const struct harness_plan_options *options,
		      const struct exchange_declared_suite *suite,
		      const struct exchange_declared_test *test)
{
	for (size_t i = 0; i < options->n_patterns; i++)
		if (harness_plan_pattern_matches(options->patterns[i], suite, test))
			return true;
	return options->n_patterns == 0;
}

static bool matches_some(const char *pattern, const struct exchange_declared_suite *suites,
			 size_t n)
{
	for (size_t s = 0; s < n; s++)
		for (size_t t = 0; t < suites[s].tests.n; t++)
			if (harness_plan_pattern_matches(pattern, &suites[s],
							 &suites[s].tests.at[t]))
				return true;
	return false;
}

const char *harness_plan_find_unmatched(const struct harness_plan_options *options,
					const struct exchange_declared_suite *suites, size_t n)
{
	for (size_t i = 0; i < options->n_patterns; i++)
		if (!matches_some(options->patterns[i], suites, n))
			return options->patterns[i];
	return NULL;
}

/* What the options come to: each machine and kernel once. */
struct axes {
	VEC(struct topo) topologies;
	VEC(size_t) kernels;
	bool kernels_by_id; /* releases do not tell them apart */
	struct harness_plan_clock clock;
	uint64_t n_seeds; /* 1 with a real clock */
	unsigned int repeat;
};

static void axes_deinit(struct axes *axes)
{
	vec_deinit(&axes->topologies);
	vec_deinit(&axes->kernels);
}

static struct error *add_topology(struct axes *axes, const char *text)
{
	struct topo t;
	struct error *err = topo_parse_or_preset(text, &t);

	if (err)
		return err;
	for (size_t i = 0; i < axes->topologies.n; i++)
		if (topo_equal(&axes->topologies.at[i], &t))
			return NULL;
	vec_push(&axes->topologies, t);
	return NULL;
}

static void add_kernel(struct axes *axes, const struct harness_plan_options *options, size_t index)
{
	const struct kernel *kernel = options->kernels[index];

	for (size_t i = 0; i < axes->kernels.n; i++) {
		const struct kernel *other = options->kernels[axes->kernels.at[i]];

		if (strcmp(other->id, kernel->id) == 0)
			return;
		if (strcmp(other->release, kernel->release) == 0)
			axes->kernels_by_id = true;
	}
	vec_push(&axes->kernels, index);
}

static struct error *make_seeds(const struct harness_plan_clock *clock, struct axes *axes)
{
	axes->clock = *clock;
	axes->n_seeds = 1;
	if (clock->kind != VM_CLOCK_VIRTUAL)
		return NULL;
	if (clock->first_seed > clock->last_seed)
		return harness_error(HARNESS_PLAN, 0, "no seeds from %llu to %llu",
				     (unsigned long long)clock->first_seed,
				     (unsigned long long)clock->last_seed);
	if (clock->last_seed - clock->first_seed >= HARNESS_LIMIT_REPEAT)
		return harness_error(HARNESS_PLAN, 0,
				     "the seeds from %llu to %llu are more than %d",
				     (unsigned long long)clock->first_seed,
				     (unsigned long long)clock->last_seed, HARNESS_LIMIT_REPEAT);
	axes->n_seeds = clock->last_seed - clock->first_seed + 1;
	return NULL;
}

static struct error *make_axes(const struct harness_plan_options *options, struct axes *axes)
{
	struct error *err = make_seeds(&options->clock, axes);

	if (err)
		return err;
	axes->repeat = options->repeat ? options->repeat : 1;
	if (axes->repeat > HARNESS_LIMIT_REPEAT)
		return harness_error(HARNESS_PLAN, 0, "%u repeats are more than %d", axes->repeat,
				     HARNESS_LIMIT_REPEAT);
	for (size_t i = 0; !err && i < options->n_topologies; i++)
		err = add_topology(axes, options->topologies[i]);
	for (size_t i = 0; i < options->n_kernels; i++)
		add_kernel(axes, options, i);
	if (!err && axes->kernels.n == 0 && !options->names_only)
		err = harness_error(HARNESS_PLAN, 0, "no kernel to run tests with");
	return err;
}

static char *variant_name(const struct harness_variant *v, const struct axes *axes)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	strbuf_appendf(&name, "%s:%s@", v->suite->name, v->test->name);
	topo_format(&v->topology, &name);
	if (axes->kernels.n > 1)
		strbuf_appendf(&name, ",%s",
			       axes->kernels_by_id ? v->kernel->id : v->kernel->release);
	if (v->clock.kind == VM_CLOCK_VIRTUAL &&
	    (axes->n_seeds > 1 || v->clock.seed != HARNESS_DEFAULT_SEED))
		strbuf_appendf(&name, ",seed=%llu", (unsigned long long)v->clock.seed);
	if (axes->repeat > 1)
		strbuf_appendf(&name, ",run=%u", v->repeat_index + 1);
	return strbuf_take(&name);
}

static struct error *add_repeats(struct harness_plan *plan, const struct axes *axes,
				 struct harness_variant *v)
{
	for (unsigned int r = 0; r < axes->repeat; r++) {
		if (plan->variants.n >= HARNESS_LIMIT_VARIANTS)
			return harness_error(HARNESS_PLAN, 0,
					     "more than %d variants of tests were asked for",
					     HARNESS_LIMIT_VARIANTS);
		v->repeat_index = r;
		v->name = variant_name(v, axes);
		vec_push(&plan->variants, *v);
	}
	return NULL;
}

static struct error *add_seeds(struct harness_plan *plan, const struct axes *axes,
			       struct harness_variant *v)
{
	struct error *err = NULL;

	for (uint64_t i = 0; !err && i < axes->n_seeds; i++) {
		if (v->clock.kind == VM_CLOCK_VIRTUAL)
			v->clock.seed = axes->clock.first_seed + i;
		if (v->kernel)
			harness_plan_variant_id(v->suite, v->test, &v->topology, v->kernel,
						&v->clock, v->id);
		err = add_repeats(plan, axes, v);
	}
	return err;
}

static struct error *choose_clock(const struct axes *axes, struct harness_variant *v)
{
	struct error *err;

	v->clock = (struct harness_clock){ .kind = axes->clock.kind };
	if (v->clock.kind != VM_CLOCK_VIRTUAL)
		return NULL;
	v->clock.mips = axes->clock.mips;
	err = vm_speed_choose(v->clock.mips, topo_cpus(&v->topology), &v->clock.speed);
	return error_wrap(err, "%s:%s", v->suite->name, v->test->name);
}

static struct error *add_variants(struct harness_plan *plan,
				  const struct harness_plan_options *options,
				  const struct axes *axes, struct harness_variant *v)
{
	struct error *err = choose_clock(axes, v);

	if (err)
		return err;
	if (axes->kernels.n == 0)
		return add_seeds(plan, axes, v);
	for (size_t k = 0; !err && k < axes->kernels.n; k++) {
		v->kernel_index = axes->kernels.at[k];
		v->kernel = options->kernels[v->kernel_index];
		err = add_seeds(plan, axes, v);
	}
	return err;
}

static struct error *add_test(struct harness_plan *plan, const struct harness_plan_options *options,
			      const struct axes *axes, const struct exchange_declared_suite *suite,
			      const struct exchange_declared_test *test)
{
	struct harness_variant v = { .suite = suite, .test = test, .topology = test->topology };
	struct error *err = NULL;

	if (axes->topologies.n == 0)
		return add_variants(plan, options, axes, &v);
	for (size_t i = 0; !err && i < axes->topologies.n; i++) {
		v.topology = axes->topologies.at[i];
		err = add_variants(plan, options, axes, &v);
	}
	return err;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * The parts of a name are foreign: a file may be called "a:b@1n1l1c1t". Reports and records tell
 * variants apart by it, so uniqueness is checked, not assumed.
 */
static struct error *check_names(const struct harness_plan *plan)
{
	_cleanup_free_ char **names = xcalloc(plan->variants.n + 1, sizeof(*names));

	for (size_t i = 0; i < plan->variants.n; i++)
		names[i] = plan->variants.at[i].name;
	qsort(names, plan->variants.n, sizeof(*names), compare_texts);
	for (size_t i = 1; i < plan->variants.n; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			return harness_error(HARNESS_PLAN, 0, "two variants would be called %s",
					     names[i]);
	return NULL;
}

struct error *harness_plan_make(const struct exchange_declared_suite *suites, size_t n,
				const struct harness_plan_options *options,
				struct harness_plan *ret)
{
	_cleanup_(axes_deinit) struct axes axes = { 0 };
	_cleanup_harness_plan_ struct harness_plan plan = { 0 };
	const char *unmatched = harness_plan_find_unmatched(options, suites, n);
	struct error *err;

	if (unmatched)
		return harness_error(HARNESS_PATTERN, 0, "no test matches '%s'", unmatched);
	err = make_axes(options, &axes);
	for (size_t s = 0; s < n; s++) {
		for (size_t t = 0; !err && t < suites[s].tests.n; t++) {
			const struct exchange_declared_test *test = &suites[s].tests.at[t];

			if (is_wanted(options, &suites[s], test))
				err = add_test(&plan, options, &axes, &suites[s], test);
		}
	}
	if (!err)
		err = check_names(&plan);
	if (err)
		return err;
	*ret = plan;
	plan = (struct harness_plan){ 0 };
	return NULL;
}

/* The last `parts` components of a path, or all of it. */
static const char *path_end(const char *path, size_t parts)
{
	const char *at = path + strlen(path);

	while (at > path) {
		at--;
		if (*at == '/' && --parts == 0)
			return at + 1;
	}
	return path;
}

static bool is_alone(const struct exchange_declared_suite *suites, size_t n, size_t which,
		     size_t parts)
{
	const char *mine = path_end(suites[which].path, parts);

	for (size_t i = 0; i < n; i++)
		if (i != which && strcmp(path_end(suites[i].path, parts), mine) == 0)
			return false;
	return true;
}

/*
 * No two names are equal: equal names have equally many components, so each would have been
 * compared with the other and found not to be alone.
 */
struct error *harness_plan_name_suites(struct exchange_declared_suite *suites, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(suites[i].path, suites[j].path) == 0)
				return harness_error(HARNESS_PLAN, 0, "%s was given twice",
						     suites[i].path);
	for (size_t i = 0; i < n; i++) {
		size_t parts = 1;

		/* Paths differ, so this ends: at the latest with a whole path. */
		while (!is_alone(suites, n, i, parts))
			parts++;
		free(suites[i].name);
		suites[i].name = xstrdup(path_end(suites[i].path, parts));
	}
	return NULL;
}

/* With its length, so that no two lists of texts are the same bytes. */
static uint64_t add_text(uint64_t hash, const char *text)
{
	uint64_t n = strlen(text);

	return hash_bytes(hash_bytes(hash, &n, sizeof(n)), text, n);
}

static uint64_t add_texts(uint64_t hash, const struct exchange_text_list *texts)
{
	uint64_t n = texts->n;

	hash = hash_bytes(hash, &n, sizeof(n));
	for (size_t i = 0; i < texts->n; i++)
		hash = add_text(hash, texts->at[i]);
	return hash;
}

/* The order of sysctls and of kernel arguments counts as it does for the kernel. */
void harness_plan_variant_id(const struct exchange_declared_suite *suite,
			     const struct exchange_declared_test *test, const struct topo *booted,
			     const struct kernel *kernel, const struct harness_clock *clock,
			     char ret[HARNESS_VARIANT_ID_CHARS + 1])
{
	_cleanup_strbuf_ struct strbuf topology = STRBUF_INIT;
	uint64_t memory_bytes = (uint64_t)test->memory_mb << 20;
	uint64_t hash = add_text(HASH_INIT, suite->name);

	topo_format(booted, &topology);
	hash = add_text(hash, test->name);
	hash = add_text(hash, strbuf_str(&topology));
	hash = add_texts(hash, &test->scheduler.argv);
	hash = add_texts(hash, &test->scheduler.sysctls);
	hash = add_texts(hash, &test->scheduler.kernel_args);
	hash = add_text(hash, kernel->build_id ? kernel->build_id : kernel->id);
	hash = hash_bytes(hash, &memory_bytes, sizeof(memory_bytes));
	if (clock->kind == VM_CLOCK_VIRTUAL) {
		uint64_t shift = clock->speed.shift;

		hash = add_text(hash, vm_clock_name(clock->kind));
		hash = hash_bytes(hash, &shift, sizeof(shift));
		hash = hash_bytes(hash, &clock->seed, sizeof(clock->seed));
	}
	snprintf(ret, HARNESS_VARIANT_ID_CHARS + 1, "%016llx", (unsigned long long)hash);
}
