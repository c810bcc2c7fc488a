// SPDX-License-Identifier: LGPL-2.1-or-later
#include "host/host_facts.h"

#include <inttypes.h>
#include <string.h>

#include "host/limits.h"

static struct error *wrong(const char *path, const char *key, const char *wanted)
{
	return base_error(BASE_PARSE, 0, "%s.%s is not %s", path, key, wanted);
}

/* NULL for what is missing, and for null. */
static const struct json_value *find(const struct json_value *object, const char *key)
{
	const struct json_value *value = json_find(object, key);

	return value && json_type_of(value) != JSON_NULL ? value : NULL;
}

static struct error *load_text(const struct json_value *object, const char *path, const char *key,
			       char **ret)
{
	const struct json_value *value = find(object, key);
	struct json_text text;

	if (!value)
		return NULL;
	text = json_string(value);
	if (!text.at)
		return wrong(path, key, "a string");
	*ret = xstrndup(text.at, text.n);
	return NULL;
}

static struct error *load_number(const struct json_value *object, const char *path, const char *key,
				 struct host_number *ret)
{
	const struct json_value *value = find(object, key);
	size_t n = strlen(key);

	/* Older files have _kb in these names and mean the same. */
	if (!value && n > 4 && strcmp(key + n - 4, "_kib") == 0) {
		_cleanup_free_ char *other = xasprintf("%.*sb", (int)n - 2, key);

		value = find(object, other);
	}
	if (!value)
		return NULL;
	if (!json_get_u64(value, &ret->value))
		return wrong(path, key, "a number without a sign");
	ret->known = true;
	return NULL;
}

static struct error *load_pairs(const struct json_value *object, const char *path, const char *key,
				struct host_pairs *ret)
{
	const struct json_value *value = find(object, key);
	struct json_iter it;

	if (!value)
		return NULL;
	if (json_type_of(value) != JSON_OBJECT)
		return wrong(path, key, "an object");
	if (json_length(value) > HOST_CPUS_LIMIT)
		return base_error(BASE_LIMIT, 0, "%s.%s has more than %d members", path, key,
				  HOST_CPUS_LIMIT);
	ret->known = true;
	it = json_iter_over(value);
	while (json_iter_next(&it)) {
		struct json_text text = json_string(it.value);

		if (!text.at)
			return base_error(BASE_PARSE, 0, "%s.%s.%.*s is not a string", path, key,
					  (int)it.key.n, it.key.at);
		vec_push(&ret->rows, (struct host_pair){ xstrndup(it.key.at, it.key.n),
							 xstrndup(text.at, text.n) });
	}
	return NULL;
}

/* 0 is the first of every list: unknown, which is what any other word is too. */
static struct error *load_word(const struct json_value *object, const char *path, const char *key,
			       const char *const *words, unsigned int n, unsigned int *ret)
{
	const struct json_value *value = find(object, key);
	struct json_text text;

	*ret = 0;
	if (!value)
		return NULL;
	text = json_string(value);
	if (!text.at)
		return wrong(path, key, "a string");
	for (unsigned int i = 0; i < n; i++)
		if (json_text_is(text, words[i]))
			*ret = i;
	return NULL;
}

struct error *host_facts_load(const struct json_value *object, const char *path,
			      struct host_facts *ret)
{
	_cleanup_host_facts_ struct host_facts facts = { 0 };
	unsigned int delayacct, xacct;
	struct error *err = NULL;

	if (json_type_of(object) != JSON_OBJECT)
		return base_error(BASE_PARSE, 0, "%s is not an object", path);
#define TEXT_(name)   err = err ? err : load_text(object, path, #name, &facts.name);
#define NUMBER_(name) err = err ? err : load_number(object, path, #name, &facts.name);
#define PAIRS_(name)  err = err ? err : load_pairs(object, path, #name, &facts.name);
	HOST_FACTS(TEXT_, NUMBER_, PAIRS_)
#undef TEXT_
#undef NUMBER_
#undef PAIRS_
	if (!err)
		err = load_word(object, path, "task_delayacct", host_delayacct_words,
				N_HOST_DELAYACCT_STATES, &delayacct);
	if (!err)
		err = load_word(object, path, "config_task_xacct", host_xacct_words,
				N_HOST_XACCT_STATES, &xacct);
	if (err)
		return err;
	facts.accounting = (struct host_accounting){ (enum host_delayacct)delayacct,
						     (enum host_xacct)xacct };
	*ret = facts;
	facts = (struct host_facts){ 0 };
	return NULL;
}
