/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_BTF_ERROR_H
#define KTSTR_BTF_ERROR_H

#include "base/error.h"

#define BTF_ERRORS(X)                                                                             \
	X(BTF_NOT_BTF, "not-btf", "the bytes are not BTF")                                        \
	X(BTF_MALFORMED, "btf-malformed", "the type information contradicts itself")              \
	X(BTF_UNKNOWN_KIND, "btf-unknown-kind", "a kind of type that is newer than this program") \
	X(BTF_NOT_FOUND, "btf-not-found", "no type of that name")                                 \
	X(BTF_FORWARD_ONLY, "btf-forward-only", "the type is only a forward declaration")         \
	X(BTF_NO_MEMBER, "btf-no-member", "the type has no such member")                          \
	X(BTF_BAD_PATH, "btf-bad-path", "the path cannot be followed")
DECLARE_ERROR_DOMAIN(btf, BTF, BTF_ERRORS);

#endif
