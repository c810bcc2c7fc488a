// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_view.h"

static uint64_t new_prog(struct bpf_fixture *f, uint64_t id, const char *name)
{
	uint64_t prog = bpf_new(f, 48), aux = bpf_new(f, 32);

	bpf_put_u32(f, prog, 27);
	build_put(&f->k.memory, prog + 12, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	bpf_put_u64(f, prog + 40, bpf_at(f, aux));
	bpf_put_u32(f, aux + 4, 321);
	build_put(&f->k.memory, aux + 8, name, strlen(name));
	bpf_put_u64(f, f->idr[1] + XA_SLOTS + 8 * id, bpf_at(f, prog));
	return prog;
}

static void a_program_is_listed_with_what_it_is(void **state)
{
	struct bpf_fixture *f = *state;

	new_prog(f, 7, "fifo_enqueue");
	assert_success(bpf_show(f, dump_prog, NULL));
	assert_contains(strbuf_str(&f->json),
			"{\"id\":7,\"name\":\"fifo_enqueue\",\"type\":\"struct_ops\","
			"\"tag\":\"0123456789abcdef\",\"verified_insns\":321,");
	/* No statistics are not 0 runs. */
	assert_null(strstr(strbuf_str(&f->json), "runs"));
	assert_contains(strbuf_str(&f->text),
			"ID    TYPE               NAME             TAG              ");
	assert_contains(strbuf_str(&f->text),
			"7     struct_ops         fifo_enqueue     0123456789abcdef        321 "
			"         -          -          -\n");
}

static void runs_of_all_possible_cpus_are_added(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t prog = new_prog(f, 7, "p");

	bpf_put_u64(f, prog + 24, bpf_percpu(f, 0x2000));
	for (uint32_t cpu = 0; cpu < KERNEL_CPUS; cpu++) {
		bpf_put_u64(f, bpf_percpu_physical(cpu, 0x2000), 1 << cpu);
		bpf_put_u64(f, bpf_percpu_physical(cpu, 0x2008), 100);
	}
	assert_success(bpf_show(f, dump_prog, NULL));
	assert_contains(strbuf_str(&f->json), "\"runs\":7,\"run_ns\":300,\"recursion_misses\":0");
	assert_contains(strbuf_str(&f->text), "  VERIFIED       RUNS     RUN NS     MISSES\n");
	assert_contains(strbuf_str(&f->text), "       321          7        300          0\n");
}

static void a_program_that_cannot_be_read_is_counted(void **state)
{
	struct bpf_fixture *f = *state;

	new_prog(f, 7, "p");
	bpf_put_u64(f, new_prog(f, 8, "q") + 40, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_prog, NULL));
	assert_contains(strbuf_str(&f->json), "\"shown\":1,\"total\":2,");
	assert_contains(strbuf_str(&f->text), "1 programs cannot be read");
}

static void runs_that_cannot_be_read_are_null(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, new_prog(f, 7, "p") + 24, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_prog, NULL));
	assert_contains(strbuf_str(&f->json),
			"\"runs\":null,\"run_ns\":null,\"recursion_misses\":null,");
	assert_contains(strbuf_str(&f->text), "          ?          ?          ?\n");
}

static void without_cpus_there_is_no_sum(void **state)
{
	struct bpf_fixture *f = *state;

	bpf_put_u64(f, new_prog(f, 7, "p") + 24, bpf_percpu(f, 0x2000));
	bpf_lose_cpus(f);
	assert_success(bpf_show(f, dump_prog, NULL));
	assert_contains(strbuf_str(&f->json), "\"runs\":null,\"run_ns\":null,");
}

static void code_of_all_functions_is_counted(void **state)
{
	struct bpf_fixture *f = *state;
	uint64_t prog = new_prog(f, 7, "p"), functions = bpf_new(f, 16), second = bpf_new(f, 48);
	uint64_t aux = bpf_new(f, 32);

	bpf_put_u64(f, prog + 40, bpf_at(f, aux));
	bpf_put_u32(f, prog + 8, 100);
	bpf_put_u32(f, second + 8, 23);
	assert_success(bpf_show(f, dump_prog, NULL));
	assert_contains(strbuf_str(&f->json), "\"jited_bytes\":100,");
	bpf_put_u32(f, aux, 2);
	bpf_put_u64(f, aux + 24, bpf_at(f, functions));
	bpf_put_u64(f, functions, bpf_at(f, prog));
	bpf_put_u64(f, functions + 8, bpf_at(f, second));
	assert_success(bpf_show(f, dump_prog, NULL));
	assert_contains(strbuf_str(&f->json), "\"jited_bytes\":123,");
	/* Part of a sum is none. */
	bpf_put_u64(f, functions + 8, UINT64_C(0xffffdead00000000));
	assert_success(bpf_show(f, dump_prog, NULL));
	assert_contains(strbuf_str(&f->json), "\"jited_bytes\":null,");
	bpf_put_u32(f, aux, UINT32_MAX);
	assert_success(bpf_show(f, dump_prog, NULL));
	assert_contains(strbuf_str(&f->json), "\"jited_bytes\":null,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		bpf_test(a_program_is_listed_with_what_it_is),
		bpf_test(runs_of_all_possible_cpus_are_added),
		bpf_test(a_program_that_cannot_be_read_is_counted),
		bpf_test(runs_that_cannot_be_read_are_null),
		bpf_test(without_cpus_there_is_no_sum),
		bpf_test(code_of_all_functions_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
