// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/harness/listing.c src/exchange/declaration.c */
/*
 * Any bytes as what a test binary lists: either they are refused, or every test in them is one that
 * the rest of the room may rely on without looking again.
 */
#include "fuzz.h"

#include "fuzz_json.h"
#include "harness/limits.h"
#include "harness/session.h"
#include "result/outcome.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

static void check_list(const struct exchange_text_list *list)
{
	FUZZ_MUST(list->at && list->n <= EXCHANGE_LIMIT_LIST && !list->at[list->n]);
	for (size_t i = 0; i < list->n; i++)
		FUZZ_MUST(list->at[i] && strlen(list->at[i]) <= EXCHANGE_LIMIT_DECLARED_TEXT);
}

/* Written here a second time, in another way. */
static void check_identifier(const char *name)
{
	size_t n = strlen(name);

	FUZZ_MUST(n > 0 && n <= EXCHANGE_LIMIT_DECLARED_NAME && (name[0] < '0' || name[0] > '9'));
	for (size_t i = 0; i < n; i++)
		FUZZ_MUST(name[i] == '_' || (name[i] >= '0' && name[i] <= '9') ||
			  ((name[i] | 0x20) >= 'a' && (name[i] | 0x20) <= 'z'));
}

static void check_cgroup(const struct exchange_declared_cgroup *cgroup)
{
	FUZZ_MUST(cgroup->name && cgroup->name[0] && cgroup->name[0] != '.');
	FUZZ_MUST(!strpbrk(cgroup->name, "/ \t\n"));
	FUZZ_MUST(cgroup->cpus.kind <= KTSTR_CPUS_NODE);
	FUZZ_MUST(cgroup->cpus.first <= cgroup->cpus.last);
	FUZZ_MUST(cgroup->cpus.last < TOPO_LIMIT_CPUS);
	FUZZ_MUST(cgroup->workers <= EXCHANGE_LIMIT_WORKERS);
}

static void check_test(const struct exchange_declared_test *test)
{
	struct error *err = topo_check(&test->topology);

	FUZZ_MUST(!err);
	check_identifier(test->name);
	FUZZ_MUST(test->file && test->description && test->line >= 0);
	FUZZ_MUST(test->duration_s <= EXCHANGE_LIMIT_SECONDS);
	FUZZ_MUST(test->timeout_s <= EXCHANGE_LIMIT_SECONDS);
	FUZZ_MUST(test->scheduler.attach_timeout_s <= EXCHANGE_LIMIT_SECONDS);
	FUZZ_MUST(test->memory_mb <= EXCHANGE_LIMIT_MEMORY_MB);
	FUZZ_MUST(test->scheduler.name);
	check_list(&test->scheduler.argv);
	FUZZ_MUST(!test->scheduler.argv.n || test->scheduler.argv.at[0][0]);
	check_list(&test->scheduler.files);
	check_list(&test->scheduler.sysctls);
	check_list(&test->scheduler.kernel_args);
	check_list(&test->files);
	check_list(&test->kconfig);
	FUZZ_MUST(test->cgroups.n <= EXCHANGE_LIMIT_LIST);
	for (size_t i = 0; i < test->cgroups.n; i++)
		check_cgroup(&test->cgroups.at[i]);
	FUZZ_MUST(test->checks.progress != KTSTR_BY_DEFAULT);
	FUZZ_MUST(test->expect == KTSTR_REASON_NONE ||
		  result_reason_verdict(test->expect) == KTSTR_FAIL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };
	_cleanup_error_ struct error *refused = harness_listing_parse((const char *)data, n, "fuzz",
								      &suite);

	if (refused) {
		/* Somewhere inside a test. */
		if (strstr(error_message(refused), "tests["))
			fuzz_mark_deep();
		FUZZ_MUST(error_domain_of(refused) == &harness_error_domain);
		FUZZ_MUST(!suite.tests.at);
		return 0;
	}
	fuzz_mark_deep();
	FUZZ_MUST(suite.tests.n <= EXCHANGE_LIMIT_TESTS);
	for (size_t i = 0; i < suite.tests.n; i++) {
		check_test(&suite.tests.at[i]);
		FUZZ_MUST(i == 0 || strcmp(suite.tests.at[i - 1].name, suite.tests.at[i].name) < 0);
	}
	return 0;
}
