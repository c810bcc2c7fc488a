// SPDX-License-Identifier: LGPL-2.1-or-later
/* BPF programs: what prog_idr lists. */
#include "dump/dump.h"
#include "dump/kernel_read.h"
#include "dump/member.h"
#include "text/escape.h"

enum { TAG_BYTES = 8 }; /* BPF_TAG_SIZE, include/uapi/linux/bpf.h */

struct prog_stats {
	enum kmem_status status;
	uint64_t runs, run_ns, misses;
};

/* What may be missing has a status of its own. */
struct prog {
	uint64_t address, id, type;
	char name[32];
	enum kmem_status tag_status;
	char tag[2 * TAG_BYTES + 1];
	struct dump_member verified_insns, insns, jited_bytes, jited_at, n_maps;
	struct prog_stats stats;
};

struct prog_list {
	struct kmem *kmem;
	struct dump_sink *sink;
	uint64_t n_unreadable;
};

static void read_tag(struct kmem *kmem, struct prog *prog)
{
	const struct kmem_field *field = &kmem->fields.at[KMEM_F_PROG_TAG];
	uint8_t tag[TAG_BYTES];

	prog->tag_status = KMEM_READ_UNKNOWN;
	if (field->known && field->place.size == sizeof(tag))
		prog->tag_status = kmem_read(&kmem->space, prog->address + field->place.offset, tag,
					     sizeof(tag), NULL);
	if (prog->tag_status != KMEM_READ_OK)
		return;
	for (size_t i = 0; i < sizeof(tag); i++)
		snprintf(prog->tag + 2 * i, 3, "%02x", tag[i]);
}

/* Each CPU counts for itself; the kernel counts only while it is asked to. */
static void read_stats(struct kmem *kmem, struct prog *prog)
{
	struct prog_stats stats = { 0 };
	struct dump_member pointer = dump_read(kmem, KMEM_F_PROG_STATS, prog->address);

	prog->stats.status = pointer.status;
	if (pointer.status == KMEM_READ_OK && !pointer.value)
		prog->stats.status = KMEM_READ_UNKNOWN;
	/* Nothing to add up is not 0. */
	else if (pointer.status == KMEM_READ_OK && kmem->no_cpus)
		prog->stats.status = KMEM_READ_UNREADABLE;
	for (uint32_t cpu = 0; prog->stats.status == KMEM_READ_OK && cpu < kmem->cpus.n; cpu++) {
		struct dump_member runs, ns, misses;
		uint64_t at;

		if (!kmem_cpus_is_possible(&kmem->cpus, cpu) ||
		    !kmem_cpus_address(&kmem->cpus, cpu, pointer.value, &at))
			continue;
		runs = dump_read(kmem, KMEM_F_PROG_STATS_CNT, at);
		ns = dump_read(kmem, KMEM_F_PROG_STATS_NSECS, at);
		misses = dump_read(kmem, KMEM_F_PROG_STATS_MISSES, at);
		/* Without one of them there is no sum. */
		prog->stats.status = runs.status ? runs.status
						 : (ns.status ? ns.status : misses.status);
		stats.runs += runs.value;
		stats.run_ns += ns.value;
		stats.misses += misses.value;
	}
	if (prog->stats.status == KMEM_READ_OK)
		prog->stats = stats;
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

static bool read_prog(struct kmem *kmem, uint64_t id, uint64_t address, struct prog *ret)
{
	const struct kmem_fields *fields = &kmem->fields;
	struct kmem_space *space = &kmem->space;
	struct prog prog = { .address = address, .id = id };
	uint64_t aux;

	if (kmem_field_read(fields, space, KMEM_F_PROG_TYPE, address, &prog.type) != KMEM_READ_OK ||
	    kmem_field_read(fields, space, KMEM_F_PROG_AUX, address, &aux) != KMEM_READ_OK ||
	    kmem_field_read_text(fields, space, KMEM_F_PROG_AUX_NAME, aux, prog.name,
				 sizeof(prog.name)) != KMEM_READ_OK)
		return false;
	prog.insns = dump_read(kmem, KMEM_F_PROG_LEN, address);
	prog.jited_bytes = read_jited_bytes(kmem, address, aux);
	prog.jited_at = dump_read(kmem, KMEM_F_PROG_FUNC, address);
	prog.verified_insns = dump_read(kmem, KMEM_F_PROG_AUX_VERIFIED, aux);
	prog.n_maps = dump_read(kmem, KMEM_F_PROG_AUX_N_MAPS, aux);
	read_tag(kmem, &prog);
	read_stats(kmem, &prog);
	*ret = prog;
	return true;
}

static void write_prog(struct json_writer *json, const struct prog *prog, const char *type)
{
	json_begin_object(json);
	json_add_u64(json, "id", prog->id);
	json_add_string(json, "name", prog->name);
	json_add_string(json, "type", type);
	dump_text_json(json, "tag", prog->tag_status, prog->tag);
	dump_member_json(json, "insns", &prog->insns);
	dump_member_json(json, "verified_insns", &prog->verified_insns);
	dump_member_json(json, "jited_bytes", &prog->jited_bytes);
	dump_member_json_hex(json, "jited_at", &prog->jited_at);
	dump_member_json(json, "n_maps", &prog->n_maps);
	if (dump_is_read(json, "runs", prog->stats.status))
		json_add_u64(json, "runs", prog->stats.runs);
	if (dump_is_read(json, "run_ns", prog->stats.status))
		json_add_u64(json, "run_ns", prog->stats.run_ns);
	if (dump_is_read(json, "recursion_misses", prog->stats.status))
		json_add_u64(json, "recursion_misses", prog->stats.misses);
	dump_add_hex(json, "address", prog->address);
	json_end_object(json);
}

/* "-": this kernel has no such number; "?": it cannot be read. */
static void add_cell(struct strbuf *line, enum kmem_status status, uint64_t value)
{
	_cleanup_strbuf_ struct strbuf cell = STRBUF_INIT;

	if (status)
		strbuf_append(&cell, status == KMEM_READ_UNKNOWN ? "-" : "?");
	else
		strbuf_appendf(&cell, "%llu", (unsigned long long)value);
	strbuf_appendf(line, " %10s", strbuf_str(&cell));
}

static void show_prog_text(struct dump_sink *sink, const struct prog *prog, const char *type)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT, name = STRBUF_INIT;
	const struct prog_stats *stats = &prog->stats;

	text_escape(&name, prog->name);
	strbuf_appendf(&line, "%-5llu %-18s %-16s %-16s", (unsigned long long)prog->id, type,
		       strbuf_str(&name),
		       !prog->tag_status		       ? prog->tag
		       : prog->tag_status == KMEM_READ_UNKNOWN ? "-"
							       : "?");
	add_cell(&line, prog->verified_insns.status, prog->verified_insns.value);
	add_cell(&line, stats->status, stats->runs);
	add_cell(&line, stats->status, stats->run_ns);
	add_cell(&line, stats->status, stats->misses);
	dump_lines(sink, strbuf_str(&line));
}

static bool show_prog(void *context, uint64_t id, uint64_t address)
{
	struct prog_list *list = context;
	_cleanup_strbuf_ struct strbuf type = STRBUF_INIT;
	struct prog prog;

	if (!read_prog(list->kmem, id, address, &prog)) {
		list->n_unreadable++;
		return true;
	}
	dump_enum_word(list->kmem, "bpf_prog_type", "BPF_PROG_TYPE_", prog.type, &type);
	if (list->sink->json)
		write_prog(list->sink->json, &prog, strbuf_str(&type));
	else
		show_prog_text(list->sink, &prog, strbuf_str(&type));
	return true;
}

struct error *dump_prog(struct kmem *kmem, const struct dump_request *request,
			struct dump_sink *sink)
{
	struct kmem_walk walk = dump_walk_wanted(sink, dump_wanted(request, sink));
	struct prog_list list = { .kmem = kmem, .sink = sink };
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_PROGS);

	if (err)
		return err;
	if (sink->json) {
		json_key(sink->json, "programs");
		json_begin_array(sink->json);
	}
	dump_line(sink, "%-5s %-18s %-16s %-16s %10s %10s %10s %10s", "ID", "TYPE", "NAME", "TAG",
		  "VERIFIED", "RUNS", "RUN NS", "MISSES");
	err = dump_idr(kmem, "prog_idr", &walk, show_prog, &list);
	if (sink->json)
		json_end_array(sink->json);
	if (err)
		return err;
	walk.n_shown -= list.n_unreadable;
	dump_walk(sink, "programs", &walk);
	if (list.n_unreadable && sink->json)
		json_add_u64(sink->json, "unreadable", list.n_unreadable);
	if (list.n_unreadable)
		dump_line(sink, "%llu programs cannot be read",
			  (unsigned long long)list.n_unreadable);
	return NULL;
}
