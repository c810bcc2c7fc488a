// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/template_json.h"

#include <string.h>

#include "base/alloc.h"
#include "base/io.h"
#include "json/writer.h"

enum {
	FORMAT = 1,
	FILE_LIMIT = 1 << 20,
};

static void format_nonce(const uint8_t nonce[WIRE_NONCE_BYTES], char hex[2 * WIRE_NONCE_BYTES + 1])
{
	for (size_t i = 0; i < WIRE_NONCE_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", nonce[i]);
}

static bool parse_nonce(struct json_text text, uint8_t nonce[WIRE_NONCE_BYTES])
{
	static const char digits[] = "0123456789abcdef";

	if (!text.at || text.n != 2 * WIRE_NONCE_BYTES)
		return false;
	for (size_t i = 0; i < WIRE_NONCE_BYTES; i++) {
		const char *high = memchr(digits, text.at[2 * i], 16);
		const char *low = memchr(digits, text.at[2 * i + 1], 16);

		if (!high || !low)
			return false;
		nonce[i] = (uint8_t)((high - digits) << 4 | (low - digits));
	}
	return true;
}

void template_description_format(const struct template_description *d, struct strbuf *into)
{
	struct json_writer w = json_writer_to(into, JSON_PRETTY);
	char hex[2 * WIRE_NONCE_BYTES + 1];

	format_nonce(d->proof.nonce, hex);
	json_begin_object(&w);
	json_add_u64(&w, "format", FORMAT);
	json_add_string(&w, "key", d->key);
	json_add_string(&w, "nonce", hex);
	json_add_u64(&w, "nonce_phys", d->proof.nonce_phys);
	json_add_u64(&w, "generation", d->proof.generation);
	json_add_u64(&w, "monotonic_ns", d->proof.monotonic_ns);
	json_add_u64(&w, "monotonic_limit_ns", d->proof.monotonic_limit_ns);
	json_add_u64(&w, "state_bytes", d->state_bytes);
	json_key(&w, "ram_bytes");
	json_begin_array(&w);
	for (unsigned int i = 0; i < d->n_ram; i++)
		json_write_u64(&w, d->ram_bytes[i]);
	json_end_array(&w);
	json_end_object(&w);
	strbuf_append_char(into, '\n');
}

static struct error *bad(const char *member)
{
	return vm_error(VM_TEMPLATE, 0, "the description of a template has no proper %s", member);
}

static struct error *get_u64(const struct json_value *root, const char *name, uint64_t limit,
			     uint64_t *ret)
{
	if (!json_get_u64(json_find(root, name), ret) || *ret > limit)
		return bad(name);
	return NULL;
}

static struct error *get_ram(const struct json_value *root, struct template_description *d)
{
	const struct json_value *ram = json_find(root, "ram_bytes");
	struct json_iter it = json_iter_over(ram);

	if (json_type_of(ram) != JSON_ARRAY || json_length(ram) == 0 ||
	    json_length(ram) > TOPOLOGY_LIMIT_NODES)
		return bad("ram_bytes");
	while (json_iter_next(&it))
		if (!json_get_u64(it.value, &d->ram_bytes[d->n_ram++]))
			return bad("ram_bytes");
	return NULL;
}

static struct error *get_members(const struct json_value *root, struct template_description *d)
{
	struct json_text key = json_string(json_find(root, "key"));
	uint64_t format = 0, generation = 0;
	struct error *err;

	err = get_u64(root, "format", UINT64_MAX, &format);
	if (!err && format != FORMAT)
		err = bad("format");
	if (!err && (!key.at || memchr(key.at, 0, key.n)))
		err = bad("key");
	if (!err && !parse_nonce(json_string(json_find(root, "nonce")), d->proof.nonce))
		err = bad("nonce");
	if (!err)
		err = get_u64(root, "nonce_phys", UINT64_MAX, &d->proof.nonce_phys);
	if (!err)
		err = get_u64(root, "generation", UINT32_MAX, &generation);
	if (!err)
		err = get_u64(root, "monotonic_ns", INT64_MAX, &d->proof.monotonic_ns);
	/* Sums with it must not wrap. */
	if (!err)
		err = get_u64(root, "monotonic_limit_ns", INT64_MAX, &d->proof.monotonic_limit_ns);
	if (!err && d->proof.monotonic_limit_ns < d->proof.monotonic_ns)
		err = bad("monotonic_limit_ns");
	if (!err)
		err = get_u64(root, "state_bytes", UINT64_MAX, &d->state_bytes);
	if (!err)
		err = get_ram(root, d);
	if (err)
		return err;
	d->proof.generation = (uint32_t)generation;
	d->key = xstrndup(key.at, key.n);
	return NULL;
}

struct error *template_description_parse(const char *text, size_t n,
					 struct template_description *ret)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct template_description d = { 0 };
	struct error *err;

	err = json_doc_parse(text, n, "template.json", &doc);
	if (err)
		return error_recast(err, &vm_error_domain, VM_TEMPLATE);
	err = get_members(json_doc_root(doc), &d);
	if (err)
		return err;
	*ret = d;
	return NULL;
}

struct error *template_description_write(const struct template_description *d, const char *path)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	template_description_format(d, &text);
	return io_replace_file(path, text.at, text.n);
}

struct error *template_description_read(const char *path, struct template_description *ret)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *err = io_read_file(path, FILE_LIMIT, &text);

	return err ? err : template_description_parse(strbuf_str(&text), text.n, ret);
}

void template_description_deinit(struct template_description *d)
{
	free(d->key);
	*d = (struct template_description){ 0 };
}
