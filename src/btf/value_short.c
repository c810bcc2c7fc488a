// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/value_builder.h"

#include "btf/limits.h"

/* The names a type goes by: its own and those of typedefs on the way to it. */
static bool has_name(const struct btf *btf, uint32_t id, const char *name)
{
	struct btf_type type;

	for (int hops = 0; hops <= BTF_LIMIT_HOPS && btf_type(btf, id, &type); hops++) {
		if (strcmp(type.name, name) == 0)
			return true;
		if (type.kind != BTF_TYPEDEF && type.kind != BTF_CONST &&
		    type.kind != BTF_VOLATILE && type.kind != BTF_TYPE_TAG)
			return false;
		id = type.size_or_type;
	}
	return false;
}

uint32_t btf_value_decode_short(struct btf_value_builder *b, const struct btf_value_spot *spot)
{
	const struct btf_value_options *options = b->options;
	struct btf_value_short_request request = { .memory = options->memory };
	uint64_t at = spot->bit_offset / 8, bytes, had;
	const char *reason;
	uint32_t n;

	if (spot->bits || spot->bit_offset % 8)
		return 0;
	for (size_t i = 0; i < options->n_shorts; i++) {
		const struct btf_value_short *row = &options->shorts[i];
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (row->behind_pointer || !has_name(spot->btf, spot->type, row->type))
			continue;
		if (btf_size(spot->btf, spot->type, &bytes) != BTF_ANSWER_OK ||
		    btf_value_have(spot->block, at, bytes, &had, &reason) != BTF_VALUE_HAVE_ALL)
			return 0;
		request.bytes = (struct bytes){ spot->block->data.at + at, bytes };
		if (spot->block->address)
			request.address = spot->block->address + at;
		if (row->fn(row->context, &request, &text))
			return 0;
		n = btf_value_add(b, spot, row->kind);
		if (n) {
			btf_value_at(b, n)->text = btf_value_keep(b, strbuf_str(&text), text.n);
			btf_value_at(b, n)->type = spot->type;
		}
		return n;
	}
	return 0;
}

void btf_value_cpus_format(struct bytes bits, uint32_t n_cpus, struct strbuf *out)
{
	uint64_t end = (uint64_t)bits.n * 8, from;
	const char *comma = "";

	if (n_cpus && n_cpus < end)
		end = n_cpus;
	if (end > BTF_LIMIT_VALUE_CPUS)
		end = BTF_LIMIT_VALUE_CPUS;
	for (uint64_t i = 0; i < end; i++) {
		if (!(bits.at[i / 8] >> (i % 8) & 1))
			continue;
		from = i;
		while (i + 1 < end && bits.at[(i + 1) / 8] >> ((i + 1) % 8) & 1)
			i++;
		strbuf_appendf(out, "%s%llu", comma, (unsigned long long)from);
		if (i > from)
			strbuf_appendf(out, "-%llu", (unsigned long long)i);
		comma = ",";
	}
}

/* Freed memory begins with a pointer to the next free object, and no mask has such bits. */
static bool looks_freed(const uint8_t *bits, uint32_t n_cpus)
{
	bool full = true;

	for (int i = 0; i < 8; i++)
		full = full && bits[i] == 0xff;
	return n_cpus && n_cpus <= 56 && bits[7] == 0xff && !full;
}

const char *btf_value_short_cpus(void *context, const struct btf_value_short_request *request,
				 struct strbuf *out)
{
	const uint32_t n_cpus = *(const uint32_t *)context;
	uint8_t page[BTF_LIMIT_VALUE_CPUS / 8];
	struct bytes bits = request->bytes;
	uint64_t want = n_cpus && n_cpus < BTF_LIMIT_VALUE_CPUS ? (n_cpus + 63) / 64 * 8
								: sizeof(page);

	if (!bits.at) {
		/* Without the number of CPUs the size of a mask is unknown. */
		if (!n_cpus || !request->memory)
			return "refused";
		for (uint64_t done = 0; done < want; done += 8) {
			/* Eight bytes that are aligned never cross the end of a page. */
			const char *reason = request->memory->read(
				request->memory->context, (request->address & ~UINT64_C(7)) + done,
				page + done, 8);

			if (reason)
				return reason;
		}
		bits = (struct bytes){ page, want };
		if (looks_freed(page, n_cpus))
			return "refused";
	}
	btf_value_cpus_format(bits, n_cpus, out);
	return NULL;
}
