// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/image/image.h"

#include "base/alloc.h"
#include "base/io.h"
#include "kernel/limits.h"

struct error *vm_guest_config_read(const struct kernel *kernel, struct vm_guest_config *ret)
{
	struct error *err;

	*ret = (struct vm_guest_config){ .text = STRBUF_INIT };
	if (!kernel->config_path || !kernel->release)
		return NULL;
	err = io_read_file(kernel->config_path, KERNEL_LIMIT_CONFIG_BYTES, &ret->text);
	if (err) {
		vm_guest_config_deinit(ret);
		return error_wrap(err, "the configuration of kernel %s", kernel->id);
	}
	ret->name = xasprintf("boot/config-%s", kernel->release);
	return NULL;
}

void vm_guest_config_deinit(struct vm_guest_config *config)
{
	free(config->name);
	config->name = NULL;
	strbuf_deinit(&config->text);
}

struct vm_initramfs_extra vm_guest_config_file(const struct vm_guest_config *config)
{
	return (struct vm_initramfs_extra){
		.name = config->name,
		.permissions = 0644,
		.bytes = strbuf_str(&config->text),
		.n = config->text.n,
	};
}

void vm_guest_config_key(const struct kernel *kernel, struct strbuf *into)
{
	if (kernel->config_path)
		strbuf_appendf(into, "config %016llx\n",
			       (unsigned long long)kernel->files[KERNEL_CONFIG].hash);
}
