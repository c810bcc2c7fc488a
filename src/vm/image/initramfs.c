// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/image/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "elf/closure.h"
#include "kernel/kernel.h"
#include "wire/crc32c.h"

DEFINE_ERROR_DOMAIN(vm_initramfs, VM_INITRAMFS, VM_INITRAMFS_ERRORS);

enum {
	LIMIT_APPLET_LIST_BYTES = 65536,
	LIMIT_APPLET_CHARS = 64,
};

static const char *const dirs[] = {
	"boot",	   "dev",	"etc",	    "home",	 "mnt",	    "opt",
	"proc",	   "root",	"run",	    "sys",	 "tmp",	    "usr/bin",
	"usr/lib", "usr/lib64", "usr/sbin", "usr/share", "var/log", "var/tmp",
};

static const struct {
	const char *name, *target;
} links[] = {
	{ "bin", "usr/bin" },
	{ "lib", "usr/lib" },
	{ "lib64", "usr/lib64" },
	{ "sbin", "usr/sbin" },
	{ "etc/mtab", "../proc/self/mounts" },
	{ "var/run", "../run" },
};

static const struct {
	const char *name, *text;
} texts[] = {
	{ "etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"
			"nobody:x:65534:65534:nobody:/:/bin/sh\n" },
	{ "etc/group", "root:x:0:\ntty:x:5:\nnogroup:x:65534:\n" },
	{ "etc/hostname", "ktstr\n" },
	{ "etc/hosts", "127.0.0.1 localhost ktstr\n" },
	{ "etc/profile",
	  "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
	  "[ \"$PS1\" ] && PS1='\\h:\\w\\$ '\n" },
};

/* The kernel opens the console for /init before anything is mounted on /dev. */
static const struct {
	const char *name;
	uint32_t mode, major, minor;
} devices[] = {
	{ "dev/console", S_IFCHR | 0600, 5, 1 },
	{ "dev/null", S_IFCHR | 0666, 1, 3 },
};

/* Applets that the kernel or scripts call by their path in /sbin. */
static const char *const sbin_applets[] = { "depmod", "ifconfig", "insmod",   "ip",    "losetup",
					    "lsmod",  "mdev",	  "modprobe", "rmmod", "sysctl" };

static struct error *add_skeleton(struct vm_guest_files *g)
{
	struct error *err = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !err; i++)
		err = vm_guest_files_add_dir(g, dirs[i]);
	for (size_t i = 0; i < ARRAY_SIZE(links) && !err; i++)
		err = vm_guest_files_add_link(g, links[i].name, links[i].target);
	for (size_t i = 0; i < ARRAY_SIZE(devices) && !err; i++)
		err = vm_guest_files_add_device(g, devices[i].name, devices[i].mode,
						devices[i].major, devices[i].minor);
	for (size_t i = 0; i < ARRAY_SIZE(texts) && !err; i++)
		err = vm_guest_files_add_bytes(g, texts[i].name, 0644, texts[i].text,
					       strlen(texts[i].text));
	return err;
}

static bool is_applet_name(const char *name, size_t n)
{
	static const char *const not_ours[] = { "busybox", "init", "linuxrc" };

	if (n == 0 || n >= LIMIT_APPLET_CHARS || name[0] == '.')
		return false;
	for (size_t i = 0; i < n; i++) {
		if (name[i] <= ' ' || name[i] == '/' || name[i] > '~')
			return false;
	}
	for (size_t i = 0; i < ARRAY_SIZE(not_ours); i++) {
		if (strlen(not_ours[i]) == n && memcmp(not_ours[i], name, n) == 0)
			return false;
	}
	return true;
}

/* A program that already has this name is preferred to the applet. */
static struct error *add_applet(struct vm_guest_files *g, const char *applet)
{
	_cleanup_free_ char *name = xasprintf("usr/bin/%s", applet);
	struct error *err = NULL;

	if (!vm_guest_files_has(g, name))
		err = vm_guest_files_add_link(g, name, "busybox");
	for (size_t i = 0; i < ARRAY_SIZE(sbin_applets) && !err; i++) {
		_cleanup_free_ char *other = xasprintf("usr/sbin/%s", applet);

		if (strcmp(sbin_applets[i], applet) == 0 && !vm_guest_files_has(g, other))
			err = vm_guest_files_add_link(g, other, "../bin/busybox");
	}
	return err;
}

static struct error *add_applets(struct vm_guest_files *g, const char *busybox)
{
	const char *const argv[] = { busybox, "--list", NULL };
	_cleanup_strbuf_ struct strbuf list = STRBUF_INIT;
	struct error *err;
	int status;

	err = spawn_capture(argv, LIMIT_APPLET_LIST_BYTES, &list, &status);
	if (err)
		return error_wrap(err, "%s --list", busybox);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || list.n == 0)
		return vm_initramfs_error(VM_INITRAMFS_BUSYBOX, 0,
					  "%s --list does not list its applets", busybox);
	for (const char *at = strbuf_str(&list); *at && !err;) {
		size_t n = strcspn(at, "\n");
		_cleanup_free_ char *applet = xstrndup(at, n);

		if (is_applet_name(applet, n))
			err = add_applet(g, applet);
		at += n + (at[n] == '\n');
	}
	return err;
}

/* The real path; NULL: the first one in PATH is wanted. */
static struct error *resolve_busybox(const char *wanted, char **ret)
{
	_cleanup_free_ char *busybox = wanted ? xstrdup(wanted) : paths_find_program("busybox"),
			    *real = NULL;

	if (!busybox)
		return vm_initramfs_error(
			VM_INITRAMFS_BUSYBOX, 0,
			"no busybox in PATH: install the package busybox or busybox-static");
	real = realpath(busybox, NULL);
	if (!real)
		return vm_initramfs_error(VM_INITRAMFS_BUSYBOX, errno, "%s", busybox);
	*ret = take_ptr(real);
	return NULL;
}

static struct error *add_busybox(struct vm_guest_files *g, const char *wanted)
{
	_cleanup_free_ char *real = NULL;
	struct error *err;

	err = resolve_busybox(wanted, &real);
	if (err)
		return err;
	err = vm_guest_files_add_program(g, real);
	if (!err && !vm_guest_files_has(g, "usr/bin/busybox"))
		err = vm_guest_files_add_link(g, "usr/bin/busybox", real);
	return err ? err : add_applets(g, real);
}

/* Where libbpf looks for the values of __kconfig externs and people look for everything else. */
static struct error *add_config(struct vm_guest_files *g, const struct kernel *kernel,
				struct strbuf *text)
{
	_cleanup_free_ char *name = NULL;
	struct error *err;

	if (!kernel || !kernel->config_path || !kernel->release)
		return NULL;
	err = io_read_file(kernel->config_path, KERNEL_LIMIT_CONFIG_BYTES, text);
	if (err)
		return error_wrap(err, "the configuration of kernel %s", kernel->id);
	name = xasprintf("boot/config-%s", kernel->release);
	return vm_guest_files_add_bytes(g, name, 0644, text->at, text->n);
}

static struct error *add_wanted(struct vm_guest_files *g,
				const struct vm_initramfs_options *options, struct strbuf *config)
{
	struct error *err = add_config(g, options->kernel, config);

	for (size_t i = 0; i < options->n_specs && !err; i++)
		err = vm_guest_files_add_spec(g, options->specs[i]);
	return err;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	/* With the NUL: "ab" and "c" are not "a" and "bc". */
	return hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_tables(uint64_t hash)
{
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		hash = hash_text(hash, dirs[i]);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		hash = hash_text(hash_text(hash, links[i].name), links[i].target);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		hash = hash_text(hash_text(hash, texts[i].name), texts[i].text);
	for (size_t i = 0; i < ARRAY_SIZE(sbin_applets); i++)
		hash = hash_text(hash, sbin_applets[i]);
	return hash;
}

/* What tells a file from another one at its path without reading it. */
static struct error *hash_file(uint64_t hash, const char *path, uint64_t *ret_hash)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return vm_initramfs_error(VM_INITRAMFS_BUSYBOX, errno, "%s", path);
	hash = hash_bytes(hash, &st.st_size, sizeof(st.st_size));
	hash = hash_bytes(hash, &st.st_dev, sizeof(st.st_dev));
	hash = hash_bytes(hash, &st.st_ino, sizeof(st.st_ino));
	hash = hash_bytes(hash, &st.st_mtim, sizeof(st.st_mtim));
	*ret_hash = hash_text(hash, path);
	return NULL;
}

struct error *vm_initramfs_identity(const struct vm_initramfs_options *options, uint64_t *ret_hash)
{
	/* A processor's own instruction: a thousandth of what hash_bytes() would take. */
	uint64_t agent[] = { wire_crc32c(0, options->agent.at, options->agent.n),
			     options->agent.n };
	uint64_t hash = hash_bytes(hash_tables(HASH_INIT), agent, sizeof(agent));
	const struct elf_closure_options here = { .library_path = getenv("LD_LIBRARY_PATH") };
	_cleanup_elf_closure_ struct elf_closure *closure = NULL;
	_cleanup_free_ char *busybox = NULL;
	struct error *err;

	err = resolve_busybox(options->busybox, &busybox);
	if (!err)
		err = elf_closure_read(&here, busybox, &closure);
	for (size_t i = 0; !err && i < closure->n_files; i++)
		err = hash_file(hash, closure->files[i].path, &hash);
	if (err)
		return error_wrap(err, "initramfs");
	*ret_hash = hash;
	return NULL;
}

static struct error *hash_sink(void *context, const void *bytes, size_t n)
{
	uint64_t *hash = context;

	*hash = hash_bytes(*hash, bytes, n);
	return NULL;
}

struct error *vm_initramfs_hash_tools(const char *busybox, uint64_t *ret_hash)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
	struct error *err = add_busybox(g, busybox);
	struct wire_cpio_writer w;
	uint64_t hash = HASH_INIT;

	wire_cpio_writer_init(&w, hash_sink, &hash);
	if (!err)
		err = vm_guest_files_write(g, &w);
	if (err)
		return error_wrap(err, "the guest's tools");
	*ret_hash = hash;
	return NULL;
}

/* agent_blob.S, made by the build around the file. */
extern const uint8_t ktstr_agent_start[], ktstr_agent_end[];

struct bytes vm_agent_image(void)
{
	return (struct bytes){ ktstr_agent_start, (size_t)(ktstr_agent_end - ktstr_agent_start) };
}

struct error *vm_initramfs_build(const struct vm_initramfs_options *options, struct strbuf *into)
{
	_cleanup_vm_guest_files_ struct vm_guest_files *g = vm_guest_files_new(NULL);
	_cleanup_strbuf_ struct strbuf config = STRBUF_INIT;
	struct wire_cpio_writer w;
	struct error *err;

	if (!options->agent.n)
		return vm_initramfs_error(VM_INITRAMFS_AGENT, 0, "the agent is empty");
	err = add_skeleton(g);
	if (!err)
		err = vm_guest_files_add_bytes(g, "init", 0755, options->agent.at,
					       options->agent.n);
	/* Before busybox: its links make way for real programs. */
	if (!err)
		err = add_wanted(g, options, &config);
	if (!err)
		err = add_busybox(g, options->busybox);
	wire_cpio_writer_init(&w, wire_cpio_strbuf_sink, into);
	if (!err)
		err = vm_guest_files_write(g, &w);
	return error_wrap(err, "initramfs");
}
