// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/slice.h"
#include "base/str.h"
#include "btf/btf.h"
#include "kernel/cache.h"

DEFINE_ERROR_DOMAIN(kernel, KERNEL, KERNEL_ERRORS);

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	kernel_metadata_deinit(kernel);
	free(kernel->dir);
	free(kernel->bzimage_path);
	free(kernel->vmlinux_path);
	free(kernel->config_path);
	free(kernel->btf_path);
	free(kernel->modules_dir);
	free(kernel);
}

struct error *kernel_require_scx(const struct kernel *kernel)
{
	if (kernel->scx == KERNEL_SCX_USABLE)
		return NULL;
	return kernel_error(KERNEL_NO_SCX, 0, "kernel %s cannot be used for sched_ext: %s",
			    kernel->id, kernel->scx_reason ? kernel->scx_reason : "unknown");
}

void kernel_say(const struct kernel_watch *watch, const char *fmt, ...)
{
	char line[1024];
	va_list args;

	if (!watch || !watch->say)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	watch->say(watch->context, line);
}

static bool take_number(struct slice *rest, uint32_t *ret)
{
	enum { LIMIT = 999999 };
	uint64_t value;

	if (!slice_take_u64(rest, &value) || value > LIMIT)
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* A dot, and a number after it. */
static bool take_part(struct slice *rest, uint32_t *ret)
{
	struct slice after = { rest->at + 1, rest->n - 1 };

	if (!rest->n || rest->at[0] != '.' || !take_number(&after, ret))
		return false;
	*rest = after;
	return true;
}

bool kernel_version_parse(const char *text, struct kernel_version *ret, const char **ret_rest)
{
	struct kernel_version version = { 0 };
	struct slice rest = slice_of(text);

	if (!take_number(&rest, &version.major) || !take_part(&rest, &version.minor))
		return false;
	version.has_patch = take_part(&rest, &version.patch);
	*ret = version;
	if (ret_rest)
		*ret_rest = rest.at;
	return true;
}

static int compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

int kernel_version_compare(const struct kernel_version *a, const struct kernel_version *b)
{
	int order = compare_u32(a->major, b->major);

	if (!order)
		order = compare_u32(a->minor, b->minor);
	return order ? order : compare_u32(a->patch, b->patch);
}

bool kernel_version_matches(const struct kernel_version *wanted, const struct kernel_version *have)
{
	return wanted->major == have->major && wanted->minor == have->minor &&
	       (!wanted->has_patch || wanted->patch == have->patch);
}

bool kernel_name_is_safe(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789+-._~";
	size_t n = strlen(name);

	return n > 0 && n <= KERNEL_LIMIT_RELEASE_CHARS && name[0] != '.' &&
	       strspn(name, allowed) == n;
}

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

		/* The implementation of a function with a hidden argument is allowed to have it. */
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
		/* Tables show the text before the colon. */
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
