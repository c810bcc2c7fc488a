// SPDX-License-Identifier: LGPL-2.1-or-later
#include "topo/topology.h"

#include <string.h>

#include "base/slice.h"

static const struct level {
	char letter;
	const char *one, *many;
	size_t offset;
} levels[] = {
	{ 'n', "node", "nodes", offsetof(struct topo, nodes) },
	{ 'l', "LLC", "LLCs", offsetof(struct topo, llcs) },
	{ 'c', "core per LLC", "cores per LLC", offsetof(struct topo, cores) },
	{ 't', "thread per core", "threads per core", offsetof(struct topo, threads) },
};

#define FORM "{nodes}n{llcs}l{cores}c{threads}t, such as 1n2l4c1t"

static unsigned int *level_of(struct topo *t, const struct level *level)
{
	return (unsigned int *)((char *)t + level->offset);
}

static unsigned int level_value(const struct topo *t, const struct level *level)
{
	return *(const unsigned int *)((const char *)t + level->offset);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Takes digits; false without one or when the number is above `most`. */
static bool take_number(const char **at, uint64_t most, uint64_t *ret)
{
	struct slice rest = slice_of(*at);
	uint64_t value;

	if (!slice_take_u64(&rest, &value) || value > most)
		return false;
	*at = rest.at;
	*ret = value;
	return true;
}

/* "8", and nothing behind it but settings. */
static bool take_cpus(const char **at, struct topo *t)
{
	const char *p = *at;
	uint64_t cpus;

	if (!take_number(&p, UINT32_MAX, &cpus) || (*p && *p != ','))
		return false;
	*t = (struct topo){ .nodes = 1, .llcs = 1, .cores = (unsigned int)cpus, .threads = 1 };
	*at = p;
	return true;
}

static struct error *letter_error(const char *at, const struct level *level)
{
	const char *letter = at;
	struct topo_quote q;

	while (is_digit(*letter))
		letter++;
	if (letter == at && *at == level->letter)
		return topo_error(TOPO_FORM, 0, "there is no number before '%c' (%s)",
				  level->letter, level->many);
	if (letter == at && *at == '\0')
		return topo_error(TOPO_FORM, 0, "'%c' (%s) is missing; the form is " FORM,
				  level->letter, level->many);
	if (*letter == '\0')
		return topo_error(TOPO_FORM, 0,
				  "'%c' (%s) is missing after \"%s\"; the form is " FORM,
				  level->letter, level->many, topo_quote_bytes(&q, at, strlen(at)));
	if (*letter == 's')
		return topo_error(TOPO_FORM, 0, "sockets ('s') are not a level; the form is " FORM);
	return topo_error(TOPO_FORM, 0, "'%c' (%s) is missing before \"%s\"; the form is " FORM,
			  level->letter, level->many, topo_quote_bytes(&q, at, strlen(at)));
}

static struct error *take_level(const char **at, const struct level *level, struct topo *t)
{
	const char *p = *at, *digits = *at;
	uint64_t value;
	struct topo_quote q;

	while (is_digit(*p))
		p++;
	if (p == *at || *p != level->letter)
		return letter_error(*at, level);
	if (!take_number(&digits, UINT32_MAX, &value))
		return topo_error(TOPO_RANGE, 0, "%s %s do not fit in 32 bits",
				  topo_quote_bytes(&q, *at, (size_t)(p - *at)), level->many);
	*level_of(t, level) = (unsigned int)value;
	*at = p + 1;
	return NULL;
}

static struct error *check_shape(const struct topo *t)
{
	uint64_t cpus = 1;

	for (size_t i = 0; i < ARRAY_SIZE(levels); i++) {
		if (level_value(t, &levels[i]) == 0)
			return topo_error(TOPO_RANGE, 0, "zero %s ('%c'); at least one is needed",
					  levels[i].many, levels[i].letter);
		if (i > 0 &&
		    (!mul_fits_u64(cpus, level_value(t, &levels[i]), &cpus) || cpus > UINT32_MAX))
			return topo_error(TOPO_RANGE, 0, "%u x %u x %u CPUs do not fit in 32 bits",
					  t->llcs, t->cores, t->threads);
	}
	if (t->llcs % t->nodes)
		return topo_error(TOPO_RANGE, 0,
				  "%u LLCs cannot be divided evenly among %u nodes "
				  "('l' counts the whole machine)",
				  t->llcs, t->nodes);
	if (t->nodes > TOPO_LIMIT_ASKED_NODES)
		return topo_error(TOPO_RANGE, 0, "%u nodes, at most %d are possible", t->nodes,
				  TOPO_LIMIT_ASKED_NODES);
	if (cpus > TOPO_LIMIT_ASKED_CPUS)
		return topo_error(TOPO_RANGE, 0, "%u CPUs, at most %d are possible",
				  (unsigned int)cpus, TOPO_LIMIT_ASKED_CPUS);
	return NULL;
}

static struct error *check_memory(const struct topo *t)
{
	uint64_t total = 0;

	for (unsigned int node = 0; node < t->nodes; node++) {
		uint64_t bytes = t->memory_bytes[node];

		if (bytes == 0)
			return topo_error(TOPO_RANGE, 0, "mem: node %u has none", node);
		if (bytes % (1 << 20))
			return topo_error(TOPO_RANGE, 0, "mem: node %u is not in whole MiB", node);
		if (!add_fits_u64(total, bytes, &total) || total > UINT64_C(1) << 46)
			return topo_error(TOPO_RANGE, 0, "mem: more than 64 TiB in total");
	}
	return NULL;
}

static struct error *check_distances(const struct topo *t)
{
	for (unsigned int i = 0; i < t->nodes; i++) {
		for (unsigned int j = 0; j < t->nodes; j++) {
			unsigned int d = t->distances[i][j];

			if (i == j && d != TOPO_DISTANCE_LOCAL)
				return topo_error(TOPO_RANGE, 0,
						  "dist: node %u to itself is %u, it must be %d", i,
						  d, TOPO_DISTANCE_LOCAL);
			if (i != j && (d <= TOPO_DISTANCE_LOCAL || d > TOPO_DISTANCE_MAX))
				return topo_error(TOPO_RANGE, 0,
						  "dist: node %u to node %u is %u, "
						  "it must be from %d to %d",
						  i, j, d, TOPO_DISTANCE_LOCAL + 1,
						  TOPO_DISTANCE_MAX);
			if (d != t->distances[j][i])
				return topo_error(TOPO_RANGE, 0,
						  "dist: node %u to node %u is %u, "
						  "but %u the other way round",
						  i, j, d, t->distances[j][i]);
		}
	}
	return NULL;
}

struct error *topo_check(const struct topo *t)
{
	struct error *err = check_shape(t);

	if (!err && t->has_memory)
		err = check_memory(t);
	if (!err && t->has_distances)
		err = check_distances(t);
	return err;
}

static struct error *take_memory(const char **at, struct topo *t)
{
	static const char units[] = "KMG";

	for (unsigned int node = 0; node < t->nodes; node++) {
		const char *unit;
		uint64_t value;

		if (node > 0 && *(*at)++ != ':')
			return topo_error(TOPO_FORM, 0, "mem: %u size%s for %u nodes", node,
					  node == 1 ? "" : "s", t->nodes);
		if (!take_number(at, UINT64_C(1) << 46, &value))
			return topo_error(TOPO_FORM, 0, "mem: size %u is not a number up to 64 TiB",
					  node);
		unit = **at ? strchr(units, **at) : NULL;
		if (!unit)
			return topo_error(TOPO_FORM, 0, "mem: size %u has no unit K, M or G", node);
		(*at)++;
		if (!mul_fits_u64(value, UINT64_C(1) << (10 * (unit - units + 1)), &value))
			return topo_error(TOPO_RANGE, 0, "mem: size %u is too large", node);
		t->memory_bytes[node] = value;
	}
	if (**at == ':')
		return topo_error(TOPO_FORM, 0, "mem: more than %u size%s for %u node%s", t->nodes,
				  t->nodes == 1 ? "" : "s", t->nodes, t->nodes == 1 ? "" : "s");
	t->has_memory = true;
	return check_memory(t);
}

static struct error *take_distances(const char **at, struct topo *t)
{
	unsigned int wanted = t->nodes * t->nodes;

	for (unsigned int i = 0; i < wanted; i++) {
		uint64_t value;

		if (i > 0 && *(*at)++ != ':')
			return topo_error(TOPO_FORM, 0, "dist: %u distances, %u nodes need %u", i,
					  t->nodes, wanted);
		if (!take_number(at, UINT8_MAX, &value))
			return topo_error(TOPO_FORM, 0,
					  "dist: distance %u is not a number up to %d", i,
					  TOPO_DISTANCE_MAX);
		t->distances[i / t->nodes][i % t->nodes] = (uint8_t)value;
	}
	if (**at == ':')
		return topo_error(TOPO_FORM, 0, "dist: more than %u distances for %u node%s",
				  wanted, t->nodes, t->nodes == 1 ? "" : "s");
	t->has_distances = true;
	return check_distances(t);
}

static struct error *take_settings(const char *at, struct topo *t)
{
	struct error *err = NULL;
	struct topo_quote q;

	while (!err && *at == ',') {
		at++;
		if (strncmp(at, "mem=", 4) == 0 && !t->has_memory) {
			at += 4;
			err = take_memory(&at, t);
		} else if (strncmp(at, "dist=", 5) == 0 && !t->has_distances) {
			at += 5;
			err = take_distances(&at, t);
		} else {
			return topo_error(TOPO_FORM, 0,
					  "\"%s\" is neither mem= nor dist=, or comes twice",
					  topo_quote_bytes(&q, at, strlen(at)));
		}
	}
	if (!err && *at)
		err = topo_error(TOPO_FORM, 0, "\"%s\" follows the end of the topology",
				 topo_quote_bytes(&q, at, strlen(at)));
	return err;
}

static struct error *parse(const char *at, struct topo *t)
{
	struct error *err = NULL;

	if (strnlen(at, TOPO_LIMIT_TEXT_BYTES + 1) > TOPO_LIMIT_TEXT_BYTES)
		return topo_error(TOPO_FORM, 0, "more than %d characters", TOPO_LIMIT_TEXT_BYTES);
	for (size_t i = take_cpus(&at, t) ? ARRAY_SIZE(levels) : 0; !err && i < ARRAY_SIZE(levels);
	     i++)
		err = take_level(&at, &levels[i], t);
	if (!err)
		err = check_shape(t);
	if (!err)
		err = take_settings(at, t);
	return err;
}

struct error *topo_parse(const char *text, struct topo *ret)
{
	struct topo t = { 0 };
	struct topo_quote q;
	struct error *err = parse(text, &t);

	if (err)
		return error_wrap(err, "topology \"%s\"", topo_quote_bytes(&q, text, strlen(text)));
	*ret = t;
	return NULL;
}

void topo_format_shape(const struct topo *t, struct strbuf *into)
{
	strbuf_appendf(into, "%un%ul%uc%ut", t->nodes, t->llcs, t->cores, t->threads);
}

static void format_bytes(uint64_t bytes, struct strbuf *into)
{
	if (bytes % (UINT64_C(1) << 30) == 0)
		strbuf_appendf(into, "%lluG", (unsigned long long)(bytes >> 30));
	else
		strbuf_appendf(into, "%lluM", (unsigned long long)(bytes >> 20));
}

void topo_format(const struct topo *t, struct strbuf *into)
{
	topo_format_shape(t, into);
	for (unsigned int i = 0; t->has_memory && i < t->nodes; i++) {
		strbuf_append(into, i ? ":" : ",mem=");
		format_bytes(t->memory_bytes[i], into);
	}
	for (unsigned int i = 0; t->has_distances && i < t->nodes * t->nodes; i++)
		strbuf_appendf(into, "%s%u",
			       i ? ":" : ",dist=", t->distances[i / t->nodes][i % t->nodes]);
}

bool topo_equal(const struct topo *a, const struct topo *b)
{
	if (a->nodes != b->nodes || a->llcs != b->llcs || a->cores != b->cores ||
	    a->threads != b->threads || a->has_memory != b->has_memory)
		return false;
	for (unsigned int i = 0; i < a->nodes; i++) {
		if (a->has_memory && a->memory_bytes[i] != b->memory_bytes[i])
			return false;
		for (unsigned int j = 0; j < a->nodes; j++)
			if (topo_distance(a, i, j) != topo_distance(b, i, j))
				return false;
	}
	return true;
}
