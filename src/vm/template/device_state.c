// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

enum {
	QMP_WAIT_SEC = 60,
	SAVE_WAIT_SEC = 120,
	POLL_MS = 5,
};

/* Before 8.2 QEMU knew no files; a shell command does, if the path lets it. */
static struct error *move(struct vm *vm, const char *command, const char *shell_verb,
			  const char *path)
{
	static const char capability[] =
		"{\"capabilities\":[{\"capability\":\"x-ignore-shared\",\"state\":true},"
		"{\"capability\":\"events\",\"state\":true}]}";
	_cleanup_strbuf_ struct strbuf arguments = STRBUF_INIT;
	struct json_writer w = json_writer_to(&arguments, JSON_COMPACT);
	_cleanup_free_ char *uri = NULL;
	struct error *err;

	if (vm_qemu_version_at_least(&vm->qemu->version, 8, 2))
		uri = xasprintf("file:%s", path);
	else if (!strpbrk(path, "'\\"))
		uri = xasprintf("exec:%s '%s'", shell_verb, path);
	else
		return vm_error(VM_TEMPLATE, 0, "QEMU %s cannot use %s: a quote in the path",
				vm->qemu->version.text, path);
	json_begin_object(&w);
	json_add_string(&w, "uri", uri);
	json_end_object(&w);
	err = vm_qmp_execute(vm->qmp, "migrate-set-capabilities", capability,
			     QMP_WAIT_SEC * NS_PER_SEC, NULL);
	if (!err)
		err = vm_qmp_execute(vm->qmp, command, strbuf_str(&arguments),
				     QMP_WAIT_SEC * NS_PER_SEC, NULL);
	return vm_explain_monitor(vm, err, command);
}

struct error *vm_state_load(struct vm *vm, const char *path)
{
	return move(vm, "migrate-incoming", "cat", path);
}

struct error *vm_state_save(struct vm *vm, const char *path, const struct cancel *cancel)
{
	uint64_t deadline_ns = clock_monotonic_ns() + SAVE_WAIT_SEC * NS_PER_SEC;
	struct error *err = move(vm, "migrate", "cat >", path);

	while (!err) {
		_cleanup_vm_qmp_message_ struct vm_qmp_message answer = { 0 };
		struct json_text status, words;

		err = vm_qmp_execute(vm->qmp, "query-migrate", NULL, QMP_WAIT_SEC * NS_PER_SEC,
				     &answer);
		if (err)
			return vm_explain_monitor(vm, err, "saving the guest");
		status = json_string(json_find(answer.value, "status"));
		if (json_text_is(status, "completed"))
			return NULL;
		words = json_string(json_find(answer.value, "error-desc"));
		if (json_text_is(status, "failed"))
			return vm_error(VM_TEMPLATE, 0, "QEMU could not save the guest: %.*s",
					(int)words.n, words.at ? words.at : "");
		if (clock_monotonic_ns() > deadline_ns)
			return vm_error(VM_TEMPLATE, 0, "QEMU did not save the guest in %d s",
					SAVE_WAIT_SEC);
		if (!cancel_sleep(cancel, POLL_MS * NS_PER_MS))
			err = cancel_error(cancel, "saving a template");
	}
	return err;
}
