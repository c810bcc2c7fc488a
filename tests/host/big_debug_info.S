/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A great many units, each with one struct that nobody looks for: a program
 * whose debug information takes long to search. Assembled without any compiler.
 */
#ifndef UNITS
#define UNITS 200000
#endif

	.section .debug_abbrev,"",@progbits
.Labbrev:
	.uleb128 1, 0x11	/* DW_TAG_compile_unit */
	.byte 1			/* has children */
	.uleb128 0, 0
	.uleb128 2, 0x13	/* DW_TAG_structure_type */
	.byte 1
	.uleb128 3, 0x8		/* DW_AT_name, DW_FORM_string */
	.uleb128 0, 0
	.uleb128 3, 0xd		/* DW_TAG_member */
	.byte 0
	.uleb128 3, 0x8
	.uleb128 0, 0
	.byte 0

	.section .debug_info,"",@progbits
	.rept UNITS
	.long 30		/* what follows in this unit */
	.short 4		/* DWARF 4 */
	.long .Labbrev
	.byte 8
	.uleb128 1
	.uleb128 2
	.asciz "not_it"		/* 7 */
	.uleb128 3
	.asciz "member_a"	/* 9 */
	.byte 0
	.byte 0
	.byte 0, 0		/* padding the unit to its length */
	.endr

	.section .note.GNU-stack,"",@progbits
