// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/show.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/frame/command.h"
#include "base/suggest.h"

const char *spec_metric_name(size_t metric)
{
	return metric < METRIC_N ? metric_rows[metric].name
				 : metric_derived[metric - METRIC_N].name;
}

bool spec_metric_find(const char *name, size_t *ret)
{
	for (size_t i = 0; i < N_SPEC_METRICS; i++) {
		if (strcmp(spec_metric_name(i), name) == 0) {
			*ret = i;
			return true;
		}
	}
	return false;
}

static char *trimmed(const char *at, size_t n)
{
	while (n && isspace((unsigned char)*at)) {
		at++;
		n--;
	}
	while (n && isspace((unsigned char)at[n - 1]))
		n--;
	return xstrndup(at, n);
}

/* Calls take() for each word; stops at its first error. Then *ret is what they made of it. */
static struct error *each_word(const char *option, const char *text,
			       struct error *(*take)(const char *word, void *into), void *into,
			       void *ret, size_t size)
{
	_cleanup_free_ char *all = trimmed(text, strlen(text));
	const char *at = all;

	while (*all) {
		size_t n = strcspn(at, ",");
		_cleanup_free_ char *word = trimmed(at, n);
		struct error *err;

		if (!*word)
			return cli_error(CLI_USAGE, 0, "%s: there is an empty word in '%s'", option,
					 text);
		err = take(word, into);
		if (err)
			return err;
		if (!at[n])
			break;
		at += n + 1;
	}
	memcpy(ret, into, size);
	return NULL;
}

static struct error *twice(const char *option, const char *word)
{
	return cli_error(CLI_USAGE, 0, "%s: '%s' is named twice", option, word);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The nearest name, or else all of them. */
static struct error *unknown_metric(const char *option, const char *word)
{
	const char *names[N_SPEC_METRICS];
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;
	struct suggest near = { .wanted = word };

	for (size_t i = 0; i < N_SPEC_METRICS; i++) {
		names[i] = spec_metric_name(i);
		suggest_offer(&near, names[i]);
	}
	if (near.names[0])
		return cli_error(
			CLI_USAGE, 0,
			"%s: there is no metric '%s'; did you mean '%s'? `ktstr ctprof metric-list` shows all",
			option, word, near.names[0]);
	qsort(names, N_SPEC_METRICS, sizeof(*names), by_text);
	for (size_t i = 0; i < N_SPEC_METRICS; i++)
		strbuf_appendf(&list, "%s%s", i ? ", " : "", names[i]);
	return cli_error(CLI_USAGE, 0, "%s: there is no metric '%s'; there are %s", option, word,
			 strbuf_str(&list));
}

static struct error *take_metric(const char *word, void *into)
{
	struct metric_choice *choice = into;
	size_t metric;

	if (!spec_metric_find(word, &metric))
		return unknown_metric("--metrics", word);
	if (choice->chosen[metric])
		return twice("--metrics", word);
	choice->chosen[metric] = true;
	choice->order[choice->n++] = metric;
	return NULL;
}

struct error *spec_parse_metrics(const char *text, struct metric_choice *ret)
{
	return each_word("--metrics", text, take_metric, &(struct metric_choice){ 0 }, ret,
			 sizeof(*ret));
}

static uint32_t source_of(enum metric_id id)
{
	return metric_rows[id].source == METRIC_SOURCE_NONE ? 0
							    : UINT32_C(1) << metric_rows[id].source;
}

uint32_t spec_sources(const struct metric_choice *choice)
{
	uint32_t sources = METRIC_SOURCE_BIT(COMM) | METRIC_SOURCE_BIT(STAT);

	if (choice->n == 0)
		return METRIC_ALL_SOURCES;
	for (size_t i = 0; i < METRIC_N; i++)
		sources |= choice->chosen[i] ? source_of((enum metric_id)i) : 0;
	for (size_t i = 0; i < METRIC_N_DERIVED; i++)
		for (size_t k = 0; choice->chosen[METRIC_N + i] && k < metric_derived[i].n_inputs;
		     k++)
			sources |= source_of(metric_derived[i].inputs[k]);
	return sources;
}

static struct error *take_section(const char *word, void *into)
{
	struct section_choice *choice = into;
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;

	for (int i = 0; i < METRIC_N_SECTIONS; i++) {
		strbuf_appendf(&list, "%s%s", i ? ", " : "", metric_sections[i].word);
		if (strcasecmp(metric_sections[i].word, word) != 0)
			continue;
		if (choice->chosen[i])
			return twice("--sections", word);
		choice->chosen[i] = true;
		choice->n++;
		return NULL;
	}
	return cli_error(CLI_USAGE, 0, "--sections: there is no section '%s'; there are %s", word,
			 strbuf_str(&list));
}

struct error *spec_parse_sections(const char *text, struct section_choice *ret)
{
	return each_word("--sections", text, take_section, &(struct section_choice){ 0 }, ret,
			 sizeof(*ret));
}

static struct error *parse_direction(const char *word, bool *ret_ascending)
{
	*ret_ascending = strcasecmp(word, "asc") == 0;
	if (*ret_ascending || strcasecmp(word, "desc") == 0)
		return NULL;
	return cli_error(CLI_USAGE, 0, "--sort-by: '%s' is not a direction: use asc or desc", word);
}

static struct error *take_sort_term(const char *word, void *into)
{
	struct sort_order *order = into;
	size_t n = strcspn(word, ":");
	_cleanup_free_ char *name = trimmed(word, n);
	struct sort_term term = { 0 };
	struct error *err;

	if (word[n]) {
		_cleanup_free_ char *direction = trimmed(word + n + 1, strlen(word + n + 1));

		err = parse_direction(direction, &term.ascending);
		if (err)
			return err;
	}
	if (!spec_metric_find(name, &term.metric))
		return unknown_metric("--sort-by", name);
	if (term.metric < METRIC_N &&
	    metric_reduction(metric_rows[term.metric].kind) == METRIC_REDUCTION_MODE)
		return cli_error(CLI_USAGE, 0, "--sort-by: '%s' is a label and has no order", name);
	for (size_t i = 0; i < order->n; i++) {
		if (order->terms[i].metric == term.metric)
			return twice("--sort-by", name);
	}
	order->terms[order->n++] = term;
	return NULL;
}

struct error *spec_parse_sort(const char *text, struct sort_order *ret)
{
	return each_word("--sort-by", text, take_sort_term, &(struct sort_order){ 0 }, ret,
			 sizeof(*ret));
}
