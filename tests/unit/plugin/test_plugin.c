// SPDX-License-Identifier: GPL-2.0-or-later
/* QEMUs that lack something; vm/virtual has one that does not. */
#include <dlfcn.h>

#include "plugin/qemu.h"
#include "stderr_text.h"

/* Of the interface for plugins, which every QEMU has that loads one. */
__thread void *current_cpu;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id UNUSED,
					   qemu_plugin_translation_fn fn UNUSED)
{
}

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb UNUSED,
					  qemu_plugin_exec_fn fn UNUSED, int flags UNUSED,
					  void *context UNUSED)
{
}

void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn UNUSED,
					    qemu_plugin_exec_fn fn UNUSED, int flags UNUSED,
					    void *context UNUSED)
{
}

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb UNUSED)
{
	return 0;
}

struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb UNUSED,
						 size_t i UNUSED)
{
	return NULL;
}

size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn UNUSED)
{
	return 0;
}

size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn UNUSED, void *into UNUSED,
			     size_t n UNUSED)
{
	return 0;
}

uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn UNUSED)
{
	return 0;
}

struct qemu_array *qemu_plugin_get_registers(void)
{
	return NULL;
}

int qemu_plugin_read_register(void *handle UNUSED, struct qemu_bytes *into UNUSED)
{
	return 0;
}

bool qemu_plugin_read_memory_vaddr(uint64_t address UNUSED, struct qemu_bytes *into UNUSED,
				   size_t n UNUSED)
{
	return false;
}

struct qemu_bytes *g_byte_array_new(void)
{
	return NULL;
}

struct qemu_bytes *g_byte_array_set_size(struct qemu_bytes *bytes, unsigned int n UNUSED)
{
	return bytes;
}

char *g_array_free(struct qemu_array *array UNUSED, int with_content UNUSED)
{
	return NULL;
}

/* As QEMU does it. A trial that succeeds would end this program. */
static int try_plugin(struct stderr_text *said)
{
	void *plugin = dlopen(KTSTR_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
	char word[] = "trial=on", *argument = word;
	int (*install)(qemu_plugin_id_t id, const void *info, int argc, char **argv);
	int ret;

	if (!plugin)
		fail_msg("%s", dlerror());
	install = dlsym(plugin, "qemu_plugin_install");
	assert_non_null(install);
	stderr_text_begin(said);
	ret = install(1, NULL, 1, &argument);
	stderr_text_end(said);
	dlclose(plugin);
	return ret;
}

static void the_first_that_is_missing_is_named(void **state UNUSED)
{
	struct stderr_text said;

	assert_int_equal(try_plugin(&said), -1);
	assert_string_equal(said.text, "ktstr plugin: this QEMU does not export cpu_exit\n");
}

static void the_last_that_is_missing_is_named(void **state UNUSED)
{
	void *qemu = dlopen(KTSTR_TEST_QEMU_BUT_ONE, RTLD_NOW | RTLD_GLOBAL);
	struct stderr_text said;

	if (!qemu)
		fail_msg("%s", dlerror());
	assert_int_equal(try_plugin(&said), -1);
	assert_string_equal(said.text, "ktstr plugin: this QEMU does not export qtest_allowed\n");
	dlclose(qemu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_is_missing_is_named),
		cmocka_unit_test(the_last_that_is_missing_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
