/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CRC-32C (Castagnoli, reflected, as in iSCSI and SSE 4.2). Begin with 0 and hand the
 * result in again to go on: crc32c(crc32c(0, a), b) is the sum of a followed by b.
 */
#ifndef KTSTR_WIRE_CRC32C_H
#define KTSTR_WIRE_CRC32C_H

#include "base/macros.h"

uint32_t wire_crc32c(uint32_t crc, const void *bytes, size_t n);
/* The way without the processor's help; the same results. */
uint32_t wire_crc32c_by_table(uint32_t crc, const void *bytes, size_t n);

#endif
