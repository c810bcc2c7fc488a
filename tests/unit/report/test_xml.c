// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/form.h"

#include "base/alloc.h"
#include "unit.h"

#define REPLACED "\xef\xbf\xbd"

static void what_xml_cannot_hold_is_replaced(void **state UNUSED)
{
	static const struct {
		const char *text, *xml;
	} rows[] = {
		{ "", "" },
		{ "plain 名前", "plain 名前" },
		{ "<a b=\"c\">&'", "&lt;a b=&quot;c&quot;&gt;&amp;'" },
		{ "]]>", "]]&gt;" },
		{ "a\tb\nc\rd", "a&#9;b&#10;c&#13;d" },
		{ "\x01\x1b\x1f", REPLACED REPLACED REPLACED },
		{ "\x7f\xc2\x9b", "&#127;&#155;" },
		{ "\xff", REPLACED },
		{ "\xed\xa0\x80", REPLACED REPLACED REPLACED }, /* a surrogate */
		{ "\xef\xbf\xbe\xef\xbf\xbf", REPLACED REPLACED },
		{ "\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		report_append_xml(&s, rows[i].text);
		assert_string_equal(strbuf_str(&s), rows[i].xml);
	}
}

static void an_attribute_cannot_be_left(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	report_append_xml_attribute(&s, "name", "\" evil=\"1");
	assert_string_equal(strbuf_str(&s), " name=\"&quot; evil=&quot;1\"");
}

static void a_text_past_the_limit_says_how_much_is_missing(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	strbuf_append_repeated(&text, 'x', REPORT_LIMIT_TEXT_BYTES);
	report_append_xml(&s, strbuf_str(&text));
	assert_string_equal(strbuf_str(&s), strbuf_str(&text));

	strbuf_clear(&s);
	strbuf_append(&text, "yz");
	report_append_xml(&s, strbuf_str(&text));
	assert_null(strchr(strbuf_str(&s), 'z'));
	assert_contains(strbuf_str(&s), "x (2 bytes more)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_xml_cannot_hold_is_replaced),
		cmocka_unit_test(an_attribute_cannot_be_left),
		cmocka_unit_test(a_text_past_the_limit_says_how_much_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
