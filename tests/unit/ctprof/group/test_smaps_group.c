// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctprof/group/group.h"

#include "made_snapshot.h"
#include "unit.h"

static void add_process(struct ctprof_snapshot *s, uint32_t pid, const char *name,
			const char *cgroup, uint64_t rss_kib, uint64_t pss_kib)
{
	struct metric_thread_sample *leader = add_thread(s, pid, pid, name, name, cgroup);
	struct procfs_named_readings table = { 0 };

	add_named(s, &table, "Rss", rss_kib);
	add_named(s, &table, "Pss", pss_kib);
	leader->smaps = (uint32_t)s->smaps.n;
	vec_push(&s->smaps, table);
}

/* "key=processes:rss …" in the order of the groups. */
static void assert_groups(const struct ctprof_snapshot *s, const struct ctprof_group_rules *rules,
			  const char *expected)
{
	_cleanup_ctprof_group_keys_ struct ctprof_group_keys *keys = ctprof_group_keys_new(rules);
	_cleanup_ctprof_smaps_groups_ struct ctprof_smaps_groups groups = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint32_t rss = 0;

	ctprof_group_keys_add(keys, s);
	ctprof_smaps_groups_make(keys, s, NULL, NULL, &groups);
	intern_find(&s->strings, "Rss", &rss);
	for (size_t i = 0; i < groups.rows.n; i++) {
		const struct ctprof_smaps_group *group = &groups.rows.at[i];

		strbuf_append(&text, i ? " " : "");
		ctprof_group_key_format(keys, &group->key, &text);
		strbuf_appendf(&text, "=%u:%llu", group->processes,
			       (unsigned long long)procfs_named_readings_value(&group->bytes, rss));
	}
	assert_string_equal(strbuf_str(&text), expected);
}

static void processes_of_one_pattern_are_added_up_in_bytes(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	add_process(&s, 1, "web-1", "/a", 4, 2);
	add_process(&s, 2, "web-2", "/a", 8, 4);
	add_process(&s, 3, "db-7", "/b", 100, 50);
	add_thread(&s, 3, 4, "db-7", "flush", "/b");
	assert_groups(&s, &(struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_PCOMM },
		      "db-{N}=1:102400 web-{N}=2:12288");
	assert_groups(&s, &(struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_COMM_EXACT },
		      "db-{N}=1:102400 web-{N}=2:12288");
	assert_groups(&s,
		      &(struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_PCOMM,
						    .literal_names = true },
		      "db-7[3]=1:102400 web-2[2]=1:8192 web-1[1]=1:4096");
	assert_groups(&s, &(struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_PROCESS },
		      "db-7[3]=1:102400 web-2[2]=1:8192 web-1[1]=1:4096");
	assert_groups(&s, &(struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_ALL },
		      "/b/db-{N}=1:102400 /a/web-{N}=2:12288");
}

static void the_largest_come_first_then_by_pss_then_by_name(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	add_process(&s, 1, "c", "/", 4, 1);
	add_process(&s, 2, "b", "/", 4, 1);
	add_process(&s, 3, "a", "/", 1, 1);
	add_process(&s, 4, "d", "/", 4, 3);
	assert_groups(&s, &(struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_PCOMM },
		      "d=1:4096 b=1:4096 c=1:4096 a=1:1024");
}

static void one_name_is_shown_and_several_are_a_pattern(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;
	struct ctprof_group_rules rules = { .axis = CTPROF_GROUP_AXIS_PCOMM };
	_cleanup_ctprof_group_keys_ struct ctprof_group_keys *keys = ctprof_group_keys_new(&rules);
	_cleanup_ctprof_smaps_groups_ struct ctprof_smaps_groups groups = { 0 };
	const struct intern *texts = ctprof_group_keys_texts(keys);

	ctprof_snapshot_init(&s);
	add_process(&s, 1, "cc1", "/", 9, 1);
	add_process(&s, 2, "cc1", "/", 9, 1);
	add_process(&s, 3, "web-1", "/", 1, 1);
	add_process(&s, 4, "web-2", "/", 1, 1);
	ctprof_group_keys_add(keys, &s);
	ctprof_smaps_groups_make(keys, &s, NULL, NULL, &groups);
	assert_int_equal(groups.rows.n, 2);
	assert_string_equal(intern_text(texts, groups.rows.at[0].key.process), "{H}");
	assert_string_equal(intern_text(texts, groups.rows.at[0].shown_as), "cc1");
	assert_string_equal(intern_text(texts, groups.rows.at[1].shown_as), "web-{N}");
}

static void sums_saturate_instead_of_wrapping(void **state UNUSED)
{
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot s;

	ctprof_snapshot_init(&s);
	add_process(&s, 1, "a", "/", UINT64_MAX / 2, 0);
	assert_groups(&s, &(struct ctprof_group_rules){ .axis = CTPROF_GROUP_AXIS_PCOMM },
		      "a=1:18446744073709551615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_of_one_pattern_are_added_up_in_bytes),
		cmocka_unit_test(the_largest_come_first_then_by_pss_then_by_name),
		cmocka_unit_test(one_name_is_shown_and_several_are_a_pattern),
		cmocka_unit_test(sums_saturate_instead_of_wrapping),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
