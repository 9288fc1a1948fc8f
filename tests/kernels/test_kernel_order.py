# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""The check that kernels wait for the grid before them: tools/check_kernel_order.py."""

import pytest
from _support.modules import ROOT, kernel_order

KERNEL = """
.version 9.0
.target sm_90
.visible .entry gpuarray_test(
	.param .u64 gpuarray_test_param_0
)
{{
	.reg .pred %p<3>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [gpuarray_test_param_0];
	cvta.to.global.u64 %rd2, %rd1;
{body}
	ret;

}}
"""
WAIT = "	// begin inline asm\n	griddepcontrol.wait;\n	// end inline asm\n"
STORE = "	st.global.u64 [%rd2], %rd1;\n"


@pytest.fixture(scope="module")
def checker():
    return kernel_order()


@pytest.mark.parametrize("before", ["", "ld.shared.u32 %r1, [%rd1];", "mov.u32 %r1, %tid.x;"])
def test_a_kernel_that_waits_first_passes(checker, before):
    assert checker.faults(KERNEL.format(body=before + "\n" + WAIT + STORE)) == ({}, 1)


def test_a_kernel_without_the_wait_fails(checker):
    wrong, count = checker.faults(KERNEL.format(body=STORE))
    assert count == 1
    assert wrong == {"gpuarray_test": "st.global.u64 [%rd2], %rd1"}
    assert checker.faults(KERNEL.format(body=""))[0] == {"gpuarray_test": "ret"}


@pytest.mark.parametrize(
    "statement",
    [
        "ld.global.u64 %rd3, [%rd2];",
        "ld.global.nc.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2];",
        "ld.volatile.global.u32 %r1, [%rd2];",
        "ld.u64 %rd3, [%rd1];",
        "st.u8 [%rd1], 1;",
        "atom.global.add.u32 %r1, [%rd2], 1;",
        "red.global.add.u32 [%rd2], 1;",
        "cp.async.ca.shared.global [%r1], [%rd2], 16;",
        "prefetch.global.L2 [%rd2];",
        "call.uni (retval0), helper, (param0);",
        "@%p1 ret;",
        "@!%p1 st.global.u8 [%rd2], 1;",
        "griddepcontrol.launch_dependents;\n	ld.global.u64 %rd3, [%rd2];",
    ],
)
def test_what_must_not_come_before_the_wait(checker, statement):
    wrong, _ = checker.faults(KERNEL.format(body=f"	{statement}\n{WAIT}{STORE}"))
    assert wrong == {"gpuarray_test": statement.split("\n")[-1].strip().rstrip(";")}


BRANCHES = {
    "wait after both join": ("@%p1 bra $L1;\nmov.u32 %r1, 1;\n$L1:\n{wait}{store}", None),
    "wait on both": ("@%p1 bra $L1;\n{wait}{store}ret;\n$L1:\n{wait}{store}", None),
    "wait on one": ("@%p1 bra $L1;\n{wait}\n$L1:\n{store}", "st.global.u64 [%rd2], %rd1"),
    "guarded wait": ("@%p1 griddepcontrol.wait;\n{store}", "st.global.u64 [%rd2], %rd1"),
    "a jump over it": ("bra.uni $L1;\n{wait}\n$L1:\n", "ret"),
    "early return": ("@%p1 bra $L1;\nret;\n$L1:\n{wait}{store}", "ret"),
    "a loop before": ("$L1:\nmov.u32 %r1, 1;\n@%p1 bra $L1;\n{wait}{store}", None),
    "a block": ("{{ .reg .b32 t;\nmov.u32 t, 1; }}\n{wait}{store}", None),
    "a table of jumps": ("brx.idx %r1, table;\n{wait}{store}", "brx.idx %r1, table"),
}


@pytest.mark.parametrize("case", BRANCHES)
def test_the_wait_is_on_every_path(checker, case):
    body, wrong = BRANCHES[case]
    found, _ = checker.faults(KERNEL.format(body=body.format(wait=WAIT, store=STORE)))
    assert found == ({} if wrong is None else {"gpuarray_test": wrong})


def test_a_wait_in_a_comment_does_not_count(checker):
    body = "	// griddepcontrol.wait;\n	/* griddepcontrol.wait; */\n" + STORE
    assert list(checker.faults(KERNEL.format(body=body))[0]) == ["gpuarray_test"]


def test_each_kernel_is_judged_by_its_own_text(checker):
    right = KERNEL.format(body=WAIT + STORE)
    wrong = KERNEL.format(body=STORE).replace("gpuarray_test", "second")
    found, count = checker.faults(right + wrong + right.replace("gpuarray_test", "third"))
    assert (list(found), count) == (["second"], 3)


def test_the_command(checker, tmp_path, capsys):
    right, wrong, empty = (tmp_path / name for name in ("right.ptx", "wrong.ptx", "empty.ptx"))
    right.write_text(KERNEL.format(body=WAIT + STORE))
    wrong.write_text(KERNEL.format(body=STORE + WAIT))
    empty.write_text(".version 9.0\n")
    assert checker.main(str(right)) == 0
    assert checker.main(str(right), str(wrong)) == 1
    assert "wrong.ptx: gpuarray_test" in capsys.readouterr().out
    assert checker.main(str(empty)) == 1


def test_the_kernels_of_copies(checker):
    if checker.find_nvcc() is None:
        pytest.skip("nvcc was not found")
    assert checker.main(str(ROOT / "kernels" / "aot" / "copy.cu")) == 0


def test_a_compilation_that_fails_is_told(checker, tmp_path):
    if checker.find_nvcc() is None:
        pytest.skip("nvcc was not found")
    broken = tmp_path / "broken.cu"
    broken.write_text("no such thing;")
    with pytest.raises(RuntimeError, match=r"broken\.cu"):
        checker.main(str(broken))
