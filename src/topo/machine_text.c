// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * One line per fact, the CPUs of a fact as a list:
 *
 *	machine 1              form of this text
 *	cpus 0-3
 *	nodes 0-1              or "-" from a kernel without NUMA, "?" when not known
 *	threads 0-1            these share a core
 *	core-id 0 0-1          the number, then whose it is
 *	llc 0-3                these share their last-level cache
 *	node 0 0-1
 *	memory 0 1048576       bytes
 *	distance 0 10 20       to each node in turn
 *	absent llc 0-3 reason  up to the end of the line
 *	end
 */
#include <string.h>

#include "topo/machine.h"
#include "base/slice.h"

static void append_cpus(struct strbuf *into, const struct topo_cpuset *set)
{
	topo_cpuset_format(set, into);
	strbuf_append_char(into, '\n');
}

/* One line for each value of the item, in the order of the lowest CPU that has it. */
static void format_item(const struct topo_machine *m, enum topo_item item, bool with_value,
			struct strbuf *into)
{
	struct topo_cpuset done = { 0 };

	for (unsigned int i = 0; i < m->n_cpus; i++) {
		uint32_t value = *topo_cpu_item(&m->cpus[i], item);
		struct topo_cpuset sharing;

		if (value == TOPO_ABSENT || topo_cpuset_has(&done, m->cpus[i].number))
			continue;
		topo_machine_sharing(m, item, value, &sharing);
		topo_cpuset_for_each (cpu, &sharing)
			topo_cpuset_add(&done, cpu);
		strbuf_appendf(into, "%s ", topo_items[item].word);
		if (with_value)
			strbuf_appendf(into, "%u ", value);
		append_cpus(into, &sharing);
	}
}

static void format_nodes(const struct topo_machine *m, struct strbuf *into)
{
	for (unsigned int i = 0; i < m->n_nodes; i++)
		if (m->nodes[i].has_memory)
			strbuf_appendf(into, "memory %u %llu\n", m->nodes[i].number,
				       (unsigned long long)m->nodes[i].memory_bytes);
	for (unsigned int i = 0; i < m->n_nodes; i++) {
		if (!m->nodes[i].has_distances)
			continue;
		strbuf_appendf(into, "distance %u", m->nodes[i].number);
		for (unsigned int j = 0; j < m->n_nodes; j++)
			strbuf_appendf(into, " %u", m->distances[i * m->n_nodes + j]);
		strbuf_append_char(into, '\n');
	}
}

void topo_machine_format(const struct topo_machine *m, struct strbuf *into)
{
	struct topo_cpuset set = { 0 };

	for (unsigned int i = 0; i < m->n_cpus; i++)
		topo_cpuset_add(&set, m->cpus[i].number);
	strbuf_append(into, "machine 1\ncpus ");
	append_cpus(into, &set);
	set = (struct topo_cpuset){ 0 };
	for (unsigned int i = 0; i < m->n_nodes; i++)
		topo_cpuset_add(&set, m->nodes[i].number);
	strbuf_append(into, m->no_numa ? "nodes -" : m->n_nodes ? "nodes " : "nodes ?");
	append_cpus(into, &set);
	format_item(m, TOPO_ITEM_THREADS, false, into);
	format_item(m, TOPO_ITEM_CORE_ID, true, into);
	format_item(m, TOPO_ITEM_LLC, false, into);
	format_item(m, TOPO_ITEM_NODE, true, into);
	format_nodes(m, into);
	for (size_t i = 0; i < m->absences.n; i++) {
		const struct topo_absence *absence = &m->absences.at[i];

		strbuf_appendf(into, "absent %s ", topo_items[absence->item].word);
		topo_cpuset_format(&absence->who, into);
		strbuf_appendf(into, " %s\n", absence->reason);
	}
	strbuf_append(into, "end\n");
}

struct lines {
	struct slice rest;
	unsigned int number;
	struct slice line; /* the current one, consumed from the left */
};

static struct error *bad(const struct lines *in, const char *what)
{
	struct topo_quote q;

	return topo_error(TOPO_MACHINE, 0, "line %u: %s at \"%s\"", in->number, what,
			  topo_quote_bytes(&q, in->line.at, in->line.n));
}

static bool next_line(struct lines *in)
{
	if (!in->rest.n || !memchr(in->rest.at, '\n', in->rest.n))
		return false;
	in->number++;
	return slice_take_line(&in->rest, &in->line);
}

/* The next word and one blank after it. */
static struct slice take_word(struct lines *in)
{
	struct slice word = { in->line.at, 0 };

	slice_take_until(&in->line, ' ', &word);
	return word;
}

static bool take_literal(struct lines *in, const char *literal)
{
	struct slice before = in->line;

	if (slice_equal(take_word(in), literal))
		return true;
	in->line = before;
	return false;
}

static bool take_number(struct lines *in, uint64_t most, uint64_t *ret)
{
	return slice_u64(take_word(in), ret) && *ret <= most;
}

static struct error *take_cpus(struct lines *in, struct topo_cpuset *ret)
{
	struct slice word = take_word(in);

	return error_wrap(topo_cpuset_parse(word.at, word.n, ret), "line %u", in->number);
}

static struct error *parse_cpu_item(struct lines *in, struct topo_machine *m, enum topo_item item)
{
	bool with_value = item == TOPO_ITEM_CORE_ID || item == TOPO_ITEM_NODE;
	struct error *err;
	struct topo_cpuset cpus;
	uint64_t value = 0;

	if (with_value && !take_number(in, TOPO_ABSENT - 1, &value))
		return bad(in, "no number");
	err = take_cpus(in, &cpus);
	if (err)
		return err;
	if (topo_cpuset_count(&cpus) == 0)
		return bad(in, "no CPUs");
	if (!with_value)
		value = topo_cpuset_next(&cpus, 0);
	if (item == TOPO_ITEM_NODE && !topo_machine_node(m, (unsigned int)value))
		return bad(in, "a node that is not online");
	topo_cpuset_for_each (number, &cpus) {
		struct topo_cpu *cpu = topo_machine_cpu(m, number);

		if (!cpu)
			return bad(in, "a CPU that is not online");
		if (*topo_cpu_item(cpu, item) != TOPO_ABSENT)
			return bad(in, "a CPU's item is given twice");
		*topo_cpu_item(cpu, item) = (uint32_t)value;
	}
	return NULL;
}

static struct error *parse_node_item(struct lines *in, struct topo_machine *m, enum topo_item item)
{
	struct topo_node *node = NULL;
	uint64_t value;

	if (take_number(in, TOPO_LIMIT_NODES, &value))
		node = topo_machine_node(m, (unsigned int)value);
	if (!node)
		return bad(in, "no node that is online");
	if (item == TOPO_ITEM_MEMORY ? node->has_memory : node->has_distances)
		return bad(in, "a node's item is given twice");
	if (item == TOPO_ITEM_MEMORY) {
		if (!take_number(in, UINT64_MAX, &node->memory_bytes))
			return bad(in, "no number of bytes");
		node->has_memory = true;
		return NULL;
	}
	for (unsigned int i = 0; i < m->n_nodes; i++) {
		if (!take_number(in, UINT8_MAX, &value))
			return bad(in, "a distance too few");
		m->distances[(size_t)(node - m->nodes) * m->n_nodes + i] = (uint8_t)value;
	}
	node->has_distances = true;
	return NULL;
}

static bool take_item(struct lines *in, enum topo_item *ret)
{
	for (int i = 0; i < TOPO_N_ITEMS; i++) {
		if (take_literal(in, topo_items[i].word)) {
			*ret = (enum topo_item)i;
			return true;
		}
	}
	return false;
}

static struct error *parse_absence(struct lines *in, struct topo_machine *m)
{
	struct topo_absence absence = { 0 };
	struct error *err;
	size_t n;

	if (!take_item(in, &absence.item))
		return bad(in, "no item");
	err = take_cpus(in, &absence.who);
	if (err)
		return err;
	n = in->line.n;
	if (n == 0 || n >= sizeof(absence.reason) || topo_cpuset_count(&absence.who) == 0)
		return bad(in, "no reason of 1 to 127 characters");
	if (m->absences.n == TOPO_LIMIT_ABSENCES)
		return bad(in, "too many reasons");
	for (size_t i = 0; i < n; i++)
		if (in->line.at[i] < ' ' || in->line.at[i] > '~')
			return bad(in, "a reason that is not plain text");
	memcpy(absence.reason, in->line.at, n);
	in->line.n = 0;
	vec_push(&m->absences, absence);
	return NULL;
}

/* Given once: a value or one absence, never both and never neither. */
static struct error *check_told_once(const struct topo_machine *m, enum topo_item item,
				     unsigned int who, bool has_value)
{
	unsigned int told = has_value;

	for (size_t i = 0; i < m->absences.n; i++)
		told += m->absences.at[i].item == item &&
			topo_cpuset_has(&m->absences.at[i].who, who);
	if (told == 1)
		return NULL;
	return topo_error(TOPO_MACHINE, 0, "%s of %s %u is given %u times",
			  topo_items[item].meaning,
			  topo_items[item].of == TOPO_OF_CPU ? "CPU" : "node", who, told);
}

static struct error *check_all_told(const struct topo_machine *m)
{
	struct error *err = NULL;

	for (enum topo_item item = 0; !err && item < TOPO_N_ITEMS; item++) {
		bool of_cpu = topo_items[item].of == TOPO_OF_CPU;

		if (m->no_numa && item == TOPO_ITEM_NODE)
			continue;
		for (unsigned int i = 0; !err && of_cpu && i < m->n_cpus; i++)
			err = check_told_once(m, item, m->cpus[i].number,
					      *topo_cpu_item(&m->cpus[i], item) != TOPO_ABSENT);
		for (unsigned int i = 0; !err && !of_cpu && i < m->n_nodes; i++)
			err = check_told_once(m, item, m->nodes[i].number,
					      item == TOPO_ITEM_MEMORY ? m->nodes[i].has_memory
								       : m->nodes[i].has_distances);
	}
	return err;
}

static struct error *check_absences(const struct topo_machine *m)
{
	for (size_t i = 0; i < m->absences.n; i++) {
		const struct topo_absence *absence = &m->absences.at[i];
		bool of_cpu = topo_items[absence->item].of == TOPO_OF_CPU;

		if (m->no_numa && absence->item == TOPO_ITEM_NODE)
			return topo_error(TOPO_MACHINE, 0, "a node is absent without NUMA");
		topo_cpuset_for_each (who, &absence->who) {
			if (of_cpu ? !topo_machine_cpu(m, who) : !topo_machine_node(m, who))
				return topo_error(
					TOPO_MACHINE, 0,
					"something of %s %u, which is not online, is absent",
					of_cpu ? "CPU" : "node", who);
		}
	}
	return NULL;
}

static struct error *parse_head(struct lines *in, struct topo_machine **ret)
{
	struct topo_cpuset cpus, nodes = { 0 };
	struct error *err;
	bool no_numa;

	if (!next_line(in) || !take_literal(in, "machine") || !take_literal(in, "1"))
		return topo_error(TOPO_MACHINE, 0, "this does not begin with \"machine 1\"");
	if (!next_line(in) || !take_literal(in, "cpus"))
		return topo_error(TOPO_MACHINE, 0, "line 2 does not list the CPUs");
	err = take_cpus(in, &cpus);
	if (err)
		return err;
	if (topo_cpuset_count(&cpus) == 0)
		return topo_error(TOPO_MACHINE, 0, "no CPU is online");
	if (!next_line(in) || !take_literal(in, "nodes"))
		return topo_error(TOPO_MACHINE, 0, "line 3 does not list the nodes");
	no_numa = take_literal(in, "-");
	err = no_numa || take_literal(in, "?") ? NULL : take_cpus(in, &nodes);
	if (err)
		return err;
	if (in->line.n)
		return bad(in, "more than expected");
	if (topo_cpuset_next(&nodes, TOPO_LIMIT_NODES) < TOPO_LIMIT_CPUS)
		return topo_error(TOPO_MACHINE, 0, "node %u, at most %d are possible",
				  topo_cpuset_next(&nodes, TOPO_LIMIT_NODES), TOPO_LIMIT_NODES);
	*ret = topo_machine_new(&cpus, &nodes);
	(*ret)->no_numa = no_numa;
	return NULL;
}

static struct error *parse_line(struct lines *in, struct topo_machine *m)
{
	enum topo_item item;
	struct error *err;

	if (slice_ends_with(in->line, " "))
		err = bad(in, "a blank at the end");
	else if (take_literal(in, "absent"))
		err = parse_absence(in, m);
	else if (!take_item(in, &item))
		err = bad(in, "unknown keyword");
	else if (topo_items[item].of == TOPO_OF_CPU)
		err = parse_cpu_item(in, m, item);
	else
		err = parse_node_item(in, m, item);
	if (!err && in->line.n)
		err = bad(in, "more than expected");
	return err;
}

static struct error *parse(struct lines *in, struct topo_machine **ret)
{
	struct error *err = parse_head(in, ret);
	bool ended = false;

	while (!err && next_line(in)) {
		ended = take_literal(in, "end") && !in->line.n;
		if (ended)
			break;
		err = parse_line(in, *ret);
	}
	if (!err && (!ended || in->rest.n))
		err = topo_error(TOPO_MACHINE, 0, "\"end\" is not the last line");
	if (!err)
		err = check_absences(*ret);
	if (!err)
		err = check_all_told(*ret);
	return err;
}

struct error *topo_machine_parse(const char *text, size_t n, struct topo_machine **ret)
{
	struct lines in = { .rest = { text, n } };
	struct topo_machine *m = NULL;
	struct error *err;

	if (n > TOPO_LIMIT_MACHINE_TEXT)
		return topo_error(TOPO_MACHINE, 0, "%zu bytes, at most %d are read", n,
				  TOPO_LIMIT_MACHINE_TEXT);
	err = parse(&in, &m);
	if (err) {
		topo_machine_free(m);
		return error_wrap(err, "description of a machine");
	}
	*ret = m;
	return NULL;
}
