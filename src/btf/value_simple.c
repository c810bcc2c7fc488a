// SPDX-License-Identifier: LGPL-2.1-or-later
#include "btf/limits.h"
#include "btf/value_printer.h"
#include "text/terminal.h"

#include <math.h>
#include <string.h>

void btf_value_print_quoted(const char *text, struct strbuf *out)
{
	strbuf_append_char(out, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			strbuf_appendf(out, "\\%c", c);
		else if (c == '\n' || c == '\t')
			strbuf_append(out, c == '\n' ? "\\n" : "\\t");
		else if (c < ' ' || c >= 0x7f)
			strbuf_appendf(out, "\\x%02x", c);
		else
			strbuf_append_char(out, (char)c);
	}
	strbuf_append_char(out, '"');
}

static void print_wide(const struct btf_value_node *node, struct strbuf *out)
{
	unsigned __int128 value = (unsigned __int128)node->high << 64 | node->value;
	bool negative = node->kind == BTF_VALUE_INT && node->high >> 63;
	char digits[48];
	size_t at = sizeof(digits) - 1;

	if (negative)
		value = -value;
	digits[at] = 0;
	do {
		digits[--at] = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value);
	if (negative)
		digits[--at] = '-';
	strbuf_append(out, digits + at);
}

static void print_real(double real, struct strbuf *out)
{
	char text[40];

	if (isnan(real)) {
		strbuf_append(out, "nan");
		return;
	}
	/* The shortest that reads back the same, of those worth trying. */
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, real);
		if (strtod(text, NULL) == real)
			break;
	}
	strbuf_append(out, text);
}

static void print_number(const struct btf_value_node *node, bool is_signed, struct strbuf *out)
{
	if (is_signed)
		strbuf_appendf(out, "%lld", (long long)node->value);
	else
		strbuf_appendf(out, "%llu", (unsigned long long)node->value);
}

static void print_enum(const struct btf_value_node *node, struct strbuf *out)
{
	if (!node->text) {
		print_number(node, node->is_signed, out);
		return;
	}
	text_escape(out, node->text);
	strbuf_append(out, " (");
	print_number(node, node->is_signed, out);
	strbuf_append_char(out, ')');
}

static void print_char(const struct btf_value_node *node, struct strbuf *out)
{
	unsigned int c = node->value & 0xff;

	if (c >= ' ' && c < 0x7f)
		strbuf_appendf(out, "'%c'", (int)c);
	else
		strbuf_appendf(out, "0x%02x", c);
}

static void print_pointer(const struct btf_value_node *node, struct strbuf *out)
{
	strbuf_appendf(out, "0x%llx", (unsigned long long)node->value);
	if (node->symbol) {
		strbuf_append(out, " <");
		text_escape(out, node->symbol);
		strbuf_append_char(out, '>');
	}
	if (node->text) {
		strbuf_append(out, " → ");
		/* A mask without a CPU is an empty list. */
		text_escape(out, node->text[0] ? node->text : "(none)");
	} else if (node->ref) {
		strbuf_appendf(out, "%s → see #%u", node->is_cycle ? " [cycle]" : "", node->ref);
	} else if (node->reason) {
		strbuf_append(out, " [chase: ");
		text_escape(out, node->reason);
		strbuf_append_char(out, ']');
	}
}

static void print_bracketed(const char *what, const char *reason, struct strbuf *out)
{
	strbuf_appendf(out, "<%s: ", what);
	text_escape(out, reason);
	strbuf_append_char(out, '>');
}

/* "01 02", three characters to a byte; JSON has all of them. */
static void print_bytes(const struct btf_value_node *node, struct strbuf *out)
{
	struct btf_value_node cut = *node;

	if (cut.shown > BTF_LIMIT_VALUE_HEX_SHOWN)
		cut.shown = BTF_LIMIT_VALUE_HEX_SHOWN;
	if (cut.shown < node->shown)
		strbuf_append_bytes(out, node->text, 3 * cut.shown - 1);
	else
		strbuf_append(out, node->text);
	btf_value_print_cut(&cut, " ", out);
}

void btf_value_print_simple(const struct btf_value_node *node, bool hex, struct strbuf *out)
{
	switch (node->kind) {
	case BTF_VALUE_INT:
	case BTF_VALUE_UINT:
		if (node->bits > 64)
			print_wide(node, out);
		else if (hex && node->kind == BTF_VALUE_UINT && node->bits >= 32)
			strbuf_appendf(out, "0x%llx", (unsigned long long)node->value);
		else
			print_number(node, node->kind == BTF_VALUE_INT, out);
		break;
	case BTF_VALUE_BOOL:
		strbuf_append(out, node->value ? "true" : "false");
		break;
	case BTF_VALUE_CHAR:
		print_char(node, out);
		break;
	case BTF_VALUE_FLOAT:
		print_real(node->real, out);
		break;
	case BTF_VALUE_ENUM:
		print_enum(node, out);
		break;
	case BTF_VALUE_CPU_LIST:
		strbuf_appendf(out, "cpus={%s}", node->text);
		break;
	case BTF_VALUE_PTR:
		print_pointer(node, out);
		break;
	case BTF_VALUE_BYTES:
		print_bytes(node, out);
		break;
	case BTF_VALUE_TRUNCATED:
		strbuf_appendf(out, "<truncated needed=%llu had=%llu>", (unsigned long long)node->n,
			       (unsigned long long)node->shown);
		break;
	case BTF_VALUE_UNSUPPORTED:
		print_bracketed("unsupported", node->reason, out);
		break;
	case BTF_VALUE_UNREADABLE:
		print_bracketed("unreadable", node->reason, out);
		break;
	case BTF_VALUE_SHORT:
		text_escape(out, node->text);
		break;
	default:
		break;
	}
}

void btf_value_print_cut(const struct btf_value_node *node, const char *lead, struct strbuf *out)
{
	if (node->shown < node->n)
		strbuf_appendf(out, "%s/* %llu of %llu shown */", lead,
			       (unsigned long long)node->shown, (unsigned long long)node->n);
}
