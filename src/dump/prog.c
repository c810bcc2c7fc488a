// SPDX-License-Identifier: LGPL-2.1-or-later
/* BPF programs: what prog_idr lists. */
#include "dump/member.h"
#include "dump/rows.h"
#include "kmem/modules.h"

enum { TAG_BYTES = 8 }; /* BPF_TAG_SIZE, include/uapi/linux/bpf.h */

/* What may be missing has a status of its own. */
struct prog {
	uint64_t address, id;
	char name_bytes[32], tag_bytes[2 * TAG_BYTES + 1];
	struct dump_text name, type, tag;
	struct dump_member verified_insns, insns, jited_bytes, jited_at, n_maps;
	struct dump_member runs, run_ns, misses; /* of all CPUs; all of them or none */
};

static const struct dump_column columns[] = {
	{ DUMP_PLACED("id", "ID", 1, -5), DUMP_U64(prog, id) },
	{ DUMP_PLACED("name", "NAME", 3, -16), DUMP_TEXT(prog, name) },
	{ DUMP_PLACED("type", "TYPE", 2, -18), DUMP_TEXT(prog, type) },
	{ DUMP_PLACED("tag", "TAG", 4, -16), DUMP_TEXT(prog, tag) },
	{ .key = "insns", DUMP_MEMBER(prog, insns) },
	{ DUMP_PLACED("verified_insns", "VERIFIED", 5, 10), DUMP_MEMBER(prog, verified_insns) },
	{ .key = "jited_bytes", DUMP_MEMBER(prog, jited_bytes) },
	{ .key = "jited_at", DUMP_MEMBER_HEX(prog, jited_at) },
	{ .key = "n_maps", DUMP_MEMBER(prog, n_maps) },
	{ DUMP_PLACED("runs", "RUNS", 6, 10), DUMP_MEMBER(prog, runs) },
	{ DUMP_PLACED("run_ns", "RUN NS", 7, 10), DUMP_MEMBER(prog, run_ns) },
	{ DUMP_PLACED("recursion_misses", "MISSES", 8, 10), DUMP_MEMBER(prog, misses) },
	{ .key = "address", DUMP_HEX(prog, address) },
};

struct prog_list {
	struct kmem *kmem;
	struct dump_rows rows;
	uint64_t n_unreadable;
};

static void read_tag(struct kmem *kmem, struct prog *prog)
{
	const struct kmem_field *field = &kmem->fields.at[KMEM_F_PROG_TAG];
	uint8_t tag[TAG_BYTES];

	prog->tag = (struct dump_text){ KMEM_READ_UNKNOWN, prog->tag_bytes };
	if (field->known && field->place.size == sizeof(tag))
		prog->tag.status = kmem_read(&kmem->space, prog->address + field->place.offset, tag,
					     sizeof(tag), NULL);
	for (size_t i = 0; !prog->tag.status && i < sizeof(tag); i++)
		snprintf(prog->tag_bytes + 2 * i, 3, "%02x", tag[i]);
}

/* Each CPU counts for itself; the kernel counts only while it is asked to. */
static void read_stats(struct kmem *kmem, struct prog *prog)
{
	const struct {
		enum kmem_field_id id;
		struct dump_member *into;
	} sums[] = { { KMEM_F_PROG_STATS_CNT, &prog->runs },
		     { KMEM_F_PROG_STATS_NSECS, &prog->run_ns },
		     { KMEM_F_PROG_STATS_MISSES, &prog->misses } };
	struct dump_member pointer = dump_read(kmem, KMEM_F_PROG_STATS, prog->address);
	enum kmem_status status = pointer.status;
	uint64_t at;

	if (!status && !pointer.value)
		status = KMEM_READ_UNKNOWN;
	/* Nothing to add up is not 0. */
	else if (!status && kmem->no_cpus)
		status = KMEM_READ_UNREADABLE;
	for (uint32_t cpu = 0; !status && cpu < kmem->cpus.n; cpu++) {
		if (!kmem_cpus_address(&kmem->cpus, cpu, pointer.value, &at))
			continue;
		for (size_t i = 0; !status && i < ARRAY_SIZE(sums); i++) {
			struct dump_member number = dump_read(kmem, sums[i].id, at);

			status = number.status;
			sums[i].into->value += number.value;
		}
	}
	/* Without one of them there is no sum. */
	for (size_t i = 0; i < ARRAY_SIZE(sums); i++)
		sums[i].into->status = status;
}

/* Each function of a program is compiled for itself; the first is the program's own. */
static struct dump_member read_jited_bytes(struct kmem *kmem, uint64_t program, uint64_t aux)
{
	struct dump_member sum = { 0 };
	struct dump_member n = dump_read(kmem, KMEM_F_PROG_AUX_N_FUNCS, aux);
	struct dump_member functions = dump_read(kmem, KMEM_F_PROG_AUX_FUNCS, aux);

	if (n.status == KMEM_READ_UNKNOWN || functions.status == KMEM_READ_UNKNOWN ||
	    (!n.status && !n.value))
		return dump_read(kmem, KMEM_F_PROG_JITED_LEN, program);
	sum.status = n.status ? n.status : functions.status;
	if (!sum.status && n.value > DUMP_LIMIT_FUNCTIONS)
		sum.status = KMEM_READ_TORN;
	for (uint64_t i = 0; !sum.status && i < n.value; i++) {
		struct dump_member bytes = { 0 };
		uint64_t function;

		sum.status = kmem_read_u64(&kmem->space, functions.value + 8 * i, &function);
		if (!sum.status)
			bytes = dump_read(kmem, KMEM_F_PROG_JITED_LEN, function);
		if (!sum.status)
			sum.status = bytes.status;
		sum.value += bytes.value;
	}
	return sum;
}

static bool read_prog(struct kmem *kmem, uint64_t id, uint64_t address, struct prog *prog,
		      struct strbuf *type)
{
	uint64_t aux, number;

	*prog = (struct prog){ .address = address, .id = id };
	if (kmem_get(kmem, KMEM_F_PROG_TYPE, address, &number) ||
	    kmem_get(kmem, KMEM_F_PROG_AUX, address, &aux) ||
	    kmem_get_text(kmem, KMEM_F_PROG_AUX_NAME, aux, prog->name_bytes,
			  sizeof(prog->name_bytes)))
		return false;
	dump_enum_name(kmem, "bpf_prog_type", "BPF_PROG_TYPE_", number, type);
	prog->name.text = prog->name_bytes;
	prog->type.text = strbuf_str(type);
	prog->insns = dump_read(kmem, KMEM_F_PROG_LEN, address);
	prog->jited_bytes = read_jited_bytes(kmem, address, aux);
	prog->jited_at = dump_read(kmem, KMEM_F_PROG_FUNC, address);
	prog->verified_insns = dump_read(kmem, KMEM_F_PROG_AUX_VERIFIED, aux);
	prog->n_maps = dump_read(kmem, KMEM_F_PROG_AUX_N_MAPS, aux);
	read_tag(kmem, prog);
	read_stats(kmem, prog);
	return true;
}

static bool show_prog(void *context, uint64_t id, uint64_t address)
{
	struct prog_list *list = context;
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;
	struct prog prog;

	if (read_prog(list->kmem, id, address, &prog, &type))
		dump_rows_add(&list->rows, &prog);
	else
		list->n_unreadable++;
	return true;
}

struct error *dump_prog(struct kmem *kmem, const struct dump_request *request,
			struct dump_sink *sink)
{
	struct kmem_walk walk = dump_walk_wanted(sink, dump_wanted(request, sink));
	struct prog_list list = { .kmem = kmem };
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_PROGS);

	if (err)
		return err;
	dump_rows_begin(&list.rows, sink, "programs", columns, ARRAY_SIZE(columns));
	err = kmem_idr(kmem, "prog_idr", &walk, show_prog, &list);
	dump_rows_end(&list.rows);
	if (err)
		return err;
	walk.n_shown -= list.n_unreadable;
	dump_walk(sink, "programs", &walk);
	dump_say_count(sink, "unreadable", list.n_unreadable, "programs cannot be read");
	return NULL;
}
