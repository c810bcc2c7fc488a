// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/check.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "btf/btf.h"
#include "kernel/limits.h"

#define SCX_ROW_(id, word, meaning) [id] = (word),
const char *const kernel_scx_words[] = { KERNEL_SCX_VERDICTS(SCX_ROW_) };

const char *kernel_scx_name(enum kernel_scx verdict)
{
	return kernel_scx_words[verdict];
}

static struct error *has_aux(const struct btf *btf, const struct btf_type *func, bool *ret)
{
	struct btf_param param;
	struct btf_type proto;
	bool found = false;
	struct error *err = btf_func_proto(btf, func, &proto);

	for (uint32_t i = 0; !err && !found && i < proto.n; i++) {
		err = btf_proto_param(btf, &proto, i, &param);
		found = !err && strcmp(param.name, "aux") == 0;
	}
	if (!err)
		*ret = found;
	return err;
}

static struct error *count_leaky(const struct btf *btf, struct kernel_check *check,
				 struct strbuf *names)
{
	struct btf_type func = { 0 };

	while (btf_next(btf, BTF_FUNC, "scx_bpf_", func.id, &func)) {
		bool leaks = false;
		struct error *err;

		/* The function behind a call with a hidden argument has it rightly. */
		if (str_ends_with(func.name, "_impl"))
			continue;
		err = has_aux(btf, &func, &leaks);
		if (err)
			return err;
		check->functions++;
		if (leaks && ++check->leaky <= KERNEL_LIMIT_NAMED_FUNCTIONS)
			strbuf_appendf(names, "%s%s", names->n ? ", " : "", func.name);
	}
	return NULL;
}

struct error *kernel_check_btf(struct bytes bytes, const char *label, struct kernel_check *ret)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;
	_cleanup_btf_ struct btf *btf = NULL;
	struct kernel_check check = { 0 };
	struct btf_type ops;
	struct error *err;

	if (bytes.n == 0) {
		check.verdict = KERNEL_SCX_UNKNOWN;
		check.reason = xstrdup("the image has no BTF, so no BPF program can be loaded");
		*ret = check;
		return NULL;
	}
	err = btf_parse(bytes, label, &btf);
	if (!err)
		err = count_leaky(btf, &check, &names);
	if (err)
		return err;
	if (!btf_find(btf, BTF_STRUCT, "sched_ext_ops", &ops)) {
		check.verdict = KERNEL_SCX_ABSENT;
		check.reason = xstrdup(
			"built without sched_ext: its BTF has no struct sched_ext_ops");
	} else if (check.leaky) {
		check.verdict = KERNEL_SCX_BROKEN;
		/* Tables show what stands before the colon. */
		check.reason = xasprintf(
			"%u of %u scx functions leak an 'aux' argument into BTF, so "
			"programs that call them are refused: %s",
			check.leaky, check.functions, strbuf_str(&names));
	}
	*ret = check;
	return NULL;
}

void kernel_check_deinit(struct kernel_check *check)
{
	free(check->reason);
	check->reason = NULL;
}
