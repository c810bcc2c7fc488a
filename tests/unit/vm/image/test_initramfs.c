// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/image/image.h"

#include <elf.h>
#include <fcntl.h>

#include "staged_root.h"
#include "told_archive.h"

static const char agent[] = "not really an agent";
#define AGENT { (const uint8_t *)agent, sizeof(agent) - 1 }

static bool has_busybox(void)
{
	return system("command -v busybox >/dev/null") == 0;
}

static void the_initramfs_has_agent_busybox_and_directories(void **state UNUSED)
{
	struct vm_initramfs_options options = { .agent = AGENT };
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;

	skip_unless(has_busybox(), "no busybox here");
	assert_success(vm_initramfs_build(&options, &archive));
	tell_archive(&archive, &told);
	print_message("# %zu bytes\n", archive.n);
	assert_contains(strbuf_str(&told), "100755 init = not really an agent\n");
	assert_contains(strbuf_str(&told), "120777 bin -> usr/bin\n");
	assert_contains(strbuf_str(&told), "120777 lib64 -> usr/lib64\n");
	assert_contains(strbuf_str(&told), "041777 tmp\n");
	assert_contains(strbuf_str(&told), "020600 dev/console 5:1\n");
	assert_contains(strbuf_str(&told), "120777 usr/bin/sh -> busybox\n");
	assert_contains(strbuf_str(&told), "120777 usr/sbin/modprobe -> ../bin/busybox\n");
	assert_contains(strbuf_str(&told), "usr/bin/busybox\n");
	assert_null(strstr(strbuf_str(&told), "usr/bin/init "));
	assert_true(archive.n < 16 << 20);
}

static void equal_inputs_give_equal_bytes(void **state UNUSED)
{
	struct vm_initramfs_options options = { .agent = AGENT };
	_cleanup_strbuf_ struct strbuf one = STRBUF_INIT, two = STRBUF_INIT, other = STRBUF_INIT;

	skip_unless(has_busybox(), "no busybox here");
	assert_success(vm_initramfs_build(&options, &one));
	assert_success(vm_initramfs_build(&options, &two));
	assert_int_equal(one.n, two.n);
	assert_memory_equal(one.at, two.at, one.n);
	options.agent.n--;
	assert_success(vm_initramfs_build(&options, &other));
	assert_int_not_equal(one.n == other.n && memcmp(one.at, other.at, one.n) == 0, 1);
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
	struct vm_initramfs_options options = { .agent = AGENT };
	struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1, .tv_nsec = 5 } };
	int fd = mkstemp(busybox);
	uint64_t before;

	assert_true(fd >= 0);
	options.busybox = busybox;
	before = identity(&options);
	assert_true(identity(&options) == before);
	options.agent.at = (const uint8_t *)other;
	assert_true(identity(&options) != before);
	options.agent.at = (const uint8_t *)agent;
	options.agent.n--;
	assert_true(identity(&options) != before);
	options.agent.n++;
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

/* Two files at one path, apart by their date: an upgrade of the C library boots another template.
 */
static void the_identity_follows_what_busybox_needs(void **state UNUSED)
{
	static const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	char *root = staged_root_new();
	_cleanup_free_ char *fake = xasprintf("%s/busybox", root),
			    *needed = xasprintf("%s/needed", root),
			    *script = xasprintf("#!%s\n", needed);
	struct vm_initramfs_options options = { .agent = AGENT, .busybox = fake };
	uint64_t before;

	staged_file(root, "/busybox", script, strlen(script));
	staged_file(root, "/needed", "x", 1);
	before = identity(&options);
	assert_true(identity(&options) == before);
	assert_int_equal(utimensat(AT_FDCWD, needed, times, 0), 0);
	assert_true(identity(&options) != before);
	staged_root_free(root);
}

static uint64_t tools_of(const char *busybox)
{
	uint64_t hash = 0;

	assert_success(vm_initramfs_hash_tools(busybox, &hash));
	return hash;
}

static void the_tools_are_known_by_their_bytes_alone(void **state UNUSED)
{
	static const char script[] = "#!/bin/sh\necho cat\n", other[] = "#!/bin/sh\necho dog\n";
	static const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	char *root = staged_root_new();
	_cleanup_free_ char *fake = xasprintf("%s/busybox", root);
	uint64_t before;

	staged_file(root, "/busybox", script, sizeof(script) - 1);
	assert_int_equal(chmod(fake, 0755), 0);
	before = tools_of(fake);
	assert_int_equal(utimensat(AT_FDCWD, fake, times, 0), 0);
	assert_int_equal(chmod(fake, 0770), 0);
	assert_true(tools_of(fake) == before);
	assert_int_equal(unlink(fake), 0);
	staged_file(root, "/busybox", other, sizeof(other) - 1);
	assert_int_equal(chmod(fake, 0755), 0);
	assert_true(tools_of(fake) != before);
	staged_root_free(root);
}

static void a_host_program_replaces_the_busybox_applet(void **state UNUSED)
{
	const char *const specs[] = { "/bin/ls:/usr/bin/id" };
	struct vm_initramfs_options options = { .agent = AGENT, .specs = specs, .n_specs = 1 };
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;

	skip_unless(has_busybox() && access("/usr/bin/ls", X_OK) == 0, "no busybox or no ls here");
	assert_success(vm_initramfs_build(&options, &archive));
	tell_archive(&archive, &told);
	assert_contains(strbuf_str(&told), "120777 usr/bin/id -> /usr/bin/ls\n");
	assert_contains(strbuf_str(&told), "100755 usr/bin/ls\n");
	assert_null(strstr(strbuf_str(&told), "usr/bin/ls -> busybox"));
}

static void applets_with_strange_names_are_left_out(void **state UNUSED)
{
	static const char script[] =
		"#!/bin/sh\nprintf 'cat\\n../up\\nno/pe\\n.hid\\n[\\ninit\\ntwo words\\n'\n";
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	char *root = staged_root_new();
	_cleanup_free_ char *fake = xasprintf("%s/busybox", root), *link = NULL;
	struct vm_initramfs_options options = { .agent = AGENT, .busybox = fake };

	staged_file(root, "/busybox", script, sizeof(script) - 1);
	assert_int_equal(chmod(fake, 0755), 0);
	assert_success(vm_initramfs_build(&options, &archive));
	tell_archive(&archive, &told);
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
	struct vm_initramfs_options options = { .agent = AGENT };
	_cleanup_free_ char *path = xstrdup(getenv("PATH"));
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	struct error *err;

	assert_int_equal(setenv("PATH", "/nowhere:", 1), 0);
	err = vm_initramfs_build(&options, &archive);
	assert_int_equal(setenv("PATH", path, 1), 0);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "busybox-missing");
	assert_contains(error_message(err), "install the package busybox");
	error_free(err);
	options.busybox = "/no/such/busybox";
	assert_error_tag(vm_initramfs_build(&options, &archive), "busybox-missing");
	options.agent.n = 0;
	assert_error_tag(vm_initramfs_build(&options, &archive), "agent-missing");
}

/* Told of an archive whose kernel has this configuration. */
static struct error *tell_with_config(char *path, struct strbuf *told)
{
	struct kernel kernel = { .id = (char *)"k",
				 .release = (char *)"6.18.15+deb13-cloud-amd64",
				 .config_path = path };
	struct vm_initramfs_options options = { .agent = AGENT, .kernel = &kernel };
	_cleanup_strbuf_ struct strbuf archive = STRBUF_INIT;
	struct error *err = vm_initramfs_build(&options, &archive);

	if (!err)
		tell_archive(&archive, told);
	return err;
}

static void a_kernel_without_a_configuration_adds_no_file(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;

	skip_unless(has_busybox(), "no busybox here");
	assert_success(tell_with_config(NULL, &told));
	assert_null(strstr(strbuf_str(&told), "boot/config-"));
}

static void the_configuration_has_the_name_that_libbpf_looks_for(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf told = STRBUF_INIT;
	char path[] = "/tmp/ktstr-config-XXXXXX";
	int fd = mkstemp(path);

	skip_unless(has_busybox(), "no busybox here");
	assert_int_equal(write(fd, "CONFIG_HZ=250\n", 14), 14);
	assert_success(tell_with_config(path, &told));
	assert_contains(strbuf_str(&told),
			"100644 boot/config-6.18.15+deb13-cloud-amd64 = CONFIG_HZ=250\n");
	close(fd);
	unlink(path);
}

static void a_configuration_that_cannot_be_read_is_an_error(void **state UNUSED)
{
	char path[] = "/does/not/exist";

	assert_error_tag(tell_with_config(path, NULL), "io");
}

static void the_image_is_a_static_program_of_this_machine(void **state UNUSED)
{
	struct bytes image = vm_agent_image();
	Elf64_Ehdr header;
	bool loads = false;

	assert_true(image.n > sizeof(header));
	memcpy(&header, image.at, sizeof(header));
	assert_memory_equal(header.e_ident, ELFMAG, SELFMAG);
	assert_int_equal(header.e_ident[EI_CLASS], ELFCLASS64);
	assert_int_equal(header.e_machine, EM_X86_64);
	assert_true(header.e_phoff + (uint64_t)header.e_phnum * sizeof(Elf64_Phdr) <= image.n);
	for (unsigned int i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment, image.at + header.e_phoff + i * sizeof(segment), sizeof(segment));
		/* It is /init: there is nothing yet that could interpret it. */
		assert_int_not_equal(segment.p_type, PT_INTERP);
		loads |= segment.p_type == PT_LOAD;
		assert_true(segment.p_offset + segment.p_filesz <= image.n);
	}
	assert_true(loads);
}

static void the_embedded_agent_is_not_truncated(void **state UNUSED)
{
	struct bytes image = vm_agent_image();
	Elf64_Ehdr header;

	/* The linker puts the table of sections last. */
	memcpy(&header, image.at, sizeof(header));
	assert_int_equal(header.e_shoff + (uint64_t)header.e_shnum * header.e_shentsize, image.n);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_initramfs_has_agent_busybox_and_directories),
		cmocka_unit_test(equal_inputs_give_equal_bytes),
		cmocka_unit_test(the_identity_follows_agent_and_busybox),
		cmocka_unit_test(the_identity_follows_what_busybox_needs),
		cmocka_unit_test(the_tools_are_known_by_their_bytes_alone),
		cmocka_unit_test(a_host_program_replaces_the_busybox_applet),
		cmocka_unit_test(applets_with_strange_names_are_left_out),
		cmocka_unit_test(without_busybox_the_package_is_named),
		cmocka_unit_test(a_kernel_without_a_configuration_adds_no_file),
		cmocka_unit_test(the_configuration_has_the_name_that_libbpf_looks_for),
		cmocka_unit_test(a_configuration_that_cannot_be_read_is_an_error),
		cmocka_unit_test(the_image_is_a_static_program_of_this_machine),
		cmocka_unit_test(the_embedded_agent_is_not_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
