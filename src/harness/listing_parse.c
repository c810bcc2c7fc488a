// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/session.h"

#include <stdlib.h>
#include <string.h>

#include "harness/limits.h"
#include "json/doc.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct exchange_declared_test *)a)->name,
		      ((const struct exchange_declared_test *)b)->name);
}

static struct error *sort_tests(struct exchange_declared_suite *suite)
{
	if (suite->tests.n == 0)
		return NULL;
	qsort(suite->tests.at, suite->tests.n, sizeof(*suite->tests.at), compare_names);
	for (size_t i = 1; i < suite->tests.n; i++)
		if (compare_names(&suite->tests.at[i - 1], &suite->tests.at[i]) == 0)
			return harness_error(HARNESS_LISTING, 0, "two tests are called %s",
					     suite->tests.at[i].name);
	return NULL;
}

static struct error *check_api(const struct json_value *root, const char *label)
{
	uint64_t api;

	if (!json_get_u64(json_find(root, "ktstr_api"), &api))
		return harness_error(HARNESS_NOT_TESTS, 0,
				     "%s is not a ktstr test binary: its list has no ktstr_api",
				     label);
	if (api == KTSTR_API_VERSION)
		return NULL;
	return harness_error(HARNESS_API, 0, "this ktstr has API %d, %s has API %llu: %s%s",
			     KTSTR_API_VERSION, label, (unsigned long long)api,
			     api < KTSTR_API_VERSION ? "rebuild " : "a newer ktstr is needed",
			     api < KTSTR_API_VERSION ? label : "");
}

struct error *harness_listing_parse(const char *text, size_t n, const char *label,
				    struct exchange_declared_suite *ret)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct json_value *root;
	struct error *err;

	if (n > HARNESS_LIMIT_LISTING_BYTES)
		return harness_error(HARNESS_LISTING, 0, "%s lists more than %d bytes", label,
				     HARNESS_LIMIT_LISTING_BYTES);
	err = json_doc_parse(text, n, "what it lists", &doc);
	if (err)
		return error_wrap(error_recast(err, &harness_error_domain, HARNESS_NOT_TESTS),
				  "%s is not a ktstr test binary", label);
	root = json_doc_root(doc);
	err = check_api(root, label);
	if (err)
		return err;
	err = error_recast(json_rows_read(&exchange_listing_table, root, "", &suite),
			   &harness_error_domain, HARNESS_LISTING);
	for (size_t i = 0; i < suite.tests.n; i++)
		exchange_declared_test_complete(&suite.tests.at[i]);
	if (!err)
		err = sort_tests(&suite);
	if (err)
		return error_wrap(err, "what %s lists", label);
	*ret = suite;
	suite = (struct exchange_declared_suite){ 0 };
	return NULL;
}
