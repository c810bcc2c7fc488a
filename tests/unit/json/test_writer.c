// SPDX-License-Identifier: GPL-2.0-or-later
#include "json/writer.h"

#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>

#include "unit.h"

static void write_sample(struct json_writer *w)
{
	json_begin_object(w);
	json_add_u64(w, "u", UINT64_MAX);
	json_add_i64(w, "i", INT64_MIN);
	json_add_bool(w, "b", true);
	json_add_string(w, "s", "x");
	json_key(w, "empty");
	json_begin_array(w);
	json_end_array(w);
	json_key(w, "list");
	json_begin_array(w);
	json_write_null(w);
	json_begin_object(w);
	json_end_object(w);
	json_end_array(w);
	json_end_object(w);
}

static void compact_output_has_no_blanks(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	write_sample(&w);
	assert_string_equal(strbuf_str(&out),
			    "{\"u\":18446744073709551615,\"i\":-9223372036854775808,\"b\":true,"
			    "\"s\":\"x\",\"empty\":[],\"list\":[null,{}]}");
}

static void pretty_output_is_indented_by_two(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_PRETTY);

	write_sample(&w);
	assert_string_equal(strbuf_str(&out), "{\n"
					      "  \"u\": 18446744073709551615,\n"
					      "  \"i\": -9223372036854775808,\n"
					      "  \"b\": true,\n"
					      "  \"s\": \"x\",\n"
					      "  \"empty\": [],\n"
					      "  \"list\": [\n"
					      "    null,\n"
					      "    {}\n"
					      "  ]\n"
					      "}");
}

static void outer_levels_move_every_line_but_the_first(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_PRETTY);

	w.outer_levels = 2;
	json_begin_array(&w);
	json_write_u64(&w, 1);
	json_end_array(&w);
	assert_string_equal(strbuf_str(&out), "[\n      1\n    ]");
}

static void end_of_a_document_ends_all_that_is_open(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	json_begin_object(&w);
	json_open_object(&w, "a");
	json_end_object(&w);
	json_open_array(&w, "b");
	json_begin_object(&w);
	json_add_bool(&w, "here", true);
	json_end_document(&w);
	assert_string_equal(strbuf_str(&out), "{\"a\":{},\"b\":[{\"here\":true}]}\n");
}

static void absent_values_leave_the_key_out(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	json_begin_object(&w);
	json_add_string(&w, "comm", NULL);
	json_add_double(&w, "ratio", NAN);
	json_add_double(&w, "rate", INFINITY);
	json_add_bool(&w, "here", false);
	json_end_object(&w);
	assert_string_equal(strbuf_str(&out), "{\"here\":false}");
}

static void strings_are_escaped(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	json_write_string_n(&w, "\"\\\b\f\n\r\t\0\x1f/\x7f\xc3\xa9", 13);
	assert_string_equal(strbuf_str(&out),
			    "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f/\x7f\xc3\xa9\"");
}

static void broken_utf8_is_replaced(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	json_write_string(&w, "a\xff\xe2\x82z");
	assert_string_equal(strbuf_str(&out), "\"a\xef\xbf\xbd\xef\xbf\xbdz\"");
}

static void every_byte_string_reads_back_as_json(void **state UNUSED)
{
	for (int first = 0; first < 256; first++) {
		for (int second = 0; second < 256; second++) {
			const char bytes[] = { (char)first, (char)second };
			_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
			_cleanup_json_doc_ struct json_doc *doc = NULL;
			struct json_writer w = json_writer_to(&out, JSON_COMPACT);

			json_write_string_n(&w, bytes, 2);
			assert_success(json_doc_parse(out.at, out.n, "string", &doc));
			if (first < 128 && second < 128) {
				assert_int_equal(json_string(json_doc_root(doc)).n, 2);
				assert_memory_equal(json_string(json_doc_root(doc)).at, bytes, 2);
			}
		}
	}
}

static void doubles_read_back_the_same(void **state UNUSED)
{
	static const double values[] = { 0.0,	 -0.0,	 0.1,
					 1e300,	 5e-324, 1.7976931348623157e308,
					 1024.0, -2.5,	 1.0 / 3 };

	/* A comma as decimal point must not reach the file. */
	setlocale(LC_ALL, "de_DE.UTF-8");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
		_cleanup_json_doc_ struct json_doc *doc = NULL;
		struct json_writer w = json_writer_to(&out, JSON_COMPACT);
		double back;

		json_write_double(&w, values[i]);
		assert_success(json_doc_parse(out.at, out.n, "double", &doc));
		assert_true(json_get_double(json_doc_root(doc), &back));
		assert_memory_equal(&back, &values[i], sizeof(back));
	}
	setlocale(LC_ALL, "C");
}

static void a_double_that_is_not_finite_is_null_in_an_array(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);

	json_begin_array(&w);
	json_write_double(&w, -INFINITY);
	json_write_double(&w, 0.1);
	json_write_number_text(&w, (struct json_text){ "1.50", 4 });
	json_end_array(&w);
	assert_string_equal(strbuf_str(&out), "[null,0.1,1.50]");
}

static void value_without_key(struct json_writer *w)
{
	json_begin_object(w);
	json_write_null(w);
}

static void key_in_array(struct json_writer *w)
{
	json_begin_array(w);
	json_key(w, "k");
}

static void wrong_end(struct json_writer *w)
{
	json_begin_array(w);
	json_end_object(w);
}

static void key_without_value(struct json_writer *w)
{
	json_begin_object(w);
	json_key(w, "k");
	json_end_object(w);
}

static void too_deep(struct json_writer *w)
{
	for (int i = 0; i <= JSON_LIMIT_NESTING; i++)
		json_begin_array(w);
}

static void misusing_the_writer_aborts(void **state UNUSED)
{
	static void (*const bugs[])(struct json_writer *) = {
		value_without_key, key_in_array, wrong_end, key_without_value, too_deep,
	};

	for (size_t i = 0; i < ARRAY_SIZE(bugs); i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			struct strbuf out = STRBUF_INIT;
			struct json_writer w = json_writer_to(&out, JSON_COMPACT);

			signal(SIGABRT, SIG_DFL);
			if (!freopen("/dev/null", "w", stderr))
				_exit(1);
			bugs[i](&w);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGABRT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compact_output_has_no_blanks),
		cmocka_unit_test(pretty_output_is_indented_by_two),
		cmocka_unit_test(outer_levels_move_every_line_but_the_first),
		cmocka_unit_test(end_of_a_document_ends_all_that_is_open),
		cmocka_unit_test(absent_values_leave_the_key_out),
		cmocka_unit_test(strings_are_escaped),
		cmocka_unit_test(broken_utf8_is_replaced),
		cmocka_unit_test(every_byte_string_reads_back_as_json),
		cmocka_unit_test(doubles_read_back_the_same),
		cmocka_unit_test(a_double_that_is_not_finite_is_null_in_an_array),
		cmocka_unit_test(misusing_the_writer_aborts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
