// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/host/host_facts.c */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "fuzz_json.h"
#include "host/host_facts.h"

/* What was loaded and written is loaded again as the same. */
static void check_round(const struct host_facts *facts)
{
	_cleanup_strbuf_ struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
	struct json_writer first = json_writer_to(&once, JSON_COMPACT);
	struct json_writer second = json_writer_to(&twice, JSON_COMPACT);
	_cleanup_host_facts_ struct host_facts again = { 0 };
	struct json_doc *doc = NULL;
	struct error *err;

	host_facts_write(facts, &first);
	err = json_doc_parse(strbuf_str(&once), once.n, "written", &doc);
	if (err)
		abort();
	err = host_facts_load(json_doc_root(doc), "host", &again);
	if (err)
		abort();
	json_doc_free(doc);
	host_facts_write(&again, &second);
	if (strcmp(strbuf_str(&once), strbuf_str(&twice)) != 0)
		abort();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed)
{
	(void)seed;
	return fuzz_mutate_json(data, n, limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_host_facts_ struct host_facts facts = { 0 };
	struct json_doc *doc = NULL;
	struct error *err = json_doc_parse((const char *)data, n, "input", &doc);

	host_xacct_parse((const char *)data, n);
	if (err) {
		error_free(err);
		return 0;
	}
	fuzz_mark_deep();
	err = host_facts_load(json_doc_root(doc), "host", &facts);
	if (!err)
		check_round(&facts);
	error_free(err);
	json_doc_free(doc);
	return 0;
}
