// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/tls.h"

bool tls_block_of_executable(enum tls_variant variant, uint64_t thread_pointer,
			     const struct elf_tls *tls, uint64_t *ret)
{
	uint64_t image_offset;

	if (variant == TLS_VARIANT_II)
		return sub_fits_u64(thread_pointer, tls->aligned_memsz, ret);
	return round_up_fits_u64(TLS_VARIANT_I_TCB_BYTES, tls->align, &image_offset) &&
	       add_fits_u64(thread_pointer, image_offset, ret);
}

bool tls_block_of_library(enum tls_variant variant, uint64_t thread_pointer, uint64_t tls_offset,
			  uint64_t *ret)
{
	if (variant == TLS_VARIANT_II)
		return sub_fits_u64(thread_pointer, tls_offset, ret);
	return add_fits_u64(thread_pointer, tls_offset, ret);
}
