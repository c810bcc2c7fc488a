// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/btf/btf.c src/kernel/check.c */
#include "fuzz.h"

#include "btf/btf.h"
#include "kernel/check.h"

static size_t walk(const struct btf *btf)
{
	struct btf_type type, proto;
	struct btf_param param;
	size_t total = 0;

	for (uint32_t id = 0; id <= btf_n_types(btf) + 1; id++) {
		struct error *err;

		if (!btf_type(btf, id, &type)) {
			/* Only what lies outside may be missing. */
			if (id != 0 && id <= btf_n_types(btf))
				__builtin_trap();
			continue;
		}
		total += strlen(type.name) + type.size_or_type;
		for (size_t i = 0; i < type.tail.n; i++)
			total += type.tail.at[i];
		err = btf_func_proto(btf, &type, &proto);
		for (uint32_t i = 0; !err && i <= proto.n; i++) {
			err = btf_proto_param(btf, &proto, i, &param);
			if (!err)
				total += strlen(param.name) + param.type;
		}
		error_free(err);
	}
	total += btf_find(btf, BTF_STRUCT, "sched_ext_ops", &type);
	return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static volatile size_t sink;
	struct bytes in = { data, n };
	struct kernel_check check = { 0 };
	struct btf *btf = NULL;
	struct error *err = btf_parse(in, "fuzz", &btf);

	if (!err) {
		fuzz_mark_deep();
		sink += walk(btf);
	} else if (!error_is(err, &btf_error_domain, BTF_NOT_BTF)) {
		fuzz_mark_deep();
	}
	error_free(err);
	btf_free(btf);
	err = kernel_check_btf(in, "fuzz", &check);
	if (!err) {
		const char *word = kernel_scx_word(check.verdict);
		enum kernel_scx back;

		/* A reason for everything but the good news. */
		if (!check.reason != (check.verdict == KERNEL_SCX_USABLE) ||
		    !kernel_scx_parse(word, strlen(word), &back) || back != check.verdict ||
		    kernel_scx_parse("?", 1, &back))
			__builtin_trap();
	}
	error_free(err);
	kernel_check_deinit(&check);
	return 0;
}
