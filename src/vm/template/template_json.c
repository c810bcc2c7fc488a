// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/template/template.h"

#include <string.h>

#include "base/io.h"
#include "json/rows.h"

enum {
	FORMAT = 2, /* 1 had no model */
	FILE_LIMIT = 1 << 20,
};

static struct error *read_nonce(const struct json_value *value, void *member)
{
	static const char digits[] = "0123456789abcdef";
	struct json_text text = json_string(value);
	uint8_t *nonce = member;

	if (!text.at || text.n != 2 * WIRE_NONCE_BYTES)
		goto refused;
	for (size_t i = 0; i < WIRE_NONCE_BYTES; i++) {
		const char *high = memchr(digits, text.at[2 * i], 16);
		const char *low = memchr(digits, text.at[2 * i + 1], 16);

		if (!high || !low)
			goto refused;
		nonce[i] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	return NULL;
refused:
	return base_error(BASE_PARSE, 0, "not %d hexadecimal digits", 2 * WIRE_NONCE_BYTES);
}

static void write_nonce(const void *member, struct json_writer *w)
{
	const uint8_t *nonce = member;
	char hex[2 * WIRE_NONCE_BYTES + 1];

	for (size_t i = 0; i < WIRE_NONCE_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", nonce[i]);
	json_write_string(w, hex);
}

static const struct json_codec nonce_codec = {
	.type = "string",
	.read = read_nonce,
	.write = write_nonce,
};

/* Of no CPU nothing was measured, which is not a machine without errors. */
static const char *check_model(const void *member)
{
	return ((const struct vm_model *)member)->cpus ? NULL : "is of no CPU";
}

static const char *check_ram(const void *member)
{
	return ((const struct template_ram *)member)->n ? NULL : "is empty";
}

#define ROW(member) JSON_SCALAR(struct vm_template_description, member), .presence = JSON_REQUIRED
#define PROOF(member)                                                          \
	JSON_SCALAR_AS(struct vm_template_description, proof.member, #member), \
		.presence = JSON_REQUIRED

static const struct json_row description_rows[] = {
	{ ROW(key), .means = "what the machine is made of" },
	{ JSON_CUSTOM_AS(struct vm_template_description, proof.nonce, "nonce", &nonce_codec),
	  .presence = JSON_REQUIRED, .means = "what its agent was told" },
	{ PROOF(nonce_phys), .means = "where the nonce is in the guest's memory" },
	{ PROOF(generation), .means = "how often the guest was cloned" },
	{ PROOF(monotonic_ns), .limit = INT64_MAX, .means = "when the agent answered" },
	/* Sums with it must not wrap. */
	{ PROOF(monotonic_limit_ns), .limit = INT64_MAX,
	  .means = "the latest time at which it was stopped" },
	{ JSON_OBJECT_OF(struct vm_template_description, model, &vm_model_table),
	  JSON_HAS(struct vm_template_description, has_model), .check = check_model,
	  .means = "with a virtual clock: how true the machine is" },
	{ ROW(state_bytes), .means = "size of the file of the devices' state" },
	{ JSON_NUMBERS(struct vm_template_description, ram_bytes), .presence = JSON_REQUIRED,
	  .limit = TOPO_LIMIT_ASKED_NODES, .check = check_ram,
	  .means = "sizes of the files of memory, one for each node" },
};

static const char *check_description(const void *of)
{
	const struct vm_template_proof *proof =
		&((const struct vm_template_description *)of)->proof;

	return proof->monotonic_limit_ns < proof->monotonic_ns
		       ? "has a monotonic_limit_ns before its monotonic_ns"
		       : NULL;
}

static const struct json_rows description_table = {
	JSON_TABLE(description_rows),
	.version_name = "format",
	.version = FORMAT,
	.check = check_description,
};

void vm_template_description_format(const struct vm_template_description *d, struct strbuf *into)
{
	json_rows_format(&description_table, d, into);
}

struct error *vm_template_description_parse(const char *text, size_t n,
					    struct vm_template_description *ret)
{
	_cleanup_vm_template_description_ struct vm_template_description d = { 0 };
	struct error *err = json_rows_parse(&description_table, text, n, "template.json", &d);

	if (err)
		return error_recast(err, &vm_error_domain, VM_TEMPLATE);
	*ret = d;
	d = (struct vm_template_description){ 0 };
	return NULL;
}

struct error *vm_template_description_write(const struct vm_template_description *d,
					    const char *path)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	vm_template_description_format(d, &text);
	return io_replace_file(path, text.at, text.n);
}

struct error *vm_template_description_read(const char *path, struct vm_template_description *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = io_read_file(path, FILE_LIMIT, &text);

	return err ? err : vm_template_description_parse(strbuf_str(&text), text.n, ret);
}

void vm_template_description_deinit(struct vm_template_description *d)
{
	json_rows_deinit(&description_table, d);
	*d = (struct vm_template_description){ 0 };
}
