// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/image/image.h"

#include <elf.h>
#include <zstd.h>

#include "staged_root.h"

static const char dep[] =
	"kernel/a/alone.ko.xz:\n"
	"kernel/net/virtio_net.ko.xz: kernel/net/net_failover.ko.xz kernel/net/failover.ko.xz\n"
	"kernel/net/failover.ko.xz:\n"
	"kernel/net/net_failover.ko.xz: kernel/net/failover.ko.xz\n"
	"kernel/last.ko: kernel/a/alone.ko.xz";

static struct bytes over(const char *text)
{
	return (struct bytes){ (const uint8_t *)text, strlen(text) };
}

static void expect(const char *name, const char *wanted)
{
	_cleanup_vm_module_list_ struct vm_module_list list = { 0 };
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	assert_success(vm_modules_parse_dep(over(dep), name, &list));
	for (size_t i = 0; i < list.n; i++)
		strbuf_appendf(&s, "%s%s", i ? " " : "", list.paths[i]);
	assert_string_equal(strbuf_str(&s), wanted);
}

static void what_a_module_needs_is_loaded_first(void **state UNUSED)
{
	expect("alone", "kernel/a/alone.ko.xz");
	expect("virtio_net", "kernel/net/failover.ko.xz kernel/net/net_failover.ko.xz "
			     "kernel/net/virtio_net.ko.xz");
	expect("last", "kernel/a/alone.ko.xz kernel/last.ko");
}

static void dash_and_underscore_are_equal(void **state UNUSED)
{
	expect("net-failover", "kernel/net/failover.ko.xz kernel/net/net_failover.ko.xz");
	assert_true(vm_modules_parse_builtin(
		over("kernel/fs/fuse/fuse.ko\nkernel/d/virtio-pci.ko\n"), "virtio_pci"));
	assert_false(vm_modules_parse_builtin(over("kernel/fs/fuse/fuse.ko\n"), "fus"));
}

static void modules_are_matched_by_whole_name(void **state UNUSED)
{
	static const char *const absent[] = { "failove", "virtio", "net", "ko", "", "alone.ko" };
	struct vm_module_list list = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_error_tag(vm_modules_parse_dep(over(dep), absent[i], &list),
				 "module-absent");
	assert_int_equal(list.n, 0);
}

static void malformed_modules_dep_is_refused(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	struct vm_module_list list = { 0 };

	assert_error_tag(vm_modules_parse_dep(over("x.ko: /etc/passwd"), "x", &list),
			 "module-absent");
	assert_error_tag(vm_modules_parse_dep(over("x.ko: ../y.ko"), "x", &list), "module-absent");
	strbuf_append(&s, "x.ko:");
	for (int i = 0; i <= VM_LIMIT_MODULES_FILES; i++)
		strbuf_append(&s, " y.ko");
	assert_error_tag(vm_modules_parse_dep(over(strbuf_str(&s)), "x", &list), "module-limit");
	assert_int_equal(list.n, 0);
}

static void a_built_in_module_needs_no_file(void **state UNUSED)
{
	char *root = staged_root_new();
	_cleanup_vm_module_list_ struct vm_module_list list = { 0 };

	staged_file(root, "/modules.dep", dep, sizeof(dep) - 1);
	assert_success(vm_modules_read(root, "last", &list));
	assert_int_equal(list.n, 2);
	vm_module_list_deinit(&list);
	staged_file(root, "/modules.builtin", "kernel/last.ko\n", 15);
	assert_success(vm_modules_read(root, "last", &list));
	assert_int_equal(list.n, 0);
	assert_error_tag(vm_modules_read(root, "none", &list), "module-absent");
	assert_error_tag(vm_modules_read("/no/such/directory", "none", &list), "io");
	staged_root_free(root);
}

static void packed_modules_come_unpacked(void **state UNUSED)
{
	static const char text[] = "the bytes of a module, the bytes of a module";
	char *root = staged_root_new();
	_cleanup_free_ char *command = NULL;
	char packed[256];
	size_t n = ZSTD_compress(packed, sizeof(packed), text, sizeof(text), 3);
	static const char *const names[] = { "m.ko", "z.ko.zst", "x.ko.xz", "g.ko.gz" };

	assert_false(ZSTD_isError(n));
	staged_file(root, "/m.ko", text, sizeof(text));
	staged_file(root, "/z.ko.zst", packed, n);
	staged_file(root, "/cut.ko.zst", packed, n - 5);
	staged_file(root, "/bad.ko.xz", "no xz", 5);
	staged_file(root, "/what.ko.lz4", "x", 1);
	command = xasprintf("cd %s && xz -c m.ko >x.ko.xz && gzip -c m.ko >g.ko.gz", root);
	skip_unless(system(command) == 0, "no xz or no gzip here");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		assert_success(vm_module_read_bytes(root, names[i], &s));
		assert_int_equal(s.n, sizeof(text));
		assert_memory_equal(s.at, text, sizeof(text));
	}
	{
		_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

		assert_error_tag(vm_module_read_bytes(root, "cut.ko.zst", &s), "module-unpack");
		assert_error_tag(vm_module_read_bytes(root, "bad.ko.xz", &s), "module-unpack");
		assert_error_tag(vm_module_read_bytes(root, "what.ko.lz4", &s), "module-unpack");
		assert_error_tag(vm_module_read_bytes(root, "none.ko", &s), "io");
	}
	staged_root_free(root);
}

/* The least that is an object with a .modinfo. */
static void place_module(const char *root, const char *path, const char *info, size_t n)
{
	static const char names[] = "\0.modinfo\0.shstrtab";
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;
	Elf64_Ehdr eh = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				       EV_CURRENT },
			  .e_type = ET_REL,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_shoff = sizeof(eh),
			  .e_ehsize = sizeof(eh),
			  .e_shentsize = sizeof(Elf64_Shdr),
			  .e_shnum = 3,
			  .e_shstrndx = 2 };
	uint64_t at = sizeof(eh) + 3 * sizeof(Elf64_Shdr);
	Elf64_Shdr sh[3] = {
		{ 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_offset = at,
		  .sh_size = n,
		  .sh_addralign = 1 },
		{ .sh_name = 10,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = at + n,
		  .sh_size = sizeof(names),
		  .sh_addralign = 1 },
	};

	strbuf_append_bytes(&s, &eh, sizeof(eh));
	strbuf_append_bytes(&s, sh, sizeof(sh));
	strbuf_append_bytes(&s, info, n);
	strbuf_append_bytes(&s, names, sizeof(names));
	staged_file(root, path, s.at, s.n);
}

static void depends_are_read_from_modinfo(void **state UNUSED)
{
	static const char info[] = "license=GPL\0depends=one,two-three\0name=depends\0depends=";
	_cleanup_strbuf_ struct strbuf s = STRBUF_INIT;

	vm_modules_parse_modinfo((struct bytes){ (const uint8_t *)info, sizeof(info) }, &s);
	assert_string_equal(strbuf_str(&s), "one\ntwo-three\n");
	/* A line without an end is no line. */
	vm_modules_parse_modinfo((struct bytes){ (const uint8_t *)"depends=x", 9 }, &s);
	assert_string_equal(strbuf_str(&s), "one\ntwo-three\n");
}

static void without_modules_dep_dependencies_come_from_modinfo(void **state UNUSED)
{
	static const char order[] = "kernel/a/top-most.ko\nkernel/b/mid_dle.ko\nkernel/low.ko\n"
				    "kernel/loop.ko\nkernel/lost.ko\n";
	char *root = staged_root_new();
	_cleanup_vm_module_list_ struct vm_module_list list = { 0 };

	staged_file(root, "/modules.order", order, sizeof(order) - 1);
	staged_file(root, "/modules.builtin", "kernel/inside.ko\n", 17);
	place_module(root, "/kernel/a/top-most.ko", "depends=mid-dle,low,inside", 27);
	place_module(root, "/kernel/b/mid_dle.ko", "depends=low", 12);
	place_module(root, "/kernel/low.ko", "depends=", 9);
	place_module(root, "/kernel/loop.ko", "depends=loop", 13);
	place_module(root, "/kernel/lost.ko", "depends=nowhere", 16);
	assert_success(vm_modules_read(root, "top_most", &list));
	assert_int_equal(list.n, 3);
	assert_string_equal(list.paths[0], "kernel/low.ko");
	assert_string_equal(list.paths[1], "kernel/b/mid_dle.ko");
	assert_string_equal(list.paths[2], "kernel/a/top-most.ko");
	vm_module_list_deinit(&list);
	assert_error_tag(vm_modules_read(root, "loop", &list), "module-limit");
	assert_error_tag(vm_modules_read(root, "lost", &list), "module-absent");
	assert_error_tag(vm_modules_read(root, "other", &list), "module-absent");
	staged_root_free(root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_module_needs_is_loaded_first),
		cmocka_unit_test(dash_and_underscore_are_equal),
		cmocka_unit_test(modules_are_matched_by_whole_name),
		cmocka_unit_test(malformed_modules_dep_is_refused),
		cmocka_unit_test(a_built_in_module_needs_no_file),
		cmocka_unit_test(packed_modules_come_unpacked),
		cmocka_unit_test(depends_are_read_from_modinfo),
		cmocka_unit_test(without_modules_dep_dependencies_come_from_modinfo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
