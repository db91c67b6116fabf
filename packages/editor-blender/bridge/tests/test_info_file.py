# SPDX-License-Identifier: MIT
from __future__ import annotations

import json
import ntpath
import os
import stat
import subprocess
import sys
from types import SimpleNamespace

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


def test_the_temporary_directory_is_named_by_the_first_of_three_variables(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    for name in ("TMP", "TEMP", "TMPDIR"):  # the client looks in this order too
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
        monkeypatch.setattr(info_file.tempfile, "tempdir", None)
        assert info_file.default_directory() == str(tmp_path / name / f"zain-editors-{os.getuid()}")


def test_windows_has_no_number_of_the_user_no_modes_and_no_harmless_signal(tmp_path, monkeypatch) -> None:
    temporary = "C:\\Users\\me\\AppData\\Local\\Temp"
    windows = SimpleNamespace(**{name: value for name, value in vars(os).items() if name not in ("getuid", "kill")})
    windows.path, windows.environ = ntpath, {}
    monkeypatch.setattr(info_file, "os", windows)
    monkeypatch.setattr(info_file.tempfile, "gettempdir", lambda: temporary)
    assert info_file.default_directory() == temporary + "\\zain-editors"
    windows.path = os.path
    info = InfoFile(str(tmp_path))
    tmp_path.chmod(0o777)
    info.write(**CONTENT)
    info.write(**{**CONTENT, "file": "C:\\a.blend"})
    assert os.listdir(tmp_path) == [f"{os.getpid()}.json"]
    (tmp_path / "4000000000.json").write_text("{}")
    info.remove_stale()
    assert len(os.listdir(tmp_path)) == 2


def test_files_of_processes_that_are_gone_are_removed(tmp_path) -> None:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    for name in (f"{done.pid}.json", f"{done.pid}.json.0a.tmp", f"{os.getpid()}.json", "notes.json"):
        (tmp_path / name).write_text("{}")
    InfoFile(str(tmp_path)).remove_stale()
    assert sorted(os.listdir(tmp_path)) == sorted([f"{os.getpid()}.json", "notes.json"])
