// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/btf/btf.c src/btf/layout.c src/kernel/kernel.c */
#include "fuzz.h"

#include "btf/layout.h"
#include "kernel/kernel.h"

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

/* Everything a type can be asked; answers must not contradict each other. */
static void ask(const struct btf *btf, const struct btf_type *type)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct btf_type found;
	struct btf_variable variable;
	struct btf_enumerator e;
	struct btf_member member;
	struct btf_array array;
	struct btf_int number;
	uint64_t size, value;
	uint32_t at = 0;

	btf_type_format(btf, type->id, &text);
	/* What has a name is found by it, this one or one before it. */
	if (type->name[0]) {
		if (!btf_find(btf, type->kind, type->name, &found) || found.kind != type->kind)
			__builtin_trap();
		while (btf_next_named(btf, type->name, &at, &found) && found.id != type->id)
			;
		if (found.id != type->id)
			__builtin_trap();
		(void)!btf_find_body(btf, BTF_UNION, type->name, &found);
		if (btf_find_body(btf, BTF_STRUCT, type->name, &found) == BTF_BODY_NONE &&
		    type->kind == BTF_STRUCT)
			__builtin_trap();
	}
	if (btf_size(btf, type->id, &size) == BTF_ANSWER_OK &&
	    btf_resolve(btf, type->id, &found) != BTF_ANSWER_OK)
		__builtin_trap();
	if (btf_get_int(type, &number) + btf_get_array(type, &array) > 1)
		__builtin_trap();
	for (uint32_t i = 0; i < type->n && i < 64; i++) {
		if (btf_get_member(btf, type, i, &member) &&
		    (!btf_is_composite(type) || member.bit_offset > UINT32_MAX + UINT64_C(255)))
			__builtin_trap();
		/* The first of that value, so another name may come back. */
		if (btf_get_enumerator(btf, type, i, &e) &&
		    (!btf_enum_name(btf, type, e.value, 64) ||
		     !btf_enum_value(btf, type, e.name, &value) ||
		     !btf_find_enumerator(btf, e.name, &found, &value)))
			__builtin_trap();
		if (btf_get_variable(btf, type, i, &variable) &&
		    !btf_find_variable(btf, type, variable.name, &variable))
			__builtin_trap();
	}
}

/* The same bytes once more, on top of themselves. */
static void ask_all(struct bytes in, const struct btf *base)
{
	_cleanup_btf_ struct btf *split = NULL;
	_cleanup_error_ struct error *err = btf_parse_split(in, base, "split", &split);
	struct btf_type type;

	if (!split)
		return;
	if (btf_first_own(split) != btf_n_types(base) + 1 ||
	    btf_n_types(split) != 2 * btf_n_types(base))
		__builtin_trap();
	for (uint32_t id = 1; id <= btf_n_types(split) && id < 200; id++) {
		if (!btf_type(split, id, &type))
			__builtin_trap();
		ask(split, &type);
	}
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
		ask_all(in, btf);
	} else if (!error_is(err, &btf_error_domain, BTF_NOT_BTF)) {
		fuzz_mark_deep();
	}
	error_free(err);
	btf_free(btf);
	err = kernel_check_btf(in, "fuzz", &check);
	if (!err) {
		/* A reason for everything but the good news. */
		if (!check.reason != (check.verdict == KERNEL_SCX_USABLE) ||
		    !kernel_scx_name(check.verdict))
			__builtin_trap();
	}
	error_free(err);
	kernel_check_deinit(&check);
	return 0;
}
