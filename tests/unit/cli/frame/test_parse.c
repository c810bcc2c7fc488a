// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/frame/command.h"

#include "sample.h"
#include "unit.h"

#define parse(config, result, ...)                                                             \
	cli_parse(&sample,                                                                     \
		  (int)(sizeof((const char *[]){ "", ##__VA_ARGS__ }) / sizeof(const char *)), \
		  (char *const *)(const char *[]){ "sample", ##__VA_ARGS__, NULL },            \
		  memcpy(config, &sample_defaults, sizeof(sample_defaults)), result)

/* Fails unless the arguments are refused with exactly this message. */
#define assert_refused(message, ...)                                                         \
	do {                                                                                 \
		struct sample_config config_;                                                \
		struct cli_parsed result_;                                                   \
		_cleanup_error_ struct error *err_ = parse(&config_, &result_, __VA_ARGS__); \
		assert_non_null(err_);                                                       \
		assert_true(error_is(err_, &cli_error_domain, CLI_USAGE));                   \
		assert_string_equal(error_message(err_), message);                           \
	} while (0)

static void no_arguments_leave_the_defaults(void **state UNUSED)
{
	struct sample_config config;
	struct cli_parsed result;

	assert_success(parse(&config, &result));
	assert_int_equal(result.intent, CLI_INTENT_RUN);
	assert_memory_equal(&config, &sample_defaults, sizeof(config));
}

static void every_type_lands_in_its_member(void **state UNUSED)
{
	struct sample_config config;
	struct cli_parsed result;

	assert_success(parse(&config, &result, "--flag", "--level", "-5", "--count=100", "--size",
			     "18446744073709551615", "-p", "a=b", "--mode", "fast", "hello"));
	assert_true(config.flag);
	assert_int_equal(config.level, -5);
	assert_int_equal(config.count, 100);
	assert_true(config.size == UINT64_MAX);
	assert_string_equal(config.path, "a=b");
	assert_int_equal(config.mode, 1);
	assert_string_equal(config.word, "hello");
}

static void equals_sign_and_next_word_mean_the_same(void **state UNUSED)
{
	struct sample_config config;
	struct cli_parsed result;

	assert_success(parse(&config, &result, "--path=--flag"));
	assert_string_equal(config.path, "--flag");
	assert_false(config.flag);
	assert_success(parse(&config, &result, "--path", "-"));
	assert_string_equal(config.path, "-");
}

static void letters_may_be_joined_and_carry_a_value(void **state UNUSED)
{
	struct sample_config config;
	struct cli_parsed result;

	assert_success(parse(&config, &result, "-fl3"));
	assert_true(config.flag);
	assert_int_equal(config.level, 3);
	assert_success(parse(&config, &result, "-fl", "-2"));
	assert_int_equal(config.level, -2);
}

static void two_dashes_end_the_options(void **state UNUSED)
{
	struct sample_config config;
	struct cli_parsed result;

	assert_success(parse(&config, &result, "--flag", "--", "--level"));
	assert_string_equal(config.word, "--level");
	assert_int_equal(config.level, 1);
}

static void ranges_are_inclusive_and_named_in_the_error(void **state UNUSED)
{
	struct sample_config config;
	struct cli_parsed result;

	assert_success(parse(&config, &result, "--count", "1"));
	assert_success(parse(&config, &result, "--count", "100"));
	assert_refused("--count 0: expected a number from 1 to 100", "--count", "0");
	assert_refused("--count 101: expected a number from 1 to 100", "--count", "101");
	assert_refused("--count -1: expected a number from 1 to 100", "--count", "-1");
	assert_refused("--count -0: expected a number from 1 to 100", "--count", "-0");
	assert_refused("--level -6: expected a number from -5 to 5", "--level", "-6");
	assert_refused("--level 6: expected a number from -5 to 5", "--level=6");
	assert_refused("--count 99999999999999999999999: expected a number from 1 to 100",
		       "--count", "99999999999999999999999");
	assert_refused(
		"--size 18446744073709551616: expected a number from 0 to 18446744073709551615",
		"--size", "18446744073709551616");
}

static void malformed_whole_numbers_are_refused(void **state UNUSED)
{
	assert_refused("--count 'ten': expected a whole number from 1 to 100", "--count", "ten");
	assert_refused("--count '': expected a whole number from 1 to 100", "--count=");
	assert_refused("--count ' 5': expected a whole number from 1 to 100", "--count", " 5");
	assert_refused("--count '5x': expected a whole number from 1 to 100", "--count", "5x");
	assert_refused("--count '0x5': expected a whole number from 1 to 100", "--count", "0x5");
	assert_refused("--count '+5': expected a whole number from 1 to 100", "--count", "+5");
	assert_refused("--count '-': expected a whole number from 1 to 100", "--count", "-");
	assert_refused("--count '1.5': expected a whole number from 1 to 100", "--count", "1.5");
}

static void a_missing_value_is_named(void **state UNUSED)
{
	assert_refused("--count needs a value: --count N", "--count");
	assert_refused("--path needs a value: --path PATH", "--path", "--flag");
	assert_refused("-p needs a value: -p PATH", "-p");
	assert_refused("-p is empty; give a PATH", "-p", "");
	assert_refused("--path is empty; give a PATH", "--path=");
	assert_refused("--flag takes no value, but 'yes' was given", "--flag=yes");
}

static void a_repeated_option_is_refused(void **state UNUSED)
{
	assert_refused("--count is given twice", "--count", "1", "--count", "2");
	assert_refused("--flag is given twice", "-f", "--flag");
}

static void choices_are_listed_when_none_fits(void **state UNUSED)
{
	assert_refused("--mode 'medium' is not one of: slow, fast", "--mode", "medium");
}

static void unknown_options_get_a_suggestion_when_one_is_near(void **state UNUSED)
{
	assert_refused("unknown option --cuont; did you mean --count?", "--cuont", "5");
	assert_refused("unknown option --hlep; did you mean --help?", "--hlep");
	assert_refused("unknown option --frobnicate", "--frobnicate=1");
	assert_refused("unknown option -x", "-x");
}

static void one_argument_too_many_is_refused(void **state UNUSED)
{
	assert_refused("unexpected argument 'two'; arguments of the command go after --", "one",
		       "two");
}

static void an_option_of_many_keeps_all_values_in_order(void **state UNUSED)
{
	struct sample_config config;
	struct cli_parsed result;

	assert_success(parse(&config, &result, "-i", "a", "--flag", "--include=b:c", "-id"));
	assert_int_equal(config.files.n, 3);
	assert_string_equal(config.files.at[0], "a");
	assert_string_equal(config.files.at[1], "b:c");
	assert_string_equal(config.files.at[2], "d");
	assert_refused("--include is empty; give a FILE", "-i", "a", "--include=");
	assert_refused("-i needs a value: -i FILE", "-i", "a", "-i");
}

static void an_option_of_many_has_a_limit(void **state UNUSED)
{
	const char *argv[CLI_LIMIT_STRINGS + 3] = { "sample" };
	struct sample_config config = { 0 };
	struct cli_parsed result;
	_cleanup_error_ struct error *err = NULL;

	for (int i = 1; i <= CLI_LIMIT_STRINGS + 1; i++)
		argv[i] = "-ix";
	assert_success(
		cli_parse(&sample, CLI_LIMIT_STRINGS + 1, (char *const *)argv, &config, &result));
	assert_int_equal(config.files.n, CLI_LIMIT_STRINGS);
	config = (struct sample_config){ 0 };
	err = cli_parse(&sample, CLI_LIMIT_STRINGS + 2, (char *const *)argv, &config, &result);
	assert_non_null(err);
	assert_string_equal(error_message(err), "-i is given more than 256 times");
}

static void arguments_after_two_dashes_are_passed_unparsed(void **state UNUSED)
{
	const char *argv[] = { "sample", "word", "--", "ls", "--flag", "--", "", "-h", NULL };
	struct sample_config config = { 0 };
	struct cli_parsed result;

	/* The rest is a piece of argv itself: it must live as long. */
	assert_success(
		cli_parse(&sample, ARRAY_SIZE(argv) - 1, (char *const *)argv, &config, &result));
	assert_string_equal(config.word, "word");
	assert_false(config.flag);
	assert_int_equal(result.intent, CLI_INTENT_RUN);
	assert_string_equal(config.rest[0], "ls");
	assert_string_equal(config.rest[1], "--flag");
	assert_string_equal(config.rest[2], "--");
	assert_string_equal(config.rest[3], "");
	assert_string_equal(config.rest[4], "-h");
	assert_null(config.rest[5]);
	assert_ptr_equal(config.rest, (const char *const *)&argv[3]);
	assert_success(parse(&config, &result, "word", "--"));
	assert_null(config.rest);
}

static void help_and_version_win_over_what_follows(void **state UNUSED)
{
	struct sample_config config;
	struct cli_parsed result;

	assert_success(parse(&config, &result, "-h", "--nonsense"));
	assert_int_equal(result.intent, CLI_INTENT_HELP);
	assert_success(parse(&config, &result, "--flag", "--version", "--count", "0"));
	assert_int_equal(result.intent, CLI_INTENT_VERSION);
	assert_refused("unknown option --nonsense", "--nonsense", "-h");
}

static void a_command_word_hands_over_its_arguments(void **state UNUSED)
{
	const char *argv[] = { "parent", "sample", "--flag", NULL };
	struct cli_parsed result;

	assert_success(cli_parse(&sample_parent, 3, (char *const *)argv, NULL, &result));
	assert_int_equal(result.intent, CLI_INTENT_SUBCOMMAND);
	assert_ptr_equal(result.subcommand, &sample);
	assert_int_equal(result.next, 2);
}

static void an_unknown_command_gets_a_suggestion(void **state UNUSED)
{
	const char *argv[] = { "parent", "smaple", NULL };
	struct cli_parsed result;
	_cleanup_error_ struct error *err = cli_parse(&sample_parent, 2, (char *const *)argv, NULL,
						      &result);

	assert_non_null(err);
	assert_string_equal(error_message(err), "unknown command 'smaple'; did you mean 'sample'?");
}

static const struct cli_option required_rows[] = {
	{ .name = "count",
	  .argument = "N",
	  CLI_U32(struct sample_config, count, 1, 100),
	  .required = true,
	  .help = "a count" },
};

static void a_required_option_is_asked_for_unless_help_is(void **state UNUSED)
{
	const struct cli_command strict = { .name = "strict",
					    .options = required_rows,
					    .n_options = 1 };
	const char *argv[] = { "strict", "-h", NULL };
	struct sample_config config = { 0 };
	struct cli_parsed result;
	_cleanup_error_ struct error *err = cli_parse(&strict, 1, (char *const *)argv, &config,
						      &result);

	assert_non_null(err);
	assert_string_equal(error_message(err), "--count N is required");
	assert_success(cli_parse(&strict, 2, (char *const *)argv, &config, &result));
	assert_int_equal(result.intent, CLI_INTENT_HELP);
}

static void the_last_word_may_be_repeated(void **state UNUSED)
{
	struct {
		const char *word;
		struct cli_strings files;
	} config = { 0 };
	const struct cli_option rows[] = {
		{ .argument = "WORD", CLI_STRING(__typeof__(config), word), .help = "a word" },
		{ .argument = "FILE",
		  CLI_STRINGS(__typeof__(config), files),
		  .required = true,
		  .help = "files" },
	};
	const struct cli_command command = { .name = "many",
					     .positionals = rows,
					     .n_positionals = 2 };
	char *argv[] = { (char *)"many", (char *)"w", (char *)"a", (char *)"b", (char *)"c" };
	_cleanup_error_ struct error *err = NULL;
	struct cli_parsed parse;

	assert_success(cli_parse(&command, 5, argv, &config, &parse));
	assert_string_equal(config.word, "w");
	assert_int_equal(config.files.n, 3);
	assert_string_equal(config.files.at[2], "c");
	err = cli_parse(&command, 2, argv, &config, &parse);
	assert_string_equal(error_message(err), "FILE is required");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_arguments_leave_the_defaults),
		cmocka_unit_test(every_type_lands_in_its_member),
		cmocka_unit_test(equals_sign_and_next_word_mean_the_same),
		cmocka_unit_test(letters_may_be_joined_and_carry_a_value),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(ranges_are_inclusive_and_named_in_the_error),
		cmocka_unit_test(malformed_whole_numbers_are_refused),
		cmocka_unit_test(a_missing_value_is_named),
		cmocka_unit_test(a_repeated_option_is_refused),
		cmocka_unit_test(choices_are_listed_when_none_fits),
		cmocka_unit_test(unknown_options_get_a_suggestion_when_one_is_near),
		cmocka_unit_test(one_argument_too_many_is_refused),
		cmocka_unit_test(an_option_of_many_keeps_all_values_in_order),
		cmocka_unit_test(an_option_of_many_has_a_limit),
		cmocka_unit_test(arguments_after_two_dashes_are_passed_unparsed),
		cmocka_unit_test(help_and_version_win_over_what_follows),
		cmocka_unit_test(a_command_word_hands_over_its_arguments),
		cmocka_unit_test(an_unknown_command_gets_a_suggestion),
		cmocka_unit_test(a_required_option_is_asked_for_unless_help_is),
		cmocka_unit_test(the_last_word_may_be_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
