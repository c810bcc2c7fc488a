// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_scx.h"

#include "dump/scx.h"

static void queues_of_cpus_nodes_and_the_scheduler_are_shown(void **state)
{
	struct bpf_fixture *f = *state;

	scx_build(f);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text), "queue user, id 0x77: 2 tasks\n"
					      "  first[11]");
	/* Those of three CPUs and a node would fill the screen. */
	assert_contains(strbuf_str(&f->text), "\n4 empty queues: 3 local cpu, 1 global node\n");
	assert_null(strstr(strbuf_str(&f->text), "queue local"));
	assert_contains(
		strbuf_str(&f->json),
		"\"origin\":\"user\",\"id\":\"0x77\",\"nr\":2,\"tasks\":[{\"comm\":\"first\"");
	assert_contains(strbuf_str(&f->json), "\"user_dsqs\":{\"shown\":1,\"total\":1}");
}

static void a_queue_is_shown_though_its_count_is_wrong(void **state)
{
	struct bpf_fixture *f = *state;
	struct scx_fixture s = scx_build(f);

	/* It says that nobody is in it, but there are tasks; and the other way round. */
	bpf_put_u32(f, s.queue + DSQ_NR, 0);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text), "queue user, id 0x77: 0 tasks\n  first[11]");
	bpf_put_u32(f, s.queue + DSQ_NR, 3);
	bpf_link(f, s.queue + DSQ_LIST, NULL, 0);
	strbuf_clear(&f->text);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text), "queue user, id 0x77: 3 tasks\n");
	bpf_put_u32(f, s.queue + DSQ_NR, 0);
	strbuf_clear(&f->text);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text), ": 3 local cpu, 1 global node, 1 user, id 0x77\n");
}

static void a_dsq_iterator_cursor_is_not_shown_as_a_task(void **state)
{
	struct bpf_fixture *f = *state;
	struct scx_fixture s = scx_build(f);
	const uint64_t links[] = { s.task[0] + SCX_LINK, bpf_new(f, 64), s.task[1] + SCX_LINK };

	bpf_link(f, s.queue + DSQ_LIST, links, 3);
	bpf_put_u32(f, links[1] + 16, 1);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json), "\"comm\":\"second\"");
	assert_contains(strbuf_str(&f->json), "\"shown\":2,\"total\":2}],\"user_dsqs\"");
}

static void a_cyclic_dispatch_queue_ends(void **state)
{
	struct bpf_fixture *f = *state;
	struct scx_fixture s = scx_build(f);

	bpf_put_u64(f, s.task[1] + SCX_LINK, bpf_at(f, s.task[0] + SCX_LINK));
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json), "it contains a cycle");
}

static void a_nested_rhashtable_is_reported_as_unread(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u32(f, scx_build(f).table + 4, 1);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(
		strbuf_str(&f->text),
		"queues of the scheduler: unavailable: buckets in tables of their own are not read");
}

/* Queues whose lists are one another's would be walked for days. */
static void nested_queue_walks_share_one_step_limit(void **state)
{
	struct bpf_fixture *f = *state;
	struct json_writer writer = json_writer_to(&f->json, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);
	struct dump_request request = { 0 };
	struct dump_scx_view view = { .request = &request, .sink = &sink, .steps_left = 2 };

	scx_build(f);
	assert_success(bpf_show(f, dump_scx, NULL));
	view.kmem = f->kmem;
	assert_success(kmem_variable(f->kmem, "scx_root", 8, &view.root));
	assert_success(kmem_symbol(f->kmem, "runqueues", &view.runqueues));
	strbuf_clear(&f->json);
	json_begin_object(&writer);
	dump_scx_show_dsqs(&view);
	json_end_object(&writer);
	assert_int_equal(view.steps_left, 0);
	/* One step to the queue, one to its first task. */
	assert_contains(strbuf_str(&f->json), "\"comm\":\"first\"");
	assert_null(strstr(strbuf_str(&f->json), "\"comm\":\"second\""));
	assert_contains(strbuf_str(&f->json), "shown 1 of at least 1: given up after 1 steps");
}

static void age_is_the_time_since_it_became_runnable(void **state)
{
	struct bpf_fixture *f = *state;

	scx_build(f);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json),
			"{\"comm\":\"second\",\"pid\":12,\"slice_ns\":5000,"
			"\"age_jiffies\":500,\"age_ms\":2000,\"dsq\":\"0x77\",");
	assert_contains(strbuf_str(&f->text),
			"second[12]  runnable for 2000 ms  slice 5000 ns  in queue 0x77\n");
}

static void an_invalid_runnable_stamp_gives_no_age(void **state)
{
	struct bpf_fixture *f = *state;
	struct scx_fixture s = scx_build(f);

	bpf_put_u32(f, s.task[0] + SCX_FLAGS, 4);
	bpf_put_u64(f, s.task[1] + SCX_SINCE, 0);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_null(strstr(strbuf_str(&f->json), "age"));
	assert_contains(strbuf_str(&f->text), "first[11]  slice 5000 ns");
}

static void a_runnable_stamp_in_the_future_gives_age_0(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, scx_build(f).task[0] + SCX_SINCE, UINT64_MAX);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text), "first[11]  runnable for 0 ms");
}

static void a_task_in_no_queue_is_marked(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, scx_build(f).task[0] + SCX_DSQ, 0);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->text),
			"first[11]  runnable for 1000 ms  slice 5000 ns  in no queue");
}

static void a_queue_that_cannot_be_read_is_null(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, scx_build(f).task[0] + SCX_DSQ, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json), "\"age_ms\":1000,\"dsq\":null,");
	assert_contains(strbuf_str(&f->text), "slice 5000 ns  in queue ?\n");
}

/* The list leads to the end of RAM: its links are there, the rest of the task is not. */
static void numbers_that_cannot_be_read_are_null(void **state)
{
	struct bpf_fixture *f = *state;
	struct scx_fixture s = scx_build(f);
	const uint64_t links[] = { RAM_BYTES - 16 };

	bpf_link(f, s.queue + DSQ_LIST, links, 1);
	assert_success(bpf_show(f, dump_scx, NULL));
	assert_contains(strbuf_str(&f->json), "\"slice_ns\":null,\"age_jiffies\":null,"
					      "\"age_ms\":null,\"address\":");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(queues_of_cpus_nodes_and_the_scheduler_are_shown),
		bpf_test(a_queue_is_shown_though_its_count_is_wrong),
		bpf_test(a_dsq_iterator_cursor_is_not_shown_as_a_task),
		bpf_test(a_cyclic_dispatch_queue_ends),
		bpf_test(a_nested_rhashtable_is_reported_as_unread),
		bpf_test(nested_queue_walks_share_one_step_limit),
		bpf_test(age_is_the_time_since_it_became_runnable),
		bpf_test(an_invalid_runnable_stamp_gives_no_age),
		bpf_test(a_runnable_stamp_in_the_future_gives_age_0),
		bpf_test(a_task_in_no_queue_is_marked),
		bpf_test(a_queue_that_cannot_be_read_is_null),
		bpf_test(numbers_that_cannot_be_read_are_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
