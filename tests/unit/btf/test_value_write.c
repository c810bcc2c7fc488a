// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value.h"

#include "json/doc.h"
#include "json_sink.h"
#include "values.h"

static void assert_json(const struct btf_value_tree *tree, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;

	value_write_json(tree, btf_value_root(tree), &text);
	assert_success(json_doc_parse(strbuf_str(&text), text.n, "values", &doc));
	assert_string_equal(strbuf_str(&text), expected);
}

static void assert_writes(const struct btf *btf, uint32_t type, const void *bytes, size_t n,
			  const char *expected)
{
	_cleanup_btf_value_ struct btf_value_tree *tree = tree_of(btf, type, bytes, n, NULL);

	assert_json(tree, expected);
}

/* The words are those of the tree's description, so that readers of either can compare. */
static void every_kind_has_its_keys(void **state UNUSED)
{
	const double half = 0.5;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	assert_writes(s.btf, s.s32, "\xff\xff\xff\xff", 4,
		      "{\"kind\":\"int\",\"bits\":32,\"value\":-1}");
	assert_writes(s.btf, s.u64, "\xff\xff\xff\xff\xff\xff\xff\xff", 8,
		      "{\"kind\":\"uint\",\"bits\":64,\"value\":18446744073709551615}");
	assert_writes(s.btf, s.u128, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16,
		      "{\"kind\":\"uint\",\"bits\":128,"
		      "\"value\":\"0x00000000000000020000000000000001\"}");
	assert_writes(s.btf, s.boolean, "\1", 1, "{\"kind\":\"bool\",\"value\":true}");
	assert_writes(s.btf, s.ch, "A", 1, "{\"kind\":\"char\",\"value\":65}");
	assert_writes(s.btf, s.f64, &half, 8, "{\"kind\":\"float\",\"bits\":64,\"value\":0.5}");
	assert_writes(s.btf, s.colour, "\xff\xff\xff\xff", 4,
		      "{\"kind\":\"enum\",\"bits\":32,\"value\":-1,\"variant\":\"BLUE\","
		      "\"is_signed\":true}");
	assert_writes(s.btf, s.colour, "\7\0\0\0", 4,
		      "{\"kind\":\"enum\",\"bits\":32,\"value\":7,\"variant\":null,"
		      "\"is_signed\":true}");
	assert_writes(s.btf, s.rq_ptr, "\x10\0\0\0\0\0\0\0", 8,
		      "{\"kind\":\"ptr\",\"value\":\"0x10\"}");
	assert_writes(s.btf, s.data_fwd, "", 0,
		      "{\"kind\":\"unsupported\",\"reason\":\"struct sdt_data is a forward "
		      "declaration, no body\"}");
	assert_writes(s.btf, s.u32, "", 0, "{\"kind\":\"truncated\",\"needed\":4,\"had\":0}");
	assert_writes(s.btf, 0, "\xab\1", 2, "{\"kind\":\"bytes\",\"hex\":\"ab 01\"}");
	assert_writes(s.btf, s.text16, "bash\0\0\0\0\0\0\0\0\0\0\0\0", 16,
		      "{\"kind\":\"array\",\"len\":16,\"text\":\"bash\"}");
}

static void structs_and_arrays_keep_their_order(void **state UNUSED)
{
	const struct btf_value_options few = { .max_nodes = 2 };
	_cleanup_btf_value_ struct btf_value_tree *cut = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	/* Zeros are there too: nothing is left out. */
	assert_writes(s.btf, s.either, "\1\0\0\0\0\0\0\0", 8,
		      "{\"kind\":\"struct\",\"type_name\":\"either\",\"members\":["
		      "{\"name\":\"number\",\"value\":{\"kind\":\"uint\",\"bits\":64,\"value\":1}},"
		      "{\"name\":\"bytes\",\"value\":{\"kind\":\"array\",\"len\":8,\"elements\":["
		      "{\"kind\":\"uint\",\"bits\":8,\"value\":1},"
		      "{\"kind\":\"uint\",\"bits\":8,\"value\":0},"
		      "{\"kind\":\"uint\",\"bits\":8,\"value\":0},"
		      "{\"kind\":\"uint\",\"bits\":8,\"value\":0},"
		      "{\"kind\":\"uint\",\"bits\":8,\"value\":0},"
		      "{\"kind\":\"uint\",\"bits\":8,\"value\":0},"
		      "{\"kind\":\"uint\",\"bits\":8,\"value\":0},"
		      "{\"kind\":\"uint\",\"bits\":8,\"value\":0}]}}]}");
	cut = tree_of(s.btf, s.list_head, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16, &few);
	assert_json(cut, "{\"kind\":\"struct\",\"type_name\":\"list_head\",\"members\":["
			 "{\"name\":\"next\",\"value\":{\"kind\":\"ptr\",\"value\":\"0x1\"}}],"
			 "\"shown\":1,\"total\":2}");
}

static void json_references_name_the_label_of_their_target(void **state UNUSED)
{
	static struct pages pages;
	struct btf_value_memory memory = { &pages, pages_read, pages_step };
	struct btf_value_options options = { .memory = &memory };
	struct btf_value_block block = { .data = { pages.bytes, 16 }, .address = PAGES_AT };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 9;
	put_bytes(pages.bytes, PAGES_AT, 8);
	put_bytes(pages.bytes + 8, PAGES_AT + PAGE, 8);
	tree = btf_value_new(s.btf, s.list_head, &block, &options);
	assert_json(tree,
		    "{\"kind\":\"struct\",\"label\":1,\"type_name\":\"list_head\",\"members\":["
		    "{\"name\":\"next\",\"value\":{\"kind\":\"ptr\","
		    "\"value\":\"0xffff888000010000\",\"deref_skipped_reason\":\"cycle\","
		    "\"ref\":1}},"
		    "{\"name\":\"prev\",\"value\":{\"kind\":\"ptr\","
		    "\"value\":\"0xffff888000011000\","
		    "\"deref_skipped_reason\":\"unmapped\"}}]}");
}

static void json_nests_followed_targets_and_truncation_inside_the_value(void **state UNUSED)
{
	static struct pages pages;
	const struct btf_value_hole hole = { 0, 4, "unmapped" };
	struct btf_value_memory memory = { &pages, pages_read, pages_step };
	struct btf_value_options options = { .memory = &memory };
	struct btf_value_block block = { .data = { pages.bytes, 8 } };
	struct btf_value_block torn = { { pages.bytes, 4 }, &hole, 1, 0 };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *gone = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 1;
	put_bytes(pages.bytes, PAGES_AT + 64, 8);
	tree = btf_value_new(s.btf, s.list_ptr, &block, &options);
	assert_json(tree, "{\"kind\":\"ptr\",\"value\":\"0xffff888000010040\",\"deref\":{"
			  "\"kind\":\"struct\",\"type_name\":\"list_head\",\"members\":["
			  "{\"name\":\"next\",\"value\":{\"kind\":\"ptr\",\"value\":\"0x0\"}},"
			  "{\"name\":\"prev\",\"value\":{\"kind\":\"ptr\",\"value\":\"0x0\"}}]}}");
	assert_writes(s.btf, s.list_head, "\1\0\0\0\0\0\0\0", 8,
		      "{\"kind\":\"truncated\",\"needed\":16,\"had\":8,\"partial\":{"
		      "\"kind\":\"struct\",\"type_name\":\"list_head\",\"members\":["
		      "{\"name\":\"next\",\"value\":{\"kind\":\"ptr\",\"value\":\"0x1\"}}],"
		      "\"shown\":1,\"total\":2}}");
	gone = btf_value_new(s.btf, s.u32, &torn, NULL);
	assert_json(gone, "{\"kind\":\"unreadable\",\"reason\":\"unmapped\",\"len\":4}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_its_keys),
		cmocka_unit_test(structs_and_arrays_keep_their_order),
		cmocka_unit_test(json_references_name_the_label_of_their_target),
		cmocka_unit_test(json_nests_followed_targets_and_truncation_inside_the_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
