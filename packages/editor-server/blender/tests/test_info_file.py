# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import os
import stat
import subprocess
import sys

import pytest
from zain_bridge import info_file
from zain_bridge.info_file import InfoFile

CONTENT = {"port": 1234, "token": "ab" * 32, "file": "/箱.blend", "version": "1"}


def test_the_file_is_its_users_alone_whole_and_removed_at_the_end(tmp_path) -> None:
    info = InfoFile(str(tmp_path / "zain-editors"))
    info.write(**CONTENT)
    assert os.listdir(info.directory) == [f"{os.getpid()}.json"]
    assert stat.S_IMODE(os.stat(info.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(info.directory).st_mode) == 0o700
    with open(info.path, encoding="utf-8") as file:
        assert json.load(file) == {"pid": os.getpid(), **CONTENT}
    info.write(**{**CONTENT, "file": ""})
    with open(info.path, encoding="utf-8") as file:
        assert json.load(file)["file"] == ""
    info.remove()
    info.remove()
    assert os.listdir(info.directory) == []


def test_a_directory_that_others_can_enter_or_that_is_a_link_is_refused(tmp_path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o755)
    own = tmp_path / "own"
    own.mkdir(mode=0o700)
    (tmp_path / "link").symlink_to(own)
    for directory in (shared, tmp_path / "link"):
        with pytest.raises(PermissionError, match="mode 0700"):
            InfoFile(str(directory)).write(**CONTENT)
    assert os.listdir(own) == []


def test_a_failed_write_leaves_no_draft(tmp_path, monkeypatch) -> None:
    info = InfoFile(str(tmp_path / "zain-editors"))
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("no space")))
    with pytest.raises(OSError, match="no space"):
        info.write(**CONTENT)
    assert os.listdir(info.directory) == []


def test_the_directory_is_below_the_runtime_directory_or_the_temporary_one(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert info_file.default_directory() == str(tmp_path / "zain-editors")
    monkeypatch.setattr(info_file.tempfile, "gettempdir", lambda: "/somewhere")
    for absent in (str(tmp_path / "missing"), "relative", ""):
        monkeypatch.setenv("XDG_RUNTIME_DIR", absent)
        assert info_file.default_directory() == f"/somewhere/zain-editors-{os.getuid()}"


def test_files_of_processes_that_are_gone_are_removed(tmp_path) -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    for name in (f"{done.pid}.json", f"{done.pid}.json.0a.tmp", f"{os.getpid()}.json", "notes.json"):
        (tmp_path / name).write_text("{}")
    InfoFile(str(tmp_path)).remove_stale()
    assert sorted(os.listdir(tmp_path)) == sorted([f"{os.getpid()}.json", "notes.json"])
