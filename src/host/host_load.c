// SPDX-License-Identifier: LGPL-2.1-or-later
/* The facts as a document. */
#include "host/host_facts.h"

#include "host/limits.h"

static struct error *read_pairs(const struct json_value *value, void *member)
{
	struct host_pairs *pairs = member;
	struct json_iter it = json_iter_over(value);

	if (json_type_of(value) != JSON_OBJECT)
		return base_error(BASE_PARSE, 0, "not an object");
	if (json_length(value) > HOST_LIMIT_CPUS)
		return base_error(BASE_LIMIT, 0, "more than %d members", HOST_LIMIT_CPUS);
	pairs->known = true;
	while (json_iter_next(&it)) {
		struct json_text text = json_string(it.value);

		if (!text.at)
			return base_error(BASE_PARSE, 0, "%.*s is not a string", (int)it.key.n,
					  it.key.at);
		vec_push(&pairs->rows, (struct host_pair){ xstrndup(it.key.at, it.key.n),
							   xstrndup(text.at, text.n) });
	}
	return NULL;
}

static bool pairs_are_absent(const void *member)
{
	const struct host_pairs *pairs = member;

	return pairs->rows.n == 0 && !pairs->known;
}

static void write_pairs(const void *member, struct json_writer *w)
{
	const struct host_pairs *pairs = member;

	json_begin_object(w);
	for (size_t i = 0; i < pairs->rows.n; i++)
		json_add_string(w, pairs->rows.at[i].name, pairs->rows.at[i].value);
	json_end_object(w);
}

static void pairs_deinit(void *member)
{
	struct host_pairs *pairs = member;

	for (size_t i = 0; i < pairs->rows.n; i++) {
		free(pairs->rows.at[i].name);
		free(pairs->rows.at[i].value);
	}
	vec_deinit(&pairs->rows);
}

static const struct json_codec pairs_codec = {
	.type = "object of strings",
	.read = read_pairs,
	.is_absent = pairs_are_absent,
	.write = write_pairs,
	.deinit = pairs_deinit,
};

#define TEXT_(name, means_) { JSON_SCALAR(struct host_facts, name), .means = (means_) },
#define RENAMED_(name_, older_, means_)                           \
	{ JSON_SCALAR_AS(struct host_facts, name_.value, #name_), \
	  JSON_HAS(struct host_facts, name_.known), .older_name = (older_), .means = (means_) },
#define NUMBER_(name, means_) RENAMED_(name, NULL, means_)
#define PAIRS_(name, means_) \
	{ JSON_CUSTOM(struct host_facts, name, &pairs_codec), .means = (means_) },

static const struct json_row rows[] = {
	HOST_FACTS(TEXT_, NUMBER_, RENAMED_, PAIRS_)
	/* The first word of both is unknown, which is what any other word is too. */
	{ JSON_WORD_AS(struct host_facts, accounting.delayacct, "task_delayacct",
		       host_delayacct_names),
	  .lenient = true, .absent_zero = true,
	  .means = "whether the kernel counts delays of tasks" },
	{ JSON_WORD_AS(struct host_facts, accounting.xacct, "config_task_xacct", host_xacct_names),
	  .lenient = true, .absent_zero = true,
	  .means = "whether the kernel keeps the memory watermarks of tasks" },
};

const struct json_rows host_facts_rows = { JSON_TABLE(rows), .null_is_absent = true };

void host_facts_deinit(struct host_facts *facts)
{
	json_rows_deinit(&host_facts_rows, facts);
	*facts = (struct host_facts){ 0 };
}

void host_facts_write(const struct host_facts *facts, struct json_writer *w)
{
	json_rows_write(&host_facts_rows, facts, w);
}

struct error *host_facts_load(const struct json_value *object, const char *path,
			      struct host_facts *ret)
{
	_cleanup_host_facts_ struct host_facts facts = { 0 };
	struct error *err = json_rows_read(&host_facts_rows, object, path, &facts);

	if (err)
		return err;
	*ret = facts;
	facts = (struct host_facts){ 0 };
	return NULL;
}
