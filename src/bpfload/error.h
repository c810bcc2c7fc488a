/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why one of our BPF programs does not run here. */
#ifndef KTSTR_BPFLOAD_ERROR_H
#define KTSTR_BPFLOAD_ERROR_H

#include "base/error.h"

#define BPFLOAD_ERRORS(X)                                                                \
	X(BPFLOAD_PERMISSION, "bpf-permission", "no permission to load BPF programs")    \
	X(BPFLOAD_NO_BTF, "bpf-no-btf", "the kernel does not describe its types")        \
	X(BPFLOAD_OBJECT, "bpf-object", "the object file is not one that can be loaded") \
	X(BPFLOAD_REFUSED, "bpf-refused", "the kernel refused the program")              \
	X(BPFLOAD_ATTACH, "bpf-attach", "the program could not be attached")             \
	X(BPFLOAD_READ, "bpf-read", "the program's output could not be read")
DECLARE_ERROR_DOMAIN(bpfload, BPFLOAD, BPFLOAD_ERRORS);

#endif
