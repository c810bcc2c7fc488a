// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

#include <signal.h>
#include <unistd.h>

#include "unit.h"

static char id[] = "6.0.0+x", reason[] = "two leak", dir[] = "/k/6.0.0+x",
	    vmlinux[] = "/k/6.0.0+x/vmlinux";

static struct kernel sample_kernel(void)
{
	return (struct kernel){
		.id = id,
		.release = id,
		.version = id,
		.source = id,
		.dir = dir,
		.vmlinux_path = vmlinux,
		.scx = KERNEL_SCX_BROKEN,
		.scx_reason = reason,
		.modules_bytes = 1000,
		.files = { [KERNEL_VMLINUX] = { .present = true, .bytes = 30 },
			   [KERNEL_BTF] = { .present = true, .bytes = 4 } },
	};
}

static void size_is_that_of_files_and_modules(void **state UNUSED)
{
	struct kernel kernel = sample_kernel();

	assert_int_equal(kernel_disk_bytes(&kernel), 1034);
}

static void verdicts_come_with_their_reason(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf broken = STRBUF_INIT, usable = STRBUF_INIT;
	struct kernel kernel = sample_kernel();

	kernel_format_scx(&kernel, &broken);
	assert_string_equal(strbuf_str(&broken), "broken: two leak");
	kernel.scx = KERNEL_SCX_USABLE;
	kernel.scx_reason = NULL;
	kernel_format_scx(&kernel, &usable);
	assert_string_equal(strbuf_str(&usable), "usable");
}

static void notes_say_what_a_kernel_is_not_fit_for(void **state UNUSED)
{
	static const char module[] = "CONFIG_VIRTIO_PCI=y\nCONFIG_VIRTIO_CONSOLE=m\n";
	static const char fit[] = "CONFIG_VIRTIO_PCI=y\nCONFIG_VIRTIO_CONSOLE=y\n";
	const struct bytes of_module = { (const uint8_t *)module, sizeof(module) - 1 };
	const struct bytes of_fit = { (const uint8_t *)fit, sizeof(fit) - 1 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct kernel kernel = sample_kernel();

	kernel_format_notes(&kernel, &of_module, &text);
	assert_string_equal(strbuf_str(&text),
			    "note: broken for sched_ext: two leak\n"
			    "note: guests cannot boot it: CONFIG_VIRTIO_CONSOLE is m, not y\n");
	strbuf_clear(&text);
	kernel.scx = KERNEL_SCX_USABLE;
	kernel_format_notes(&kernel, &of_fit, &text);
	kernel_format_notes(&kernel, NULL, &text);
	assert_int_equal(text.n, 0);
}

static void json_has_paths_of_what_exists(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct json_writer w = json_writer_to(&out, JSON_COMPACT);
	struct kernel kernel = sample_kernel();

	kernel_write_json(&kernel, &w);
	assert_contains(strbuf_str(&out), "\"sched_ext\":\"broken\"");
	assert_contains(strbuf_str(&out), "\"bytes\":1034");
	assert_contains(
		strbuf_str(&out),
		"\"paths\":{\"folder\":\"/k/6.0.0+x\",\"vmlinux\":\"/k/6.0.0+x/vmlinux\"}}");
}

static int real_stderr, caught[2];

static void begin_catching(void)
{
	fflush(stderr);
	assert_int_equal(pipe(caught), 0);
	real_stderr = dup(STDERR_FILENO);
	assert_true(dup2(caught[1], STDERR_FILENO) >= 0);
}

static void end_catching(char *text, size_t size)
{
	ssize_t n;

	fflush(stderr);
	assert_true(dup2(real_stderr, STDERR_FILENO) >= 0);
	close(real_stderr);
	close(caught[1]);
	n = read(caught[0], text, size - 1);
	close(caught[0]);
	text[n > 0 ? n : 0] = 0;
}

static void show(struct kernel_screen *screen, char *text, size_t size)
{
	const struct kernel_watch *watch = &screen->watch;

	begin_catching();
	watch->say(watch->context, "one\033[2J");
	watch->progress(watch->context, "x", 512, 2048);
	watch->say(watch->context, "two");
	kernel_screen_finish(screen);
	end_catching(text, size);
}

static void without_a_terminal_there_is_one_line_per_step(void **state UNUSED)
{
	struct kernel_screen screen;
	char text[256];

	kernel_screen_init(&screen, false);
	screen.screen.terminal = false;
	show(&screen, text, sizeof(text));
	assert_string_equal(text, "one\\x1b[2J\ntwo\n");
}

static void a_terminal_sees_bytes_and_percent_on_a_line_that_goes(void **state UNUSED)
{
	struct kernel_screen screen;
	char text[256];

	kernel_screen_init(&screen, false);
	screen.screen.terminal = true;
	show(&screen, text, sizeof(text));
	assert_string_equal(text, "one\\x1b[2J\n"
				  "\rx  512 B of 2.0 KiB   25%\033[K"
				  "\r\033[K"
				  "two\n");
}

static void quiet_says_nothing(void **state UNUSED)
{
	struct kernel_screen screen;
	char text[256];

	kernel_screen_init(&screen, true);
	screen.screen.terminal = true;
	show(&screen, text, sizeof(text));
	assert_string_equal(text, "");
}

static void the_first_signal_cancels_and_the_second_kills(void **state UNUSED)
{
	struct kernel_screen screen;
	struct sigaction action;

	kernel_screen_init(&screen, true);
	assert_false(cancel_requested(screen.watch.cancel));
	raise(SIGTERM);
	assert_true(cancel_requested(screen.watch.cancel));
	assert_int_equal(sigaction(SIGTERM, NULL, &action), 0);
	assert_ptr_equal(action.sa_handler, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_is_that_of_files_and_modules),
		cmocka_unit_test(verdicts_come_with_their_reason),
		cmocka_unit_test(notes_say_what_a_kernel_is_not_fit_for),
		cmocka_unit_test(json_has_paths_of_what_exists),
		cmocka_unit_test(without_a_terminal_there_is_one_line_per_step),
		cmocka_unit_test(a_terminal_sees_bytes_and_percent_on_a_line_that_goes),
		cmocka_unit_test(quiet_says_nothing),
		cmocka_unit_test(the_first_signal_cancels_and_the_second_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
