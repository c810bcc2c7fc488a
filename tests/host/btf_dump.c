// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the room btf makes of a file, for comparison with other readers:
 *	btf-dump types FILE [BASE]   every own type, as `bpftool btf dump format raw` says it
 *	btf-dump fields FILE         for each "type path" on stdin: offset, bytes, bits
 */
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "btf/path.h"

static const char *const kinds[BTF_N_KINDS] = {
	[BTF_INT] = "INT",	     [BTF_PTR] = "PTR",
	[BTF_ARRAY] = "ARRAY",	     [BTF_STRUCT] = "STRUCT",
	[BTF_UNION] = "UNION",	     [BTF_ENUM] = "ENUM",
	[BTF_FWD] = "FWD",	     [BTF_TYPEDEF] = "TYPEDEF",
	[BTF_VOLATILE] = "VOLATILE", [BTF_CONST] = "CONST",
	[BTF_RESTRICT] = "RESTRICT", [BTF_FUNC] = "FUNC",
	[BTF_VAR] = "VAR",	     [BTF_FUNC_PROTO] = "FUNC_PROTO",
	[BTF_FLOAT] = "FLOAT",	     [BTF_DATASEC] = "DATASEC",
	[BTF_DECL_TAG] = "DECL_TAG", [BTF_TYPE_TAG] = "TYPE_TAG",
	[BTF_ENUM64] = "ENUM64",
};

static const char *or_anon(const char *name)
{
	return name[0] ? name : "(anon)";
}

static const char *linkage(uint32_t number)
{
	static const char *const words[] = { "static", "global", "extern" };

	return number < 3 ? words[number] : "(unknown)";
}

static void print_members(const struct btf *btf, const struct btf_type *type)
{
	struct btf_member member;

	printf(" size=%u vlen=%u\n", type->size_or_type, type->n);
	for (uint32_t i = 0; i < type->n; i++) {
		if (!btf_get_member(btf, type, i, &member)) {
			printf("\t(no member)\n");
			continue;
		}
		printf("\t'%s' type_id=%u bits_offset=%llu", or_anon(member.name), member.type,
		       (unsigned long long)member.bit_offset);
		if (member.bits)
			printf(" bitfield_size=%u", member.bits);
		printf("\n");
	}
}

static void print_values(const struct btf *btf, const struct btf_type *type)
{
	struct btf_enumerator e;

	printf(" encoding=%s size=%u vlen=%u\n", type->flag ? "SIGNED" : "UNSIGNED",
	       type->size_or_type, type->n);
	for (uint32_t i = 0; i < type->n; i++) {
		if (!btf_get_enumerator(btf, type, i, &e))
			printf("\t(no value)\n");
		else if (type->flag)
			printf("\t'%s' val=%lld%s\n", e.name, (long long)e.value,
			       type->kind == BTF_ENUM64 ? "LL" : "");
		else
			printf("\t'%s' val=%llu%s\n", e.name, (unsigned long long)e.value,
			       type->kind == BTF_ENUM64 ? "ULL" : "");
	}
}

static void print_params(const struct btf *btf, const struct btf_type *type)
{
	struct btf_param param;

	printf(" ret_type_id=%u vlen=%u\n", type->size_or_type, type->n);
	for (uint32_t i = 0; i < type->n; i++) {
		struct error *err = btf_proto_param(btf, type, i, &param);

		if (!err)
			printf("\t'%s' type_id=%u\n", or_anon(param.name), param.type);
		error_free(err);
	}
}

static void print_variables(const struct btf *btf, const struct btf_type *type)
{
	struct btf_variable variable;

	printf(" size=%u vlen=%u\n", type->size_or_type, type->n);
	for (uint32_t i = 0; i < type->n; i++) {
		if (btf_get_variable(btf, type, i, &variable))
			printf("\ttype_id=%u offset=%u size=%u (VAR '%s')\n", variable.id,
			       variable.offset, variable.bytes, variable.name);
	}
}

static void print_type(const struct btf *btf, const struct btf_type *type)
{
	struct cursor tail = cursor_over(type->tail);
	struct btf_array array;
	struct btf_int number;

	printf("[%u] %s '%s'", type->id, kinds[type->kind], or_anon(type->name));
	switch (type->kind) {
	case BTF_INT:
		if (btf_get_int(type, &number))
			printf(" size=%u bits_offset=%u nr_bits=%u encoding=%s\n", number.bytes,
			       number.bit_offset, number.bits,
			       number.is_signed ? "SIGNED"
			       : number.is_char ? "CHAR"
			       : number.is_bool ? "BOOL"
						: "(none)");
		break;
	case BTF_ARRAY:
		if (btf_get_array(type, &array))
			printf(" type_id=%u index_type_id=%u nr_elems=%u\n", array.element,
			       array.index, array.n);
		break;
	case BTF_STRUCT:
	case BTF_UNION:
		print_members(btf, type);
		break;
	case BTF_ENUM:
	case BTF_ENUM64:
		print_values(btf, type);
		break;
	case BTF_FWD:
		printf(" fwd_kind=%s\n", type->flag ? "union" : "struct");
		break;
	case BTF_FUNC:
		printf(" type_id=%u linkage=%s\n", type->size_or_type, linkage(type->n));
		break;
	case BTF_FUNC_PROTO:
		print_params(btf, type);
		break;
	case BTF_VAR:
		printf(" type_id=%u, linkage=%s\n", type->size_or_type, linkage(cursor_u32(&tail)));
		break;
	case BTF_DATASEC:
		print_variables(btf, type);
		break;
	case BTF_FLOAT:
		printf(" size=%u\n", type->size_or_type);
		break;
	case BTF_DECL_TAG:
		printf(" type_id=%u component_idx=%d\n", type->size_or_type,
		       (int)cursor_u32(&tail));
		break;
	default:
		printf(" type_id=%u\n", type->size_or_type);
		break;
	}
}

static int print_types(const struct btf *btf)
{
	struct btf_type type;

	for (uint32_t id = btf_first_own(btf); id <= btf_n_types(btf); id++) {
		if (!btf_type(btf, id, &type))
			return 1;
		print_type(btf, &type);
	}
	return 0;
}

static int print_fields(const struct btf *btf)
{
	char line[600], *path;

	while (fgets(line, sizeof(line), stdin)) {
		struct btf_place place;
		struct error *err;

		line[strcspn(line, "\n")] = 0;
		path = strrchr(line, ' ');
		if (!path)
			return 2;
		*path++ = 0;
		err = btf_field(btf, line, path, &place);
		if (err)
			printf("%s\n", error_message(err));
		else
			printf("%llu %llu %u\n",
			       (unsigned long long)place.offset * 8 + place.bit_offset,
			       (unsigned long long)place.size, place.bits);
		error_free(err);
	}
	return 0;
}

static struct btf *open_btf(const char *path, const struct btf *base, struct strbuf *bytes)
{
	struct btf *btf = NULL;
	struct error *err = io_read_file(path, 64 << 20, bytes);

	if (!err)
		err = btf_parse_split((struct bytes){ (const uint8_t *)bytes->at, bytes->n }, base,
				      path, &btf);
	if (err)
		fprintf(stderr, "btf-dump: %s\n", error_message(err));
	error_free(err);
	return btf;
}

int main(int argc, char **argv)
{
	_cleanup_strbuf_ struct strbuf base_bytes = STRBUF_INIT, bytes = STRBUF_INIT;
	_cleanup_btf_ struct btf *base = NULL, *btf = NULL;

	if (argc < 3)
		return 2;
	if (argc > 3) {
		base = open_btf(argv[3], NULL, &base_bytes);
		if (!base)
			return 1;
	}
	btf = open_btf(argv[2], base, &bytes);
	if (!btf)
		return 1;
	return strcmp(argv[1], "types") == 0 ? print_types(btf) : print_fields(btf);
}
