# SPDX-License-Identifier: MIT
from __future__ import annotations

from zain_bridge.printed import LIMIT, Printed


def printed(*texts: str) -> str:
    made = Printed()
    for text in texts:
        made.print(text)
    return made.text()


def test_all_is_kept_up_to_the_limit() -> None:
    assert printed("x" * (LIMIT - 1)) == "x" * (LIMIT - 1) + "\n"
    assert printed() == ""


def test_what_is_cut_ends_with_a_line_and_is_counted() -> None:
    lines = [f"line {number}" for number in range(20_000)]
    first, *kept = printed(*lines).splitlines()
    assert kept == lines[-len(kept) :]
    missing = sum(len(line) + 1 for line in lines[: -len(kept)])
    assert first == f"[{missing} bytes before this are left out]"
    assert len("\n".join(kept)) > LIMIT - 100


def test_a_line_longer_than_the_limit_is_cut_between_characters() -> None:
    first, kept = printed("あ" * LIMIT).splitlines()
    assert kept == "あ" * (len(kept))
    assert first == f"[{3 * (LIMIT - len(kept))} bytes before this are left out]"
