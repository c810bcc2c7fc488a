// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/kernel/commands.h"

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

static void a_cancelled_command_ends_like_an_interrupted_one(void **state UNUSED)
{
	_cleanup_error_ struct error *cancelled = base_error(BASE_CANCELLED, 0, "test says");
	_cleanup_error_ struct error *other = base_error(BASE_IO, 0, "test says");

	assert_int_equal(kernel_fail(cancelled), 130);
	assert_int_equal(kernel_fail(other), CLI_EXIT_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_is_that_of_files_and_modules),
		cmocka_unit_test(verdicts_come_with_their_reason),
		cmocka_unit_test(notes_say_what_a_kernel_is_not_fit_for),
		cmocka_unit_test(json_has_paths_of_what_exists),
		cmocka_unit_test(a_cancelled_command_ends_like_an_interrupted_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
