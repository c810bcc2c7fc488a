// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf/value_builder.h"

#include "values.h"

struct masks {
	struct strbuf bytes;
	struct btf *btf;
	uint32_t mask, mask_typedef, mask_ptr, holder, bitmap;
};

/* struct cpumask { u64 bits[2]; }; struct holder { struct cpumask *a; cpumask_t b; }; */
static void masks_init(struct masks *m)
{
	struct build_btf b = { 0 };
	uint32_t u64 = build_btf_int(&b, "unsigned long", 8, 0);

	*m = (struct masks){ 0 };
	m->mask = BUILD_STRUCT(&b, "cpumask", 16, { "bits", build_btf_array(&b, u64, 2), 0, 0 });
	m->mask_typedef = build_btf_type(&b, "cpumask_t", BTF_TYPEDEF, 0, m->mask);
	m->mask_ptr = build_btf_type(&b, "", BTF_PTR, 0, m->mask);
	m->holder = BUILD_STRUCT(&b, "holder", 24, { "a", m->mask_ptr, 0, 0 },
				 { "b", m->mask_typedef, 64, 0 });
	m->bitmap = BUILD_STRUCT(&b, "scx_bitmap", 16, { "id", u64, 0, 0 }, { "bits", u64, 64, 0 });
	build_btf_finish(&b, &m->bytes);
	assert_success(btf_parse(build_bytes(&m->bytes), "masks", &m->btf));
}

static void masks_deinit(struct masks *m)
{
	btf_free(m->btf);
	strbuf_deinit(&m->bytes);
}

#define _cleanup_masks_ __attribute__((cleanup(masks_deinit)))

static void assert_list(uint64_t low, uint64_t high, uint32_t n_cpus, const char *expected)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint8_t bits[16];

	put_bytes(bits, low, 8);
	put_bytes(bits + 8, high, 8);
	btf_value_cpus_format((struct bytes){ bits, sizeof(bits) }, n_cpus, &text);
	assert_string_equal(strbuf_str(&text), expected);
}

static void lists_of_cpus_are_the_kernels(void **state UNUSED)
{
	assert_list(0, 0, 0, "");
	assert_list(1, 0, 0, "0");
	assert_list(0x27, 0, 0, "0-2,5");
	assert_list(UINT64_MAX, 1, 0, "0-64");
	assert_list(UINT64_C(1) << 63, UINT64_C(1) << 63, 0, "63,127");
	/* Bits that are no CPUs are left out. */
	assert_list(UINT64_MAX, UINT64_MAX, 4, "0-3");
	assert_list(UINT64_MAX, UINT64_MAX, 999, "0-127");
}

static void embedded_cpumasks_are_shown_as_cpu_lists(void **state UNUSED)
{
	uint32_t cpus = 8;
	const struct btf_value_short rows[] = {
		{ "cpumask_t", false, BTF_VALUE_CPU_LIST, btf_value_short_cpus, &cpus },
		{ "scx_bitmap", false, BTF_VALUE_CPU_LIST, btf_value_short_cpus, &cpus },
		{ "cpumask", true, BTF_VALUE_CPU_LIST, btf_value_short_cpus, &cpus },
	};
	const struct btf_value_options options = { .shorts = rows, .n_shorts = 3 };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *plain = NULL, *bitmap = NULL,
						  *cut = NULL;
	uint8_t holder[24] = { [8] = 0x0e, [16] = 0xff };
	_cleanup_masks_ struct masks m;

	masks_init(&m);
	tree = tree_of(m.btf, m.holder, holder, sizeof(holder), &options);
	assert_text(tree, "holder{b=cpus={1-3}}");
	assert_int_equal(btf_value_find(tree, btf_value_root(tree), "b")->kind, BTF_VALUE_CPU_LIST);
	/* The row is for the typedef, and this is the struct. */
	plain = tree_of(m.btf, m.mask, holder + 8, 16, &options);
	assert_text(plain, "cpumask{bits=[0xe, 0xff]}");
	bitmap = tree_of(m.btf, m.bitmap, holder + 8, 16, &options);
	assert_text(bitmap, "cpus={1-3}");
	/* What is cut has no short form. */
	cut = tree_of(m.btf, m.bitmap, holder, 12, &options);
	assert_int_equal(btf_value_root(cut)->kind, BTF_VALUE_TRUNCATED);
}

static void cpumasks_behind_pointers_are_shown_as_cpu_lists(void **state UNUSED)
{
	static struct pages pages;
	uint32_t cpus = 8;
	const struct btf_value_short row = { "cpumask", true, BTF_VALUE_CPU_LIST,
					     btf_value_short_cpus, &cpus };
	struct btf_value_memory memory = { &pages, pages_read, NULL };
	struct btf_value_options options = { .shorts = &row, .n_shorts = 1, .memory = &memory };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL, *freed = NULL, *gone = NULL,
						  *unknown = NULL;
	_cleanup_masks_ struct masks m;
	uint8_t pointer[8];

	masks_init(&m);
	memset(&pages, 0, sizeof(pages));
	pages.bytes[64] = 0x31;
	put_bytes(pointer, PAGES_AT + 64, 8);
	tree = tree_of(m.btf, m.mask_ptr, pointer, 8, &options);
	assert_text(tree, "0xffff888000010040 → 0,4-5");
	/* The link of a list of free objects is no mask of eight CPUs. */
	put_bytes(pages.bytes + 64, UINT64_C(0xffff888000012340), 8);
	freed = tree_of(m.btf, m.mask_ptr, pointer, 8, &options);
	assert_text(freed, "0xffff888000010040 [chase: refused]");
	put_bytes(pointer, PAGES_AT + PAGE, 8);
	gone = tree_of(m.btf, m.mask_ptr, pointer, 8, &options);
	assert_text(gone, "0xffff888000011000 [chase: unmapped]");
	/* Without a number of CPUs nobody knows how much to read. */
	cpus = 0;
	unknown = tree_of(m.btf, m.mask_ptr, pointer, 8, &options);
	assert_text(unknown, "0xffff888000011000 [chase: refused]");
}

static const char *name_task(void *context UNUSED, const struct btf_value_short_request *request,
			     struct strbuf *out)
{
	char comm[16];
	const char *reason = request->memory->read(request->memory->context, request->address, comm,
						   16);

	if (!reason)
		strbuf_appendf(out, "%.16s[%d]", comm, 77);
	return reason;
}

static void a_short_form_replaces_following_the_pointer(void **state UNUSED)
{
	static struct pages pages;
	const struct btf_value_short row = { "task", true, BTF_VALUE_SHORT, name_task, NULL };
	struct btf_value_memory memory = { &pages, pages_read, pages_step };
	struct btf_value_options options = { .shorts = &row, .n_shorts = 1, .memory = &memory };
	_cleanup_btf_value_ struct btf_value_tree *tree = NULL;
	_cleanup_sample_ struct sample s;

	sample_init(&s);
	memset(&pages, 0, sizeof(pages));
	pages.follow_below = 1;
	put_rq(&pages, 0, 4, PAGES_AT + 256);
	put_task(&pages, 256, "ba\033sh", 77, 0);
	tree = tree_of(s.btf, s.rq, pages.bytes, 96, &options);
	assert_text(tree, "rq{nr_running=4, curr=0xffff888000010100 → ba\\x1bsh[77]}");
	/* The word stands for it: nothing is followed. */
	assert_int_equal(tree->followed, 0);
	assert_int_equal(pages.asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_cpus_are_the_kernels),
		cmocka_unit_test(embedded_cpumasks_are_shown_as_cpu_lists),
		cmocka_unit_test(cpumasks_behind_pointers_are_shown_as_cpu_lists),
		cmocka_unit_test(a_short_form_replaces_following_the_pointer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
