// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/image/image.h"

#include <fcntl.h>

#include "base/alloc.h"
#include "unit.h"

static void a_kernel_without_a_configuration_adds_no_file(void **state UNUSED)
{
	struct kernel kernel = { .release = (char *)"6.18" };
	_cleanup_vm_guest_config_ struct vm_guest_config config;
	_cleanup_strbuf_ struct strbuf key = STRBUF_INIT;

	assert_success(vm_guest_config_read(&kernel, &config));
	assert_null(config.name);
	vm_guest_config_key(&kernel, &key);
	assert_int_equal(key.n, 0);
}

static void the_file_has_the_name_that_libbpf_looks_for(void **state UNUSED)
{
	char path[] = "/tmp/ktstr-config-XXXXXX";
	int fd = mkstemp(path);
	struct kernel kernel = { .release = (char *)"6.18.15+deb13-cloud-amd64",
				 .config_path = path };
	_cleanup_vm_guest_config_ struct vm_guest_config config;
	_cleanup_strbuf_ struct strbuf one = STRBUF_INIT, two = STRBUF_INIT;
	struct vm_initramfs_extra file;

	assert_int_equal(write(fd, "CONFIG_HZ=250\n", 14), 14);
	assert_success(vm_guest_config_read(&kernel, &config));
	file = vm_guest_config_file(&config);
	assert_string_equal(file.name, "boot/config-6.18.15+deb13-cloud-amd64");
	assert_int_equal(file.n, 14);
	assert_memory_equal(file.bytes, "CONFIG_HZ=250\n", 14);
	/* Another configuration is another template. */
	vm_guest_config_key(&kernel, &one);
	kernel.files[KERNEL_CONFIG].hash = 1;
	vm_guest_config_key(&kernel, &two);
	assert_string_not_equal(one.at, two.at);
	close(fd);
	unlink(path);
}

static void one_that_cannot_be_read_is_an_error(void **state UNUSED)
{
	struct kernel kernel = { .id = (char *)"k",
				 .release = (char *)"6.18",
				 .config_path = (char *)"/does/not/exist" };
	_cleanup_vm_guest_config_ struct vm_guest_config config;

	assert_error_tag(vm_guest_config_read(&kernel, &config), "io");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_without_a_configuration_adds_no_file),
		cmocka_unit_test(the_file_has_the_name_that_libbpf_looks_for),
		cmocka_unit_test(one_that_cannot_be_read_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
