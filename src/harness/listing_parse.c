// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/listing.h"

#include <stdlib.h>
#include <string.h>

#include "checks/check.h"
#include "harness/limits.h"
#include "json/doc.h"
#include "result/verdict.h"

/* An object and where it stands: "tests[3].needs". */
struct place {
	const struct json_value *object;
	char path[64];
};

static struct error *bad(const struct place *in, const char *name, const char *what)
{
	return harness_error(HARNESS_LISTING, 0, "%s%s%s %s", in->path, in->path[0] ? "." : "",
			     name, what);
}

/* The array `name`, or an object in it. */
static struct place place_below(const struct place *in, const char *name,
				const struct json_value *object)
{
	struct place p = { .object = object };

	/* All names are ours and short. */
	snprintf(p.path, sizeof(p.path), "%.40s%s%.20s", in->path, in->path[0] ? "." : "", name);
	return p;
}

static struct error *get_object(const struct place *in, const char *name, struct place *ret)
{
	const struct json_value *value = json_find(in->object, name);

	if (json_type_of(value) != JSON_OBJECT)
		return bad(in, name, "is no object");
	*ret = place_below(in, name, value);
	return NULL;
}

static struct error *get_array(const struct place *in, const char *name, size_t limit,
			       const struct json_value **ret)
{
	const struct json_value *value = json_find(in->object, name);

	if (json_type_of(value) != JSON_ARRAY)
		return bad(in, name, "is no list");
	if (json_length(value) > limit)
		return bad(in, name, "has too many rows");
	*ret = value;
	return NULL;
}

static struct error *get_bool(const struct place *in, const char *name, bool *ret)
{
	return json_get_bool(json_find(in->object, name), ret)
		       ? NULL
		       : bad(in, name, "is neither true nor false");
}

static struct error *get_uint(const struct place *in, const char *name, uint64_t limit,
			      unsigned int *ret)
{
	uint64_t value;

	if (!json_get_u64(json_find(in->object, name), &value))
		return bad(in, name, "is no whole number");
	if (value > limit)
		return bad(in, name, "is too large");
	*ret = (unsigned int)value;
	return NULL;
}

/* A number that need not be there. */
static struct error *get_limit(const struct place *in, const char *name, bool at_least,
			       struct ktstr_limit *ret)
{
	const struct json_value *value = json_find(in->object, name);
	double number;

	if (!value)
		return NULL;
	if (!json_get_double(value, &number))
		return bad(in, name, "is no number");
	*ret = (struct ktstr_limit){ .set = true, .at_least = at_least, .value = number };
	return NULL;
}

static struct error *copy_text(const struct place *in, const char *name,
			       const struct json_value *value, size_t limit, char **ret)
{
	struct json_text text = json_string(value);

	if (!text.at)
		return bad(in, name, "is no text");
	if (text.n > limit)
		return bad(in, name, "is too long");
	if (memchr(text.at, 0, text.n))
		return bad(in, name, "holds a zero byte");
	*ret = xstrndup(text.at, text.n);
	return NULL;
}

static struct error *get_text(const struct place *in, const char *name, size_t limit, char **ret)
{
	return copy_text(in, name, json_find(in->object, name), limit, ret);
}

static struct error *get_list(const struct place *in, const char *name, struct text_list *ret)
{
	const struct json_value *array;
	struct json_iter it;
	struct error *err = get_array(in, name, HARNESS_LIMIT_ROWS, &array);

	if (err)
		return err;
	ret->at = xcalloc(json_length(array) + 1, sizeof(*ret->at));
	it = json_iter_over(array);
	while (!err && json_iter_next(&it)) {
		err = copy_text(in, name, it.value, HARNESS_LIMIT_TEXT, &ret->at[ret->n]);
		if (!err)
			ret->n++;
	}
	return err;
}

static bool is_word(const char *text, const char *more)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	while (text[n] && strchr(more, text[n]))
		n += 1 + strspn(text + n + 1,
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	return n > 0 && !text[n];
}

/* It becomes part of a file's name. */
static struct error *get_test_name(const struct place *in, char **ret)
{
	struct error *err = get_text(in, "name", HARNESS_LIMIT_NAME, ret);

	if (!err && (!is_word(*ret, "") || (**ret >= '0' && **ret <= '9')))
		err = bad(in, "name", "is no C identifier");
	return err;
}

static struct error *get_topology(const struct place *in, struct topology *ret)
{
	_cleanup_free_ char *text = NULL;
	struct error *err = get_text(in, "topology", TOPOLOGY_LIMIT_TEXT, &text);

	if (err)
		return err;
	err = topology_parse(text, ret);
	return error_recast(error_wrap(err, "%s.topology", in->path), &harness_error_domain,
			    HARNESS_LISTING);
}

static struct error *get_scheduler(const struct place *test, struct declared_scheduler *ret)
{
	const struct json_value *value = json_find(test->object, "scheduler");
	struct place in;
	struct error *err;

	if (value && json_type_of(value) == JSON_NULL) {
		/* Lists are never NULL, so that they can be handed to whoever walks to the end. */
		ret->name = xstrdup("");
		ret->argv.at = xcalloc(1, sizeof(char *));
		ret->files.at = xcalloc(1, sizeof(char *));
		ret->sysctls.at = xcalloc(1, sizeof(char *));
		ret->kernel_args.at = xcalloc(1, sizeof(char *));
		return NULL;
	}
	err = get_object(test, "scheduler", &in);
	if (!err)
		err = get_text(&in, "name", HARNESS_LIMIT_TEXT, &ret->name);
	if (!err)
		err = get_list(&in, "argv", &ret->argv);
	if (!err && ret->argv.n && !ret->argv.at[0][0])
		err = bad(&in, "argv", "begins with an empty word");
	if (!err)
		err = get_list(&in, "files", &ret->files);
	if (!err)
		err = get_list(&in, "sysctls", &ret->sysctls);
	if (!err)
		err = get_list(&in, "kernel_args", &ret->kernel_args);
	if (!err)
		err = get_uint(&in, "attach_timeout_s", HARNESS_LIMIT_SECONDS,
			       &ret->attach_timeout_s);
	/* Absent in lists of older test binaries, which may not. */
	if (!err && json_find(in.object, "may_restart"))
		err = get_bool(&in, "may_restart", &ret->may_restart);
	return err;
}

static bool take_number(const char **at, unsigned int limit, unsigned int *ret)
{
	unsigned int value = 0;
	const char *digits = *at;

	for (; **at >= '0' && **at <= '9'; ++*at) {
		value = value * 10 + (unsigned int)(**at - '0');
		if (value >= limit)
			return false;
	}
	*ret = value;
	return *at != digits;
}

/* "all", "llc:0", "node:0", "cpus:0-3" */
static bool parse_cpus(const char *text, struct ktstr_cpus *ret)
{
	static const struct {
		const char *word;
		enum ktstr_cpus_kind kind;
	} kinds[] = {
		{ "cpus:", KTSTR_CPUS_RANGE },
		{ "llc:", KTSTR_CPUS_LLC },
		{ "node:", KTSTR_CPUS_NODE },
	};

	if (strcmp(text, "all") == 0) {
		*ret = (struct ktstr_cpus){ .kind = KTSTR_CPUS_ALL };
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		size_t n = strlen(kinds[i].word);
		const char *at = text + n;

		if (strncmp(text, kinds[i].word, n) != 0)
			continue;
		ret->kind = kinds[i].kind;
		if (!take_number(&at, TOPO_LIMIT_CPUS, &ret->first))
			return false;
		ret->last = ret->first;
		if (ret->kind == KTSTR_CPUS_RANGE && *at == '-') {
			at++;
			if (!take_number(&at, TOPO_LIMIT_CPUS, &ret->last))
				return false;
		}
		return !*at && ret->first <= ret->last;
	}
	return false;
}

static struct error *get_work(const struct place *cgroup, struct declared_cgroup *ret)
{
	const struct json_value *value = json_find(cgroup->object, "work");
	struct place in;
	struct error *err;

	if (value && json_type_of(value) == JSON_NULL)
		return NULL;
	err = get_object(cgroup, "work", &in);
	if (!err)
		err = get_text(&in, "kind", HARNESS_LIMIT_NAME, &ret->work);
	if (!err && !is_word(ret->work, "-"))
		err = bad(&in, "kind", "is no word");
	if (!err)
		err = get_uint(&in, "workers", HARNESS_LIMIT_WORKERS, &ret->workers);
#define KTSTR_WORK_PARAM(name, words)            \
	if (!err && json_find(in.object, #name)) \
		err = get_uint(&in, #name, UINT32_MAX, &ret->name);
#include <ktstr/work_params.def>
#undef KTSTR_WORK_PARAM
	return err;
}

static struct error *get_cgroup(const struct place *in, struct declared_cgroup *ret)
{
	_cleanup_free_ char *cpus = NULL;
	struct error *err = get_text(in, "name", HARNESS_LIMIT_NAME, &ret->name);

	/* It becomes a folder in the guest and a word of reports here. */
	if (!err && (!is_word(ret->name, ".-") || ret->name[0] == '.'))
		err = bad(in, "name", "is no name of a cgroup");
	if (!err)
		err = get_text(in, "cpus", HARNESS_LIMIT_NAME, &cpus);
	if (!err && !parse_cpus(cpus, &ret->cpus))
		err = bad(in, "cpus", "is none of all, llc:N, node:N, cpus:N-M");
	if (!err)
		err = get_work(in, ret);
	return err;
}

static struct error *get_cgroups(const struct place *test, struct declared_test *ret)
{
	const struct json_value *array;
	struct json_iter it;
	struct error *err = get_array(test, "cgroups", HARNESS_LIMIT_ROWS, &array);

	if (err)
		return err;
	it = json_iter_over(array);
	while (!err && json_iter_next(&it)) {
		char name[32];
		struct place in;

		snprintf(name, sizeof(name), "cgroups[%zu]", it.index);
		in = place_below(test, name, it.value);
		vec_push(&ret->cgroups, (struct declared_cgroup){ 0 });
		err = get_cgroup(&in, &ret->cgroups.at[ret->cgroups.n - 1]);
	}
	return err;
}

/* The suite has resolved what "by default" means. */
static struct error *get_check(const struct place *in, const struct checks_row *row,
			       struct ktstr_checks *ret)
{
	bool required = false;
	struct error *err;

	if (row->form != CHECKS_DEMAND)
		return get_limit(in, row->name, row->form == CHECKS_AT_LEAST,
				 checks_limit(row, ret));
	err = get_bool(in, row->name, &required);
	if (!err)
		*checks_demand(row, ret) = required ? KTSTR_REQUIRED : KTSTR_OFF;
	return err;
}

static struct error *get_checks(const struct place *test, struct declared_test *to)
{
	struct place in;
	struct error *err = get_object(test, "checks", &in);

	for (size_t i = 0; !err && i < checks_n_rows; i++)
		err = get_check(&in, &checks_rows[i], &to->checks);
	to->knows_declared_checks = !err && json_find(in.object, "declared");
	if (to->knows_declared_checks)
		err = get_list(&in, "declared", &to->declared_checks);
	return err;
}

static struct error *get_needs(const struct place *test, struct declared_test *ret)
{
	const struct {
		const char *name;
		unsigned int *ret;
	} rows[] = {
		{ "min_cpus", &ret->needs.min_cpus },	{ "max_cpus", &ret->needs.max_cpus },
		{ "min_llcs", &ret->needs.min_llcs },	{ "max_llcs", &ret->needs.max_llcs },
		{ "min_nodes", &ret->needs.min_nodes }, { "max_nodes", &ret->needs.max_nodes },
	};
	struct place in;
	struct error *err = get_object(test, "needs", &in);

	if (!err)
		err = get_bool(&in, "sched_ext", &ret->needs.sched_ext);
	if (!err)
		err = get_bool(&in, "smt", &ret->needs.smt);
	for (size_t i = 0; !err && i < ARRAY_SIZE(rows); i++)
		err = get_uint(&in, rows[i].name, UINT32_MAX, rows[i].ret);
	if (!err)
		err = get_list(&in, "kconfig", &ret->kconfig);
	return err;
}

static struct error *get_expect(const struct place *in, enum ktstr_reason *ret)
{
	struct json_text word = json_string(json_find(in->object, "expect"));

	if (!word.at || !reason_find(word.at, word.n, ret) ||
	    (*ret != KTSTR_REASON_NONE && reason_verdict(*ret) != KTSTR_FAIL))
		return bad(in, "expect", "is no reason of a failure");
	return NULL;
}

static struct error *get_test(const struct place *in, struct declared_test *ret)
{
	unsigned int line = 0;
	struct error *err = get_test_name(in, &ret->name);

	if (!err)
		err = get_text(in, "file", HARNESS_LIMIT_TEXT, &ret->file);
	if (!err)
		err = get_uint(in, "line", INT32_MAX, &line);
	ret->line = (int)line;
	if (!err && json_find(in->object, "description"))
		err = get_text(in, "description", HARNESS_LIMIT_TEXT, &ret->description);
	else if (!err)
		ret->description = xstrdup("");
	if (!err)
		err = get_topology(in, &ret->topology);
	if (!err)
		err = get_uint(in, "memory_mb", HARNESS_LIMIT_MEMORY_MB, &ret->memory_mb);
	if (!err)
		err = get_uint(in, "duration_s", HARNESS_LIMIT_SECONDS, &ret->duration_s);
	if (!err)
		err = get_uint(in, "timeout_s", HARNESS_LIMIT_SECONDS, &ret->timeout_s);
	if (!err)
		err = get_scheduler(in, &ret->scheduler);
	if (!err)
		err = get_list(in, "files", &ret->files);
	if (!err)
		err = get_cgroups(in, ret);
	if (!err)
		err = get_checks(in, ret);
	if (!err)
		err = get_needs(in, ret);
	if (!err)
		err = get_expect(in, &ret->expect);
	if (!err)
		err = get_bool(in, "has_run", &ret->has_run);
	return err;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct declared_test *)a)->name,
		      ((const struct declared_test *)b)->name);
}

static struct error *get_tests(const struct place *root, struct declared_suite *suite)
{
	const struct json_value *array;
	struct json_iter it;
	struct error *err = get_array(root, "tests", HARNESS_LIMIT_TESTS, &array);

	if (err)
		return err;
	it = json_iter_over(array);
	while (!err && json_iter_next(&it)) {
		char name[32];
		struct place in;

		snprintf(name, sizeof(name), "tests[%zu]", it.index);
		in = place_below(root, name, it.value);
		vec_push(&suite->tests, (struct declared_test){ 0 });
		err = get_test(&in, &suite->tests.at[suite->tests.n - 1]);
	}
	if (err || suite->tests.n == 0)
		return err;
	qsort(suite->tests.at, suite->tests.n, sizeof(*suite->tests.at), compare_names);
	for (size_t i = 1; i < suite->tests.n; i++)
		if (compare_names(&suite->tests.at[i - 1], &suite->tests.at[i]) == 0)
			return harness_error(HARNESS_LISTING, 0, "two tests are called %s",
					     suite->tests.at[i].name);
	return NULL;
}

static struct error *check_api(const struct place *root, const char *label)
{
	uint64_t api;

	if (!json_get_u64(json_find(root->object, "ktstr_api"), &api))
		return harness_error(HARNESS_NOT_TESTS, 0,
				     "%s is no ktstr test binary: it names no ktstr_api", label);
	if (api == KTSTR_API_VERSION)
		return NULL;
	return harness_error(HARNESS_API, 0, "this ktstr knows %d, %s speaks %llu: %s%s",
			     KTSTR_API_VERSION, label, (unsigned long long)api,
			     api < KTSTR_API_VERSION ? "rebuild " : "a newer ktstr is needed",
			     api < KTSTR_API_VERSION ? label : "");
}

struct error *listing_parse(const char *text, size_t n, const char *label,
			    struct declared_suite *ret)
{
	_cleanup_declared_suite_ struct declared_suite suite = { 0 };
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct place root = { 0 };
	struct error *err;

	if (n > HARNESS_LIMIT_LISTING_BYTES)
		return harness_error(HARNESS_LISTING, 0, "%s lists more than %d bytes", label,
				     HARNESS_LIMIT_LISTING_BYTES);
	err = json_doc_parse(text, n, "what it lists", &doc);
	if (err)
		return error_wrap(error_recast(err, &harness_error_domain, HARNESS_NOT_TESTS),
				  "%s is no ktstr test binary", label);
	root.object = json_doc_root(doc);
	err = check_api(&root, label);
	if (err)
		return err;
	err = get_tests(&root, &suite);
	if (err)
		return error_wrap(err, "what %s lists", label);
	*ret = suite;
	suite = (struct declared_suite){ 0 };
	return NULL;
}
