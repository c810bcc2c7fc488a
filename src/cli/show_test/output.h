/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declared tests on a screen and as JSON. */
#ifndef KTSTR_CLI_SHOW_TEST_OUTPUT_H
#define KTSTR_CLI_SHOW_TEST_OUTPUT_H

#include "cli/show_test/facts.h"
#include "json/writer.h"
#include "text/table.h"

void shown_test_format(const struct shown_test *shown, const struct text_look *look,
		       struct strbuf *into);

/* As members of an object: what the binary lists of the test, and `resolved`. */
struct error *shown_test_write(const struct shown_test *shown, const struct json_value *listed,
			       struct json_writer *w) MUST_CHECK;

#endif
