// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/report_writer.h"

#include "base/error.h"
#include "base/strbuf.h"
#include "json/doc.h"

static void append_value(struct strbuf *out, const struct json_value *value)
{
	struct json_text number = json_number_text(value), text = json_string(value);
	bool truth;

	if (text.at)
		strbuf_append_bytes(out, text.at, text.n);
	else if (number.at)
		strbuf_append_bytes(out, number.at, number.n);
	else if (json_get_bool(value, &truth))
		strbuf_append(out, truth ? "yes" : "no");
	else
		strbuf_appendf(out, "(%zu)", json_length(value));
}

static void append_part(struct strbuf *out, const struct json_value *root)
{
	const struct json_value *file = json_find(root, "file");

	strbuf_append(out, "part [");
	append_value(out, json_find(root, "reason"));
	strbuf_append(out, "] ");
	append_value(out, json_find(root, "text"));
	if (file) {
		strbuf_append(out, " (");
		append_value(out, file);
		strbuf_append_char(out, ':');
		append_value(out, json_find(root, "line"));
		strbuf_append_char(out, ')');
	}
}

void suite_report_text_print(FILE *to, const char *line, size_t n)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct error *err = json_doc_parse(line, n, "report", &doc);
	const struct json_value *root;
	struct json_text word;

	if (err) {
		error_free(err);
		fwrite(line, 1, n, to);
		return;
	}
	root = json_doc_root(doc);
	word = json_string(json_find(root, "report"));
	if (json_text_is(word, "part")) {
		append_part(&out, root);
	} else {
		struct json_iter it = json_iter_over(root);

		while (json_iter_next(&it)) {
			if (it.index == 0) {
				append_value(&out, it.value);
				continue;
			}
			strbuf_append_char(&out, ' ');
			strbuf_append_bytes(&out, it.key.at, it.key.n);
			strbuf_append_char(&out, '=');
			append_value(&out, it.value);
		}
	}
	fprintf(to, "%s\n", strbuf_str(&out));
}
