// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/accel.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"
#include "json/writer.h"

#define FAILURE_FILE "kvm-boot-failed.json"
#define BOOT_ID	     "/proc/sys/kernel/random/boot_id"

enum { FAILURE_FILE_LIMIT = 16 << 10 };

const char *const accel_wish_words[] = {
	[ACCEL_WISH_AUTO] = "auto",
	[ACCEL_WISH_KVM] = "kvm",
	[ACCEL_WISH_TCG] = "tcg",
	NULL,
};

static const struct accel kvm = {
	.kind = ACCEL_KVM,
	.name = "kvm",
	.qemu_accel = "kvm",
	.qemu_cpu = "Nehalem,vendor=GenuineIntel,level=32",
};

static const struct accel tcg = {
	.kind = ACCEL_TCG,
	.name = "tcg",
	.qemu_accel = "tcg,thread=single",
	.qemu_cpu = "Nehalem,level=32",
};

static struct {
	pthread_mutex_t lock;
	bool has_probed;
	struct kvm_probe probe;
	bool boot_worked;
} known = { .lock = PTHREAD_MUTEX_INITIALIZER };

#define SAY(accel, ...) snprintf((accel)->reason, sizeof((accel)->reason), __VA_ARGS__)

void accel_decide(enum accel_wish wish, const struct kvm_probe *probe, const char *boot_failure,
		  bool boot_worked, struct accel *ret)
{
	switch (wish) {
	case ACCEL_WISH_TCG:
		*ret = tcg;
		SAY(ret, "asked for");
		return;
	case ACCEL_WISH_KVM:
		*ret = kvm;
		if (!probe->usable)
			SAY(ret, "asked for, although KVM does not work here: %s", probe->reason);
		else
			SAY(ret, "asked for; %s", probe->reason);
		return;
	case ACCEL_WISH_AUTO:
		break;
	}
	if (!probe->usable) {
		*ret = tcg;
		SAY(ret, "KVM does not work here: %s", probe->reason);
	} else if (boot_failure) {
		*ret = tcg;
		SAY(ret, "KVM's trial worked (%s), but a guest did not boot with it: %s",
		    probe->reason, boot_failure);
	} else {
		*ret = kvm;
		ret->boot_is_trial = !boot_worked;
		SAY(ret, "KVM works here: %s", probe->reason);
	}
}

static char *boot_id(void)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_error_ struct error *ignored = io_read_file(BOOT_ID, 256, &text);

	if (text.n && text.at[text.n - 1] == '\n')
		text.at[text.n - 1] = 0;
	return xstrdup(strbuf_str(&text));
}

char *accel_recall_failure(void)
{
	_cleanup_free_ char *path = paths_run(FAILURE_FILE);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	_cleanup_error_ struct error *err = NULL;
	_cleanup_free_ char *now_boot = boot_id();
	const struct json_value *root;
	uint64_t at, now = clock_unix_sec();
	struct json_text why;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);

	if (fd < 0)
		return NULL;
	err = io_read_fd(fd, path, FAILURE_FILE_LIMIT, &text);
	close(fd);
	if (!err)
		err = json_doc_parse(strbuf_str(&text), text.n, path, &doc);
	if (err)
		return NULL;
	root = json_doc_root(doc);
	why = json_string(json_find(root, "why"));
	if (!why.at || !json_text_is(json_string(json_find(root, "boot_id")), now_boot) ||
	    !json_get_u64(json_find(root, "at"), &at) || at > now ||
	    now - at > ACCEL_FAILURE_KEPT_SEC)
		return NULL;
	return xstrndup(why.at, why.n);
}

void accel_kvm_boot_failed(const char *why)
{
	_cleanup_free_ char *folder = paths_run("");
	_cleanup_free_ char *path = paths_run(FAILURE_FILE);
	_cleanup_free_ char *id = boot_id();
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_error_ struct error *err = NULL;
	struct json_writer w = json_writer_to(&out, JSON_PRETTY);

	json_begin_object(&w);
	json_add_string(&w, "boot_id", id);
	json_add_u64(&w, "at", clock_unix_sec());
	json_add_string(&w, "why", why);
	json_end_object(&w);
	strbuf_append_char(&out, '\n');
	err = paths_make(folder, 0700);
	if (!err)
		err = io_replace_file(path, strbuf_str(&out), out.n);
	pthread_mutex_lock(&known.lock);
	known.boot_worked = false;
	/* Nobody else can be told, but this process does not try again. */
	if (err) {
		known.has_probed = true;
		known.probe.usable = false;
		SAY(&known.probe, "a guest did not boot with it: %s", why);
	}
	pthread_mutex_unlock(&known.lock);
}

void accel_kvm_boot_worked(void)
{
	_cleanup_free_ char *path = paths_run(FAILURE_FILE);

	pthread_mutex_lock(&known.lock);
	known.boot_worked = true;
	pthread_mutex_unlock(&known.lock);
	unlink(path);
}

void accel_probe(struct kvm_probe *ret)
{
	pthread_mutex_lock(&known.lock);
	if (!known.has_probed)
		kvm_probe_run(&known.probe);
	known.has_probed = true;
	*ret = known.probe;
	pthread_mutex_unlock(&known.lock);
}

void accel_choose(enum accel_wish wish, struct accel *ret)
{
	_cleanup_free_ char *failure = NULL;
	struct kvm_probe probe = { 0 };
	bool worked;

	/* Who wants TCG does not pay for the trial. */
	if (wish != ACCEL_WISH_TCG)
		accel_probe(&probe);
	if (wish == ACCEL_WISH_AUTO && probe.usable)
		failure = accel_recall_failure();
	pthread_mutex_lock(&known.lock);
	worked = known.boot_worked;
	pthread_mutex_unlock(&known.lock);
	accel_decide(wish, &probe, failure, worked, ret);
}
