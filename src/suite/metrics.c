// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/metrics.h"

#include <string.h>

#include "json/scan.h"
#include "json/doc.h"
#include "json/walk.h"

void suite_metrics_deinit(struct ktstr_metrics *metrics)
{
	suite_capture_deinit(&metrics->out);
	suite_capture_deinit(&metrics->err);
	free(metrics->none_because);
	vec_deinit(&metrics->all);
	strbuf_deinit(&metrics->text);
	free(metrics->by_name);
	free(metrics->dump);
}

struct json_text suite_metric_name(const struct ktstr_metrics *metrics,
				   const struct suite_metric *metric)
{
	return (struct json_text){ metrics->text.at + metric->name_at, metric->name_n };
}

struct json_text suite_metric_number(const struct ktstr_metrics *metrics,
				     const struct suite_metric *metric)
{
	return (struct json_text){ metrics->text.at + metric->number_at, metric->number_n };
}

static size_t add_text(struct ktstr_metrics *metrics, struct json_text text)
{
	size_t at = metrics->text.n;

	strbuf_append_bytes(&metrics->text, text.at, text.n);
	strbuf_append_char(&metrics->text, '\0');
	return at;
}

static struct error *add_leaf(void *context, const struct json_leaf *leaf)
{
	struct ktstr_metrics *metrics = context;
	struct suite_metric metric = {
		.name_n = leaf->name.n,
		.number_n = leaf->text.n,
		.value = leaf->value,
	};

	metric.name_at = add_text(metrics, leaf->name);
	metric.number_at = add_text(metrics, leaf->text);
	vec_push(&metrics->all, metric);
	return NULL;
}

static int compare_texts(struct json_text a, struct json_text b)
{
	int order = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);

	return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Equal names in the order of the document. */
static int compare_metrics(const void *a, const void *b, void *context)
{
	const struct ktstr_metrics *metrics = context;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	int order = compare_texts(suite_metric_name(metrics, &metrics->all.at[left]),
				  suite_metric_name(metrics, &metrics->all.at[right]));

	return order ? order : (left > right) - (left < right);
}

static void sort_by_name(struct ktstr_metrics *metrics)
{
	free(metrics->by_name);
	metrics->by_name = xcalloc(metrics->all.n + 1, sizeof(*metrics->by_name));
	for (size_t i = 0; i < metrics->all.n; i++)
		metrics->by_name[i] = (uint32_t)i;
	qsort_r(metrics->by_name, metrics->all.n, sizeof(*metrics->by_name), compare_metrics,
		metrics);
}

/* True when there were any. */
static bool remove_repeated_names(struct ktstr_metrics *metrics)
{
	_cleanup_free_ bool *repeated = xcalloc(metrics->all.n + 1, sizeof(*repeated));
	size_t kept = 0;

	for (size_t i = 1; i < metrics->all.n; i++) {
		uint32_t before = metrics->by_name[i - 1], here = metrics->by_name[i];

		repeated[here] = compare_texts(
					 suite_metric_name(metrics, &metrics->all.at[before]),
					 suite_metric_name(metrics, &metrics->all.at[here])) == 0;
	}
	for (size_t i = 0; i < metrics->all.n; i++)
		if (!repeated[i])
			metrics->all.at[kept++] = metrics->all.at[i];
	if (kept == metrics->all.n)
		return false;
	metrics->all.n = kept;
	return true;
}

static struct error *extract_from(struct ktstr_metrics *metrics,
				  const struct suite_capture *capture, const char *stream)
{
	static const struct json_walk_limits limits = {
		.depth = JSON_LIMIT_WALK_DEPTH,
		.leaves = SUITE_LIMIT_METRICS_COUNT,
		.name_bytes = SUITE_LIMIT_METRICS_NAME_BYTES,
	};
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct error *err = json_find_document(suite_capture_str(capture), capture->n, stream,
					       &doc);

	if (!err)
		err = json_walk_leaves(json_doc_root(doc), &limits, add_leaf, metrics, NULL);
	if (!err && metrics->all.n == 0)
		err = base_error(BASE_ABSENT, 0, "%s: the document holds no number", stream);
	if (err && suite_capture_dropped(capture))
		err = error_wrap(err, "the last %llu bytes of %s were not kept",
				 (unsigned long long)suite_capture_dropped(capture), stream);
	return err;
}

void suite_metrics_extract(struct ktstr_metrics *metrics)
{
	_cleanup_error_ struct error *out_err = NULL, *err_err = NULL;

	metrics->stream = "stdout";
	out_err = extract_from(metrics, &metrics->out, "stdout");
	if (out_err && metrics->err.n) {
		err_err = extract_from(metrics, &metrics->err, "stderr");
		if (!err_err)
			metrics->stream = "stderr";
	}
	if (out_err && (err_err || !metrics->err.n))
		metrics->none_because = xstrdup(error_message(out_err));
	sort_by_name(metrics);
	if (remove_repeated_names(metrics))
		sort_by_name(metrics);
}

const struct suite_metric *suite_metrics_find(const struct ktstr_metrics *metrics, const char *name)
{
	struct json_text wanted = { name, strlen(name) };
	size_t low = 0, high = metrics->by_name ? metrics->all.n : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct suite_metric *metric = &metrics->all.at[metrics->by_name[middle]];
		int order = compare_texts(suite_metric_name(metrics, metric), wanted);

		if (order == 0)
			return metric;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

int ktstr_exit_code(const struct ktstr_metrics *metrics)
{
	/* const to the author: only a private flag is set. */
	((struct ktstr_metrics *)(uintptr_t)metrics)->exit_asked = true;
	return metrics->exit_code;
}

bool ktstr_timed_out(const struct ktstr_metrics *metrics)
{
	return metrics->timed_out;
}

const char *ktstr_stdout(const struct ktstr_metrics *metrics)
{
	return suite_capture_str(&metrics->out);
}

const char *ktstr_stderr(const struct ktstr_metrics *metrics)
{
	return suite_capture_str(&metrics->err);
}

size_t ktstr_metric_count(const struct ktstr_metrics *metrics)
{
	return metrics->all.n;
}

const char *ktstr_metric_name(const struct ktstr_metrics *metrics, size_t i)
{
	return i < metrics->all.n ? suite_metric_name(metrics, &metrics->all.at[i]).at : NULL;
}

bool ktstr_metric(const struct ktstr_metrics *metrics, const char *name, double *ret)
{
	const struct suite_metric *metric = suite_metrics_find(metrics, name);

	if (!metric)
		return false;
	*ret = metric->value;
	return true;
}

bool ktstr_metric_u64(const struct ktstr_metrics *metrics, const char *name, uint64_t *ret)
{
	const struct suite_metric *metric = suite_metrics_find(metrics, name);

	return metric && suite_metrics_whole_number(suite_metric_number(metrics, metric), ret);
}

bool ktstr_has_metric(const struct ktstr_metrics *metrics, const char *name)
{
	return suite_metrics_find(metrics, name) != NULL;
}

const char *ktstr_metrics_dump(const struct ktstr_metrics *metrics)
{
	/* The text is made on demand; nothing visible to the caller changes. */
	struct ktstr_metrics *own = (struct ktstr_metrics *)metrics;
	struct strbuf text = STRBUF_INIT;

	if (metrics->dump)
		return metrics->dump;
	for (size_t i = 0; i < metrics->all.n; i++) {
		const struct suite_metric *metric = &metrics->all.at[i];

		if (text.n + metric->name_n + metric->number_n > SUITE_LIMIT_METRICS_DUMP_BYTES) {
			strbuf_appendf(&text, "%s… and %zu more", i ? " " : "", metrics->all.n - i);
			break;
		}
		strbuf_appendf(&text, "%s%s=%s", i ? " " : "",
			       suite_metric_name(metrics, metric).at,
			       suite_metric_number(metrics, metric).at);
	}
	own->dump = xstrdup(strbuf_str(&text));
	strbuf_deinit(&text);
	return metrics->dump;
}

/* Past this an exponent moves any number that matters out of reach. */
#define EXPONENT_BOUND ((int64_t)1 << 40)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* From the "e" on; nothing there is 0. */
static int64_t parse_exponent(const char *at, const char *end)
{
	bool negative = false;
	int64_t value = 0;

	if (at < end)
		at++;
	if (at < end && (*at == '+' || *at == '-'))
		negative = *at++ == '-';
	for (; at < end && is_digit(*at); at++)
		if (value < EXPONENT_BOUND)
			value = value * 10 + (*at - '0');
	return negative ? -value : value;
}

static bool times_ten_fits(uint64_t *value, unsigned int digit)
{
	uint64_t next;

	if (!mul_fits_u64(*value, 10, &next) || !add_fits_u64(next, digit, &next) ||
	    next > SUITE_METRICS_WHOLE_MAX)
		return false;
	*value = next;
	return true;
}

bool suite_metrics_whole_number(struct json_text number, uint64_t *ret)
{
	const char *end = number.at + number.n, *at = number.at, *mantissa_end;
	int64_t exponent, zeros = 0;
	bool negative = at < end && *at == '-', behind_dot = false;
	uint64_t value = 0;

	at += negative;
	for (mantissa_end = at; mantissa_end < end && *mantissa_end != 'e' && *mantissa_end != 'E';)
		mantissa_end++;
	exponent = parse_exponent(mantissa_end, end);
	/*
	 * Zeros wait until a digit follows: those at the end belong to the exponent, and the
	 * value before them is what must fit.
	 */
	for (; at < mantissa_end; at++) {
		if (*at == '.') {
			behind_dot = true;
			continue;
		}
		if (!is_digit(*at))
			return false;
		exponent -= behind_dot;
		if (*at == '0') {
			zeros += value != 0;
			continue;
		}
		for (; zeros; zeros--)
			if (!times_ten_fits(&value, 0))
				return false;
		if (!times_ten_fits(&value, (unsigned int)(*at - '0')))
			return false;
	}
	exponent += zeros;
	if (value == 0) {
		*ret = 0;
		return true;
	}
	if (negative || exponent < 0)
		return false;
	for (; exponent; exponent--)
		if (!times_ten_fits(&value, 0))
			return false;
	*ret = value;
	return true;
}
