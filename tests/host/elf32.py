# SPDX-License-Identifier: GPL-2.0-or-later
"""A 32-bit x86 program that sleeps for ever, byte by byte: no 32-bit compiler is needed."""

import struct

BASE = 0x08048000
HEADERS = 52 + 32

# mov eax, 29 (pause); int 0x80; jmp to the start
CODE = bytes([0xB8, 29, 0, 0, 0, 0xCD, 0x80, 0xEB, 0xF7])


def program():
    size = HEADERS + len(CODE)
    ident = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)  # 32 bits, little endian
    header = ident + struct.pack("<HHIIIIIHHHHHH", 2, 3, 1, BASE + HEADERS, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack("<IIIIIIII", 1, 0, BASE, BASE, size, size, 5, 0x1000)
    return header + segment + CODE
