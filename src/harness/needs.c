// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/needs.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/slice.h"
#include "harness/limits.h"

#define SCX_OPTION "CONFIG_SCHED_CLASS_EXT"

/* Says in `text` what is missing, or nothing. */
static void check_count(unsigned int found, const char *what, unsigned int min, unsigned int max,
			struct strbuf *text)
{
	if (text->n)
		return;
	if (min && found < min)
		strbuf_appendf(text, "the machine has %u %s, the test needs at least %u", found,
			       what, min);
	else if (max && found > max)
		strbuf_appendf(text, "the machine has %u %s, the test takes at most %u", found,
			       what, max);
}

static void check_cgroup(const struct exchange_declared_cgroup *cgroup, const struct topo *t,
			 struct strbuf *text)
{
	static const char *const what[] = {
		[KTSTR_CPUS_RANGE] = "CPU",
		[KTSTR_CPUS_LLC] = "LLC",
		[KTSTR_CPUS_NODE] = "node",
	};
	unsigned int there = cgroup->cpus.kind == KTSTR_CPUS_RANGE ? topo_cpus(t)
			     : cgroup->cpus.kind == KTSTR_CPUS_LLC ? t->llcs
								   : t->nodes;

	if (text->n || cgroup->cpus.kind == KTSTR_CPUS_ALL || cgroup->cpus.last < there)
		return;
	strbuf_appendf(text, "cgroup %s needs %s %u, the machine has %u", cgroup->name,
		       what[cgroup->cpus.kind], cgroup->cpus.last, there);
}

static void check_topology(const struct exchange_declared_test *test, const struct topo *t,
			   struct strbuf *text)
{
	const struct ktstr_needs *needs = &test->needs;

	check_count(topo_cpus(t), "CPUs", needs->min_cpus, needs->max_cpus, text);
	check_count(t->llcs, "LLCs", needs->min_llcs, needs->max_llcs, text);
	check_count(t->nodes, "nodes", needs->min_nodes, needs->max_nodes, text);
	if (!text->n && needs->smt && t->threads < 2)
		strbuf_append(text, "the machine has one thread per core, the test needs SMT");
	for (size_t i = 0; i < test->cgroups.n; i++)
		check_cgroup(&test->cgroups.at[i], t, text);
}

static bool is_built_without_scx(const struct bytes *config)
{
	struct bytes value;

	return config && harness_kconfig_find(*config, SCX_OPTION, strlen(SCX_OPTION), &value) !=
				 HARNESS_KCONFIG_SET;
}

/* NONE: usable. */
static enum ktstr_reason check_scx(const struct kernel *kernel, const struct bytes *config,
				   struct strbuf *text)
{
	const char *why = kernel->scx_reason ? kernel->scx_reason : "nothing is known";

	if (kernel->scx == KERNEL_SCX_USABLE)
		return KTSTR_REASON_NONE;
	if (kernel->scx == KERNEL_SCX_BROKEN) {
		strbuf_appendf(text, "kernel %s: %s", kernel->release, why);
		return KTSTR_REASON_KERNEL_BTF;
	}
	if (kernel->scx == KERNEL_SCX_ABSENT || is_built_without_scx(config)) {
		strbuf_appendf(text, "kernel %s has no sched_ext", kernel->release);
		return KTSTR_REASON_NEEDS_SCX;
	}
	strbuf_appendf(text, "kernel %s: cannot determine whether it has sched_ext: %s",
		       kernel->release, why);
	return KTSTR_REASON_NO_EVIDENCE;
}

static enum ktstr_reason check_config(const struct exchange_declared_test *test,
				      const struct kernel *kernel, const struct bytes *config,
				      struct strbuf *text)
{
	if (test->kconfig.n && !config) {
		strbuf_appendf(text,
			       "the test needs %s, and kernel %s has no config that can be read",
			       test->kconfig.at[0], kernel->release);
		return KTSTR_REASON_NO_EVIDENCE;
	}
	for (size_t i = 0; i < test->kconfig.n; i++)
		if (!harness_kconfig_has(*config, test->kconfig.at[i], text))
			return KTSTR_REASON_NEEDS_KCONFIG;
	return KTSTR_REASON_NONE;
}

bool harness_needs_met_with(const struct exchange_declared_test *test, const struct topo *topology,
			    const struct kernel *kernel, const struct bytes *config,
			    enum ktstr_reason *ret_reason, char **ret_why)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, maybe_text = STRBUF_INIT;
	enum ktstr_reason reason = KTSTR_REASON_NONE, maybe = KTSTR_REASON_NONE;

	check_topology(test, topology, &text);
	if (text.n)
		reason = KTSTR_REASON_NEEDS_TOPOLOGY;
	else if (test->needs.sched_ext || test->scheduler.argv.n)
		reason = check_scx(kernel, config, &text);
	/* What is known to be missing is said before what is not known. */
	if (reason == KTSTR_REASON_NONE || reason == KTSTR_REASON_NO_EVIDENCE)
		maybe = check_config(test, kernel, config, &maybe_text);
	if (reason == KTSTR_REASON_NONE || maybe == KTSTR_REASON_NEEDS_KCONFIG) {
		if (maybe == KTSTR_REASON_NONE)
			return true;
		*ret_reason = maybe;
		*ret_why = strbuf_take(&maybe_text);
		return false;
	}
	*ret_reason = reason;
	*ret_why = strbuf_take(&text);
	return false;
}

bool harness_needs_met(const struct exchange_declared_test *test, const struct topo *topology,
		       const struct kernel *kernel, enum ktstr_reason *ret_reason, char **ret_why)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;
	struct bytes config;

	if (kernel->config_path)
		err = io_read_file(kernel->config_path, HARNESS_LIMIT_CONFIG_BYTES, &text);
	config = (struct bytes){ (const uint8_t *)strbuf_str(&text), text.n };
	/* One that cannot be read says as little as none. */
	return harness_needs_met_with(test, topology, kernel,
				      kernel->config_path && !err ? &config : NULL, ret_reason,
				      ret_why);
}

enum { VALUE_SHOWN = 64 };

enum harness_kconfig_state harness_kconfig_find(struct bytes config, const char *option, size_t n,
						struct bytes *ret)
{
	_cleanup_free_ char *set = xasprintf("%.*s=", (int)n, option);
	_cleanup_free_ char *unset = xasprintf("# %.*s is not set", (int)n, option);
	enum harness_kconfig_state state = HARNESS_KCONFIG_ABSENT;
	struct slice rest = { (const char *)config.at, config.n }, line, value = { 0 };

	while (slice_take_line(&rest, &line)) {
		while (line.n && slice_is_blank(line.at[line.n - 1]))
			line.n--;
		if (slice_starts_with(line, set)) {
			state = HARNESS_KCONFIG_SET;
			value = (struct slice){ line.at + n + 1, line.n - n - 1 };
		} else if (slice_equal(line, unset)) {
			state = HARNESS_KCONFIG_NOT_SET;
		}
	}
	if (state == HARNESS_KCONFIG_SET)
		*ret = (struct bytes){ (const uint8_t *)value.at, value.n };
	return state;
}

static bool value_is(struct bytes value, const char *text)
{
	return value.n == strlen(text) && memcmp(value.at, text, value.n) == 0;
}

bool harness_kconfig_has(struct bytes config, const char *wanted, struct strbuf *why)
{
	size_t option_n = strcspn(wanted, "=");
	const char *want = wanted[option_n] ? wanted + option_n + 1 : NULL;
	struct bytes value = { 0 };
	enum harness_kconfig_state state = harness_kconfig_find(config, wanted, option_n, &value);

	if (state == HARNESS_KCONFIG_SET) {
		if (want ? value_is(value, want) : value_is(value, "y") || value_is(value, "m"))
			return true;
		strbuf_appendf(why, "%.*s is %.*s, not %s", (int)option_n, wanted,
			       value.n > VALUE_SHOWN ? VALUE_SHOWN : (int)value.n,
			       (const char *)value.at, want ? want : "y or m");
		return false;
	}
	if (want && strcmp(want, "n") == 0)
		return true;
	if (state == HARNESS_KCONFIG_NOT_SET)
		strbuf_appendf(why, "%.*s is not set", (int)option_n, wanted);
	else
		strbuf_appendf(why, "the config of the kernel does not mention %.*s", (int)option_n,
			       wanted);
	return false;
}
