// SPDX-License-Identifier: LGPL-2.1-or-later
#include "inspect/freeze.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "vm/qemu/qmp.h"

enum { ANSWER_WAIT_SEC = 30 };
#define ANSWER_WAIT_NS (ANSWER_WAIT_SEC * NS_PER_SEC)

static struct error *stop(struct inspect_freeze *f, const char *dir)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	bool running;
	struct error *err = vm_run_control_is_running(f->qmp, ANSWER_WAIT_NS, &running);

	if (!err && running) {
		/* The mark comes first: whoever kills us from now on leaves a guest that heals. */
		err = vm_run_freeze_begin(dir, &f->mark);
		if (!err)
			err = vm_qmp_execute(f->qmp, "stop", NULL, ANSWER_WAIT_NS, NULL);
		f->stopped = !err;
	} else if (!err) {
		f->stopped = vm_run_freeze_adopt(dir, &f->mark);
	}
	if (!err)
		err = vm_qmp_human(f->qmp, "info registers -a", ANSWER_WAIT_NS, &text);
	return err ? err : vm_registers_parse(strbuf_str(&text), text.n, &f->registers);
}

struct error *inspect_freeze_begin(const struct vm_run_entry *entry, struct inspect_freeze *ret)
{
	_cleanup_free_ char *dir = vm_run_control_dir(entry);
	struct inspect_freeze f = INSPECT_FREEZE_NONE;
	struct error *err = vm_run_control_connect(entry, ANSWER_WAIT_NS, &f.qmp);

	if (!err)
		err = stop(&f, dir);
	if (err) {
		inspect_freeze_end(&f);
		return error_wrap(err, "freezing the guest");
	}
	*ret = f;
	return NULL;
}

void inspect_freeze_end(struct inspect_freeze *f)
{
	if (f->stopped)
		error_free(vm_qmp_execute(f->qmp, "cont", NULL, ANSWER_WAIT_NS, NULL));
	vm_run_freeze_end(&f->mark);
	vm_qmp_free(f->qmp);
	vm_register_list_deinit(&f->registers);
	*f = INSPECT_FREEZE_NONE;
}
