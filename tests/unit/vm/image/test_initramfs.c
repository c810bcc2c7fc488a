// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/image/image.h"

#include "staged_root.h"
#include "told_archive.h"

static const char agent[] = "not really an agent";

static bool has_busybox(void)
{
	return system("command -v busybox >/dev/null") == 0;
}

static void agent_busybox_and_folders_are_there(void **state UNUSED)
{
	static const struct vm_initramfs_extra plan = { "/ktstr/plan", 0600, "frames", 6 };
	struct vm_initramfs_options options = {
		.agent = agent, .agent_n = sizeof(agent) - 1, .extras = &plan, .n_extras = 1
	};
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
	_cleanup_vm_initramfs_ struct vm_initramfs fs = { 0 };

	skip_unless(has_busybox(), "no busybox here");
	assert_success(vm_initramfs_build(&options, &fs));
	tell_archive(&fs.archive, &told);
	print_message("# %zu bytes, %zu entries\n", fs.archive.n, fs.entries);
	assert_contains(strbuf_str(&told), "100755 init = not really an agent\n");
	assert_contains(strbuf_str(&told), "040755 ktstr\n100600 ktstr/plan = frames\n");
	assert_contains(strbuf_str(&told), "120777 bin -> usr/bin\n");
	assert_contains(strbuf_str(&told), "120777 lib64 -> usr/lib64\n");
	assert_contains(strbuf_str(&told), "041777 tmp\n");
	assert_contains(strbuf_str(&told), "020600 dev/console 5:1\n");
	assert_contains(strbuf_str(&told), "120777 usr/bin/sh -> busybox\n");
	assert_contains(strbuf_str(&told), "120777 usr/sbin/modprobe -> ../bin/busybox\n");
	assert_contains(strbuf_str(&told), "usr/bin/busybox\n");
	assert_null(strstr(strbuf_str(&told), "usr/bin/init "));
	assert_true(fs.archive.n < 16 << 20);
}

static void equal_inputs_give_equal_bytes(void **state UNUSED)
{
	struct vm_initramfs_options options = { .agent = agent, .agent_n = sizeof(agent) - 1 };
	_cleanup_vm_initramfs_ struct vm_initramfs one = { 0 }, two = { 0 }, other = { 0 };

	skip_unless(has_busybox(), "no busybox here");
	assert_success(vm_initramfs_build(&options, &one));
	assert_success(vm_initramfs_build(&options, &two));
	assert_int_equal(one.archive.n, two.archive.n);
	assert_memory_equal(one.archive.at, two.archive.at, one.archive.n);
	assert_true(one.hash == two.hash);
	options.agent_n--;
	assert_success(vm_initramfs_build(&options, &other));
	assert_true(one.hash != other.hash);
}

static uint64_t identity(const struct vm_initramfs_options *options)
{
	uint64_t hash;

	assert_success(vm_initramfs_identity(options, &hash));
	return hash;
}

static void the_identity_follows_agent_and_busybox(void **state UNUSED)
{
	static const char other[] = "not really AN agent";
	char busybox[] = "/tmp/ktstr-busybox-XXXXXX";
	struct vm_initramfs_options options = { .agent = agent, .agent_n = sizeof(agent) - 1 };
	struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1, .tv_nsec = 5 } };
	int fd = mkstemp(busybox);
	uint64_t before;

	assert_true(fd >= 0);
	options.busybox = busybox;
	before = identity(&options);
	assert_true(identity(&options) == before);
	options.agent = other;
	assert_true(identity(&options) != before);
	options.agent = agent;
	options.agent_n--;
	assert_true(identity(&options) != before);
	options.agent_n++;
	assert_int_equal(futimens(fd, times), 0);
	assert_true(identity(&options) != before);
	before = identity(&options);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(futimens(fd, times), 0);
	assert_true(identity(&options) != before);
	close(fd);
	unlink(busybox);
	assert_error_tag(vm_initramfs_identity(&options, &before), "busybox-missing");
}

static void a_program_of_the_host_stands_before_the_applet(void **state UNUSED)
{
	const char *const specs[] = { "/bin/ls:/usr/bin/id" };
	struct vm_initramfs_options options = {
		.agent = agent, .agent_n = sizeof(agent) - 1, .specs = specs, .n_specs = 1
	};
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
	_cleanup_vm_initramfs_ struct vm_initramfs fs = { 0 };

	skip_unless(has_busybox() && access("/usr/bin/ls", X_OK) == 0, "no busybox or no ls here");
	assert_success(vm_initramfs_build(&options, &fs));
	tell_archive(&fs.archive, &told);
	assert_contains(strbuf_str(&told), "120777 usr/bin/id -> /usr/bin/ls\n");
	assert_contains(strbuf_str(&told), "100755 usr/bin/ls\n");
	assert_null(strstr(strbuf_str(&told), "usr/bin/ls -> busybox"));
}

static void applets_with_strange_names_are_left_out(void **state UNUSED)
{
	static const char script[] =
		"#!/bin/sh\nprintf 'cat\\n../up\\nno/pe\\n.hid\\n[\\ninit\\ntwo words\\n'\n";
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
	_cleanup_vm_initramfs_ struct vm_initramfs fs = { 0 };
	char *root = staged_root_new();
	_cleanup_free_ char *fake = xasprintf("%s/busybox", root), *link = NULL;
	struct vm_initramfs_options options = { .agent = agent,
						.agent_n = sizeof(agent) - 1,
						.busybox = fake };

	staged_file(root, "/busybox", script, sizeof(script) - 1);
	assert_int_equal(chmod(fake, 0755), 0);
	assert_success(vm_initramfs_build(&options, &fs));
	tell_archive(&fs.archive, &told);
	link = xasprintf("120777 usr/bin/busybox -> %s\n", fake);
	assert_contains(strbuf_str(&told), link);
	assert_contains(strbuf_str(&told), "120777 usr/bin/[ -> busybox\n");
	assert_contains(strbuf_str(&told), "120777 usr/bin/cat -> busybox\n");
	assert_null(strstr(strbuf_str(&told), "bin/../up"));
	assert_null(strstr(strbuf_str(&told), "bin/no"));
	assert_null(strstr(strbuf_str(&told), "bin/.hid"));
	assert_null(strstr(strbuf_str(&told), "two words"));
	assert_null(strstr(strbuf_str(&told), "bin/init"));
	staged_root_free(root);
}

static void without_busybox_the_package_is_named(void **state UNUSED)
{
	struct vm_initramfs_options options = { .agent = agent, .agent_n = sizeof(agent) - 1 };
	_cleanup_free_ char *path = xstrdup(getenv("PATH"));
	struct vm_initramfs fs = { 0 };
	struct error *err;

	assert_int_equal(setenv("PATH", "/nowhere:", 1), 0);
	err = vm_initramfs_build(&options, &fs);
	assert_int_equal(setenv("PATH", path, 1), 0);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "busybox-missing");
	assert_contains(error_message(err), "install the package busybox");
	error_free(err);
	options.busybox = "/no/such/busybox";
	assert_error_tag(vm_initramfs_build(&options, &fs), "busybox-missing");
	options.agent_n = 0;
	assert_error_tag(vm_initramfs_build(&options, &fs), "agent-missing");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(agent_busybox_and_folders_are_there),
		cmocka_unit_test(equal_inputs_give_equal_bytes),
		cmocka_unit_test(the_identity_follows_agent_and_busybox),
		cmocka_unit_test(a_program_of_the_host_stands_before_the_applet),
		cmocka_unit_test(applets_with_strange_names_are_left_out),
		cmocka_unit_test(without_busybox_the_package_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
