// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_view.h"

#include "build_scheduler.h"

static void a_map_is_found_by_name_id_or_the_end_of_its_name(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 5, 2, "object.bss", 4, 8, 1, 8);
	bpf_new_map(f, 6, 2, ".rodata.setting", 4, 8, 1, 8);
	assert_success(bpf_show(f, dump_map, "object.bss"));
	assert_success(bpf_show(f, dump_map, ".bss"));
	assert_contains(strbuf_str(&f->json), "\"id\":5,");
	assert_success(bpf_show(f, dump_map, "5"));
	assert_contains(strbuf_str(&f->json), "\"id\":5,");
	/* Cut by the kernel. */
	assert_success(bpf_show(f, dump_map, ".rodata.settings"));
	assert_contains(strbuf_str(&f->json), "\"id\":6,");
	assert_error_tag(bpf_show(f, dump_map, "bss"), "absent");
	assert_error_tag(bpf_show(f, dump_map, ""), "absent");
	assert_error_tag(bpf_show(f, dump_map, NULL), "absent");
}

static void two_of_one_name_are_both_shown(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 5, 2, "twin", 4, 8, 1, 8);
	bpf_new_map(f, 6, 2, "twin", 4, 8, 1, 8);
	assert_success(bpf_show(f, dump_map, "twin"));
	assert_contains(strbuf_str(&f->json), "\"id\":5,");
	assert_contains(strbuf_str(&f->json), "\"id\":6,");
}

static void an_unsupported_map_type_has_a_reason(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 5, 22, "q", 0, 8, 1, 8);
	bpf_new_map(f, 6, 33, "a", 0, 8, 1, 8);
	assert_success(bpf_show(f, dump_map, "q"));
	assert_contains(strbuf_str(&f->json), "\"unavailable\":\"contents of a map of type queue");
	assert_success(bpf_show(f, dump_map, "a"));
	assert_contains(strbuf_str(&f->text), "unavailable: an arena");
}

static void types_that_cannot_be_read_leave_the_bytes(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t map = bpf_new_map(f, 5, 2, "m", 4, 8, 1, 8);

	bpf_put_u64(f, map + 32, UINT64_C(0xffffdead00000000));
	bpf_put_u64(f, map + MAP_BYTES, 0x0807060504030201);
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"types_unavailable\":");
	assert_contains(strbuf_str(&f->json), "\"hex\":\"01 02 03 04 05 06 07 08\"");
}

static void a_map_search_reports_unreadable_maps(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_new_map(f, 1, 2, "m", 4, 8, 1, 64);
	bpf_put_u64(f, f->idr[0] + XA_SLOTS + 8 * 2, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_map, "m"));
	assert_contains(strbuf_str(&f->json), "\"incomplete\":\"2, of which 1 cannot be read\"");
	assert_contains(strbuf_str(&f->text), "maps: 2, of which 1 cannot be read\n");
	assert_error_tag(bpf_show(f, dump_map, "other"), "guest-memory");
}

static void maps_and_variables_of_the_scheduler_are_shown(void **state)
{
	struct build_scheduler *b = *state;

	put_array(b, put_circle(b));
	assert_contains(scheduler_view(b, "scheduler", NULL, false), "map 2 sched.bss (");
	assert_contains(strbuf_str(&b->out), "\n  first_ctx = 0x7f123456");
	assert_contains(strbuf_str(&b->out), "map 3 ctx_array (");
	assert_contains(strbuf_str(&b->out), "\n  [0] = task_ctx:\n    pid=66\n");
	/* An arena has no entries. */
	assert_null(strstr(strbuf_str(&b->out), "the_arena"));
	assert_contains(scheduler_view(b, "scheduler", NULL, true),
			"{\"maps\":[{\"id\":2,\"name\":\"sched.bss\"");
}

static void maps_of_other_programs_are_not(void **state)
{
	struct build_scheduler *b = *state;
	struct dump_request request = { 0 };
	struct dump_sink sink = dump_sink_to_text(&b->out, 100);

	put32(b, AT_PROGRAM, 26);
	scheduler_attach(b);
	assert_error_tag(dump_one(dump_view_find("scheduler"), b->kmem, &request, &sink), "absent");
}

static void a_map_that_two_programs_use_is_shown_once(void **state)
{
	struct build_scheduler *b = *state;

	put64(b, AT_MAPS, pointer_to(b, AT_BSS));
	assert_contains(scheduler_view(b, "scheduler", NULL, false), "map 2 sched.bss (");
	assert_null(strstr(strstr(strbuf_str(&b->out), "sched.bss") + 1, "sched.bss"));
}

static void a_map_that_cannot_be_read_is_counted(void **state)
{
	struct build_scheduler *b = *state;

	put64(b, AT_MAPS, 1);
	assert_contains(scheduler_view(b, "scheduler", NULL, false), "1 maps cannot be read\n");
	assert_contains(scheduler_view(b, "scheduler", NULL, true), "\"unreadable\":1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(a_map_is_found_by_name_id_or_the_end_of_its_name),
		bpf_test(two_of_one_name_are_both_shown),
		bpf_test(an_unsupported_map_type_has_a_reason),
		bpf_test(types_that_cannot_be_read_leave_the_bytes),
		bpf_test(a_map_search_reports_unreadable_maps),
		scheduler_test(maps_and_variables_of_the_scheduler_are_shown),
		scheduler_test(maps_of_other_programs_are_not),
		scheduler_test(a_map_that_two_programs_use_is_shown_once),
		scheduler_test(a_map_that_cannot_be_read_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
