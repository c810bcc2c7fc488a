/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KTSTR_AGENT_PORT_H
#define KTSTR_AGENT_PORT_H

#include "base/error.h"

#define AGENT_PORT_NAME "ktstr.ctl"

/* The device file's name ("vport1p1") of the virtio port with this name; the caller frees it. */
struct error *agent_port_find(const char *sysfs, const char *name, char **ret) MUST_CHECK;

#endif
