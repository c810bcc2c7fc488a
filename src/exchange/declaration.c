// SPDX-License-Identifier: LGPL-2.1-or-later
#include "exchange/declaration.h"

#include <string.h>

#include "base/slice.h"

#define WORD_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

static bool is_word(const char *text, const char *more)
{
	size_t n = strspn(text, WORD_LETTERS);

	while (text[n] && strchr(more, text[n]))
		n += 1 + strspn(text + n + 1, WORD_LETTERS);
	return n > 0 && !text[n];
}

/* It becomes part of a file's name. */
static const char *check_test_name(const void *member)
{
	const char *name = *(char *const *)member;

	return is_word(name, "") && !(*name >= '0' && *name <= '9') ? NULL
								    : "is not a C identifier";
}

/* It becomes a directory in the guest and a word of reports here. */
static const char *check_cgroup_name(const void *member)
{
	const char *name = *(char *const *)member;

	return is_word(name, ".-") && *name != '.' ? NULL : "is not the name of a cgroup";
}

static const char *check_kind(const void *member)
{
	return is_word(*(char *const *)member, "-") ? NULL : "is not the name of a kind";
}

static const char *check_argv(const void *member)
{
	const struct exchange_text_list *argv = member;

	return argv->n && !argv->at[0][0] ? "begins with an empty word" : NULL;
}

static struct error *read_topology(const struct json_value *value, void *member)
{
	struct json_text text = json_string(value);
	_cleanup_free_ char *copy = NULL;

	if (!text.at || text.n > TOPO_LIMIT_TEXT_BYTES)
		return base_error(BASE_PARSE, 0, "it is not a short string");
	copy = xstrndup(text.at, text.n);
	return error_recast(topo_parse(copy, member), &base_error_domain, BASE_PARSE);
}

static void write_topology(const void *member, struct json_writer *w)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	topo_format_shape(member, &text);
	json_write_string(w, strbuf_str(&text));
}

static const struct json_codec topology_codec = {
	.type = "string",
	.read = read_topology,
	.write = write_topology,
};

static const char *const cpus_words[] = {
	[KTSTR_CPUS_RANGE] = "cpus:",
	[KTSTR_CPUS_LLC] = "llc:",
	[KTSTR_CPUS_NODE] = "node:",
};

static bool take_number(struct slice *rest, unsigned int *ret)
{
	uint64_t value;

	if (!slice_take_u64(rest, &value) || value >= TOPO_LIMIT_CPUS)
		return false;
	*ret = (unsigned int)value;
	return true;
}

/* "all", "llc:0", "node:0", "cpus:0-3" */
static bool parse_cpus(struct json_text text, struct ktstr_cpus *ret)
{
	struct slice rest = { text.at, text.n };

	if (json_text_is(text, "all")) {
		*ret = (struct ktstr_cpus){ .kind = KTSTR_CPUS_ALL };
		return true;
	}
	for (size_t i = 0; text.at && i < ARRAY_SIZE(cpus_words); i++) {
		size_t n = cpus_words[i] ? strlen(cpus_words[i]) : 0;

		if (!n || !slice_starts_with(rest, cpus_words[i]))
			continue;
		rest = (struct slice){ rest.at + n, rest.n - n };
		ret->kind = (enum ktstr_cpus_kind)i;
		if (!take_number(&rest, &ret->first))
			return false;
		ret->last = ret->first;
		if (ret->kind == KTSTR_CPUS_RANGE && slice_take_char(&rest, '-') &&
		    !take_number(&rest, &ret->last))
			return false;
		return rest.n == 0 && ret->first <= ret->last;
	}
	return false;
}

static struct error *read_cpus(const struct json_value *value, void *member)
{
	return parse_cpus(json_string(value), member)
		       ? NULL
		       : base_error(BASE_PARSE, 0, "it is none of all, llc:N, node:N, cpus:N-M");
}

static void write_cpus(const void *member, struct json_writer *w)
{
	const struct ktstr_cpus *cpus = member;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (cpus->kind == KTSTR_CPUS_ALL)
		strbuf_append(&text, "all");
	else
		strbuf_appendf(&text, "%s%u", cpus_words[cpus->kind], cpus->first);
	if (cpus->kind == KTSTR_CPUS_RANGE && cpus->last != cpus->first)
		strbuf_appendf(&text, "-%u", cpus->last);
	json_write_string(w, strbuf_str(&text));
}

static const struct json_codec cpus_codec = {
	.type = "string",
	.read = read_cpus,
	.write = write_cpus,
};

#define SCHEDULER(member) JSON_SCALAR(struct exchange_declared_scheduler, member)
#define SETTINGS(member)                                                                     \
	JSON_STRINGS(struct exchange_declared_scheduler, member), .presence = JSON_REQUIRED, \
		.with = "name"

static const struct json_row scheduler_rows[] = {
	{ SCHEDULER(name), .presence = JSON_REQUIRED, .means = "for people; empty without argv" },
	{ SETTINGS(argv), .check = check_argv, .means = "the scheduler's command line" },
	{ SETTINGS(files), .means = "what else it needs in the guest" },
	{ SETTINGS(sysctls), .means = "settings of the kernel before it starts" },
	{ SETTINGS(kernel_args), .means = "arguments of the guest's kernel" },
	{ SCHEDULER(attach_timeout_s), .presence = JSON_REQUIRED, .with = "name",
	  .limit = EXCHANGE_LIMIT_SECONDS, .means = "0: the suite's own rule" },
	{ SCHEDULER(may_restart), .with = "name",
	  .means = "it may be detached and attached again" },
};
static const struct json_rows scheduler_table = {
	JSON_TABLE(scheduler_rows),
	.text_limit = EXCHANGE_LIMIT_DECLARED_TEXT,
	.list_limit = EXCHANGE_LIMIT_LIST,
};

static const struct json_row work_rows[] = {
	{ JSON_SCALAR_AS(struct exchange_declared_cgroup, work, "kind"), .presence = JSON_REQUIRED,
	  .limit = EXCHANGE_LIMIT_DECLARED_NAME, .check = check_kind,
	  .means = "name of the kind of work" },
	{ JSON_SCALAR(struct exchange_declared_cgroup, workers), .presence = JSON_REQUIRED,
	  .with = "kind", .limit = EXCHANGE_LIMIT_WORKERS, .means = "how many processes" },
#define KTSTR_WORK_PARAM(name, words)                                         \
	{ JSON_SCALAR(struct exchange_declared_cgroup, name), .with = "kind", \
	  .means = "milliseconds " words },
#include <ktstr/work_params.def>
#undef KTSTR_WORK_PARAM
};
static const struct json_rows work_table = { JSON_TABLE(work_rows) };

static const struct json_row cgroup_rows[] = {
	{ JSON_SCALAR(struct exchange_declared_cgroup, name), .presence = JSON_REQUIRED,
	  .limit = EXCHANGE_LIMIT_DECLARED_NAME, .check = check_cgroup_name,
	  .means = "name of the cgroup" },
	{ JSON_CUSTOM(struct exchange_declared_cgroup, cpus, &cpus_codec),
	  .presence = JSON_REQUIRED, .means = "all, llc:N, node:N or cpus:N-M" },
	{ JSON_GROUP("work", &work_table), .presence = JSON_REQUIRED_OR_NULL, .absent_zero = true,
	  .means = "what its workers do" },
};
static const struct json_rows cgroup_table = { JSON_TABLE(cgroup_rows) };

/* The suite has resolved what "by default" means. */
static struct error *read_demand(const struct json_value *value, void *member)
{
	bool required = false;

	if (!json_get_bool(value, &required))
		return base_error(BASE_PARSE, 0, "it is neither true nor false");
	*(enum ktstr_demand *)member = required ? KTSTR_REQUIRED : KTSTR_OFF;
	return NULL;
}

static void write_demand(const void *member, struct json_writer *w)
{
	json_write_bool(w, *(const enum ktstr_demand *)member == KTSTR_REQUIRED);
}

static struct error *read_limit(const struct json_value *value, void *member)
{
	struct ktstr_limit *limit = member;

	limit->set = json_get_double(value, &limit->value);
	return limit->set ? NULL : base_error(BASE_PARSE, 0, "it is not a number");
}

static struct error *read_lower_limit(const struct json_value *value, void *member)
{
	((struct ktstr_limit *)member)->at_least = true;
	return read_limit(value, member);
}

static bool limit_is_absent(const void *member)
{
	return !((const struct ktstr_limit *)member)->set;
}

static void write_limit(const void *member, struct json_writer *w)
{
	json_write_double(w, ((const struct ktstr_limit *)member)->value);
}

static const struct json_codec codec_DEMAND = {
	.type = "true or false",
	.read = read_demand,
	.write = write_demand,
};
static const struct json_codec codec_AT_MOST = {
	.type = "number",
	.read = read_limit,
	.is_absent = limit_is_absent,
	.write = write_limit,
};
static const struct json_codec codec_AT_LEAST UNUSED = {
	.type = "number",
	.read = read_lower_limit,
	.is_absent = limit_is_absent,
	.write = write_limit,
};
enum {
	PRESENCE_DEMAND = JSON_REQUIRED,
	PRESENCE_AT_MOST = JSON_OPTIONAL,
	PRESENCE_AT_LEAST = JSON_OPTIONAL,
};

static const struct json_row checks_rows[] = {
#define KTSTR_CHECK(name_, form, unit, by_default, meaning)                \
	{ .name = #name_,                                                  \
	  .type = JSON_ROW_CUSTOM,                                         \
	  .codec = &codec_##form,                                          \
	  .offset = offsetof(struct exchange_declared_test, checks.name_), \
	  .presence = (enum json_presence)PRESENCE_##form,                 \
	  .means = meaning },
#include <ktstr/checks.def>
#undef KTSTR_CHECK
	{ JSON_STRINGS_AS(struct exchange_declared_test, declared_checks, "declared"),
	  JSON_HAS(struct exchange_declared_test, knows_declared_checks),
	  .means = "those that the author wrote down; the others are so by default" },
};
static const struct json_rows checks_table = {
	JSON_TABLE(checks_rows),
	.text_limit = EXCHANGE_LIMIT_DECLARED_TEXT,
	.list_limit = EXCHANGE_LIMIT_LIST,
};

#define NEED(member, words)                                                     \
	{ JSON_SCALAR_AS(struct exchange_declared_test, needs.member, #member), \
	  .presence = JSON_REQUIRED, .means = words }
static const struct json_row needs_rows[] = {
	NEED(sched_ext, "a kernel with sched_ext"),
	NEED(smt, "a machine with SMT"),
	NEED(min_cpus, "CPUs at least"),
	NEED(max_cpus, "CPUs at most; 0: no limit"),
	NEED(min_llcs, "caches at least"),
	NEED(max_llcs, "caches at most; 0: no limit"),
	NEED(min_nodes, "NUMA nodes at least"),
	NEED(max_nodes, "NUMA nodes at most; 0: no limit"),
	{ JSON_STRINGS(struct exchange_declared_test, kconfig), .presence = JSON_REQUIRED,
	  .means = "options of the kernel's configuration" },
};
static const struct json_rows needs_table = {
	JSON_TABLE(needs_rows),
	.text_limit = EXCHANGE_LIMIT_DECLARED_TEXT,
	.list_limit = EXCHANGE_LIMIT_LIST,
};

/* It must happen, so it must be a failure. */
static struct error *read_expect(const struct json_value *value, void *member)
{
	struct json_text word = json_string(value);

	for (size_t i = 0; word.at && i < KTSTR_N_REASONS; i++)
		if (json_text_is(word, exchange_reason_names[i]) &&
		    (i == KTSTR_REASON_NONE || exchange_reason_verdicts[i] == KTSTR_FAIL)) {
			*(enum ktstr_reason *)member = (enum ktstr_reason)i;
			return NULL;
		}
	return base_error(BASE_PARSE, 0, "it is not the reason of a failure");
}

static void write_expect(const void *member, struct json_writer *w)
{
	json_write_string(w, exchange_reason_names[*(const enum ktstr_reason *)member]);
}

static const struct json_codec expect_codec = {
	.type = "string",
	.read = read_expect,
	.write = write_expect,
};

#define TEST(member)	 JSON_SCALAR(struct exchange_declared_test, member)
#define REQUIRED(member) TEST(member), .presence = JSON_REQUIRED
static const struct json_row test_rows[] = {
	{ REQUIRED(name), .limit = EXCHANGE_LIMIT_DECLARED_NAME, .check = check_test_name,
	  .means = "name of the test" },
	{ REQUIRED(file), .means = "source file" },
	{ REQUIRED(line), .means = "line in it" },
	{ TEST(description), .means = "for people" },
	{ JSON_CUSTOM(struct exchange_declared_test, topology, &topology_codec),
	  .presence = JSON_REQUIRED, .means = "the machine" },
	{ REQUIRED(memory_mb), .limit = EXCHANGE_LIMIT_MEMORY_MB,
	  .means = "0: enough for the machine" },
	{ REQUIRED(duration_s), .limit = EXCHANGE_LIMIT_SECONDS,
	  .means = "how long the work runs" },
	{ REQUIRED(timeout_s), .limit = EXCHANGE_LIMIT_SECONDS, .means = "0: from the duration" },
	{ JSON_OBJECT_OF(struct exchange_declared_test, scheduler, &scheduler_table),
	  .presence = JSON_REQUIRED_OR_NULL, .absent_zero = true,
	  .means = "the scheduler under test and settings of the kernel" },
	{ JSON_STRINGS(struct exchange_declared_test, files), .presence = JSON_REQUIRED,
	  .means = "files that go into the guest" },
	{ JSON_OBJECTS(struct exchange_declared_test, cgroups, &cgroup_table),
	  .presence = JSON_REQUIRED, .means = "cgroups and their work" },
	{ JSON_GROUP("checks", &checks_table), .presence = JSON_REQUIRED,
	  .means = "what must hold" },
	{ JSON_GROUP("needs", &needs_table), .presence = JSON_REQUIRED,
	  .means = "what must be there, or the test is skipped" },
	{ JSON_CUSTOM(struct exchange_declared_test, expect, &expect_codec),
	  .presence = JSON_REQUIRED, .means = "none, or the reason of a failure that must happen" },
	{ REQUIRED(has_run), .means = "whether it has a function of its own" },
};
static const struct json_rows test_table = {
	JSON_TABLE(test_rows),
	.text_limit = EXCHANGE_LIMIT_DECLARED_TEXT,
	.list_limit = EXCHANGE_LIMIT_LIST,
};

static const struct json_row listing_rows[] = {
	{ JSON_OBJECTS(struct exchange_declared_suite, tests, &test_table),
	  .presence = JSON_REQUIRED, .limit = EXCHANGE_LIMIT_TESTS,
	  .means = "the tests of the binary" },
};
const struct json_rows exchange_listing_table = {
	JSON_TABLE(listing_rows),
	.version_name = "ktstr_api",
	.version = KTSTR_API_VERSION,
};

void exchange_declared_test_complete(struct exchange_declared_test *test)
{
	struct exchange_text_list *lists[] = { &test->scheduler.argv, &test->scheduler.files,
					       &test->scheduler.sysctls,
					       &test->scheduler.kernel_args };

	if (!test->description)
		test->description = xstrdup("");
	if (!test->scheduler.name)
		test->scheduler.name = xstrdup("");
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (!lists[i]->at)
			lists[i]->at = xcalloc(1, sizeof(char *));
}

void exchange_declared_test_deinit(struct exchange_declared_test *test)
{
	json_rows_deinit(&test_table, test);
	*test = (struct exchange_declared_test){ 0 };
}

void exchange_declared_suite_deinit(struct exchange_declared_suite *suite)
{
	json_rows_deinit(&exchange_listing_table, suite);
	free(suite->path);
	free(suite->name);
	*suite = (struct exchange_declared_suite){ 0 };
}

const char *exchange_declared_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
