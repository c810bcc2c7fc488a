# SPDX-License-Identifier: GPL-2.0-or-later
"""Names that a room's headers declare begin with the room; limits are called ROOM_LIMIT_X."""

import unittest

import names
import tap
import tree


class Tree(unittest.TestCase):
    def test_names_begin_with_their_room(self):
        wrong = names.check(tree.ROOT, names.check_header)
        self.assertFalse(bool(wrong), "\n".join(wrong))

    def test_limits_are_called_limits(self):
        wrong = names.check(tree.ROOT, names.check_limits)
        self.assertFalse(bool(wrong), "\n".join(wrong))


class Planted(unittest.TestCase):
    """Each rule goes red on a header that breaks it."""

    def wrong(self, text, path="vm/a.h"):
        return "\n".join(names.check_header(path, text))

    def test_good_names_pass(self):
        text = """
#ifndef KTSTR_VM_A_H
#define KTSTR_VM_A_H
/* int bad(void); */
#define VM_ROWS(X) X(a) \\
	X(b)
#define ROW_(x) VM_##x,
#define ROW(x) x,
#include "vm/rows.def"
#undef ROW
#define _cleanup_vm_ _cleanup_(vm_deinit)
enum vm_state { VM_ON = 1, VM_OFF = SIZE(1, 2), VM_ROWS(ROW_) VM_N_ROWS };
struct vm { int (*answer)(void); struct { int a; } inner; };
struct other;
typedef int (*vm_fn)(struct vm *vm);
extern const char *const vm_words[VM_OFF];
struct error *vm_start(const char *fmt, ...) PRINTF_LIKE(1, 2) MUST_CHECK;
static inline int vm_twice(int n) { return twice(n); }
DECLARE_ERROR_DOMAIN(vm, VM, VM_ERRORS);
DEFINE_CLEANUP(vm, struct vm *, NULL, vm_free);
_Static_assert(sizeof(struct vm) == 4, "size");
#endif
"""
        self.assertEqual(self.wrong(text), "")

    def test_a_function_is_found(self):
        self.assertIn("function start ", self.wrong("struct error *start(struct vm *vm) MUST_CHECK;\n"))
        self.assertIn("function vmstart ", self.wrong("int vmstart(void);\n"))

    def test_a_macro_undefined_by_its_def_file_needs_no_prefix(self):
        rows = '#define CGROUP_VALUE(x) x,\n#include "procfs/cgroup.def"\n'
        self.assertEqual(self.wrong(rows), "")
        self.assertIn("macro CGROUP_VALUE ", self.wrong(rows.replace("cgroup.def", "none.def")))

    def test_the_authors_types_belong_to_suite(self):
        self.assertEqual(self.wrong("struct ktstr_ctx { int a; };\n", "suite/ctx.h"), "")
        self.assertIn("struct ktstr_ctx ", self.wrong("struct ktstr_ctx { int a; };\n"))

    def test_an_inline_function_is_found(self):
        self.assertIn("function twice ", self.wrong("static inline int twice(int n)\n{\n\treturn vm_f(n);\n}\n"))

    def test_a_variable_is_found(self):
        self.assertIn("variable words ", self.wrong("extern const char *const words[N];\n"))

    def test_tags_are_found(self):
        self.assertIn("struct machine ", self.wrong("struct machine {\n\tint a;\n};\n"))
        self.assertIn("enum state ", self.wrong("enum state { VM_A };\n"))

    def test_a_type_is_found(self):
        self.assertIn("type done_fn ", self.wrong("typedef void (*done_fn)(void *context);\n"))
        self.assertIn("type done_fn ", self.wrong("typedef void done_fn(void *context);\n"))

    def test_constants_and_macros_are_found(self):
        self.assertIn("constant TOP ", self.wrong("enum { VM_A, TOP = 1 << 2 };\n"))
        self.assertIn("macro TOP ", self.wrong("#define TOP 1\n"))

    def test_an_error_domain_is_found(self):
        self.assertIn("error domain guest ", self.wrong("DECLARE_ERROR_DOMAIN(guest, VM, VM_ERRORS);\n"))

    def test_a_scope_guard_is_found(self):
        self.assertIn("scope guard guest ", self.wrong("DEFINE_CLEANUP(guest, struct vm *, NULL, vm_free);\n"))

    def test_base_has_a_prefix_for_each_header(self):
        self.assertEqual(self.wrong("void strbuf_clear(struct strbuf *s);\n", "base/strbuf.h"), "")
        self.assertIn("function clear ", self.wrong("void clear(void);\n", "base/strbuf.h"))

    def test_only_the_frame_of_cli_needs_a_prefix(self):
        self.assertEqual(self.wrong("void run(void);\n", "cli/test/run.h"), "")
        self.assertIn("function run ", self.wrong("void run(void);\n", "cli/frame/run.h"))

    def test_a_limit_with_another_name_is_found(self):
        for name in ("VM_CPUS_LIMIT", "MAX_CPUS", "VM_MOST_CPUS", "CPUS_MOST"):
            self.assertIn(name, "\n".join(names.check_limits("vm/a.h", f"enum {{ {name} = 4 }};\n")))
        self.assertEqual(names.check_limits("vm/a.h", "enum { VM_LIMIT_CPUS = 4, VM_REDUCE_MAX };\n"), [])


if __name__ == "__main__":
    tap.main(__name__)
