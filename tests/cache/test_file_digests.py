"""A file is read again where its state is not as it was, or was too new to tell; else what is recorded stands."""

import os

import pytest
from hexapla import file_digests
from hexapla.cache import Cache, digest
from hexapla.file_digests import FileDigests

PATH = "docs/a.md"


@pytest.fixture
def root(tmp_path):
    """A tree of one file."""
    (tmp_path / "docs").mkdir()
    (tmp_path / PATH).write_bytes(b"text")
    return tmp_path


def read(root):
    """The digest of the file as a new process has it, and whether the file was read for it."""
    cache = Cache(root)
    files = FileDigests(cache)
    found, was_read = files.digest(root, PATH), str(root / PATH) in files.read
    files.record_digests()
    cache.close()
    return found, was_read


def test_a_file_that_is_as_it_was_is_not_read_again(root):
    assert [read(root), read(root)] == [(digest(b"text"), True), (digest(b"text"), False)]


def rewrite(file):
    file.write_bytes(b"else")


def replace(file):
    file.with_name("other").write_bytes(b"else")
    file.with_name("other").replace(file)


@pytest.mark.parametrize("change", [rewrite, replace])
def test_a_file_of_the_same_size_and_time_is_read_again(root, change):
    read(root)
    state = (root / PATH).stat()
    change(root / PATH)
    os.utime(root / PATH, ns=(state.st_atime_ns, state.st_mtime_ns))  # as a tool that keeps old times
    assert read(root) == (digest(b"else"), True)


def test_a_file_that_may_change_again_unseen_is_not_recorded(root, monkeypatch):
    monkeypatch.setattr(file_digests, "TICK", 2_000_000_000)
    assert read(root) == read(root) == (digest(b"text"), False)


def test_a_file_from_the_future_is_not_recorded_by_a_clock_that_was_set_back(root, monkeypatch):
    monkeypatch.setattr(file_digests, "TICK", 2_000_000_000)
    monkeypatch.setattr(file_digests, "time_ns", lambda: (root / PATH).stat().st_ctime_ns - 1)
    assert read(root) == (digest(b"text"), False)


def test_a_file_that_cannot_be_read_has_no_digest(root, tmp_path_factory):
    read(root)
    (root / PATH).unlink()
    assert read(root) == ("", False)
    outside = tmp_path_factory.mktemp("outside") / "a.md"
    outside.write_bytes(b"text")
    (root / PATH).symlink_to(outside)
    assert read(root) == ("", False)


def test_what_was_recorded_before_stays_with_what_is_recorded_later(root):
    (root / "docs/b.md").write_bytes(b"b")
    cache = Cache(root)
    files = FileDigests(cache)
    for path in (PATH, "docs/b.md"):
        files.digest(root, path)
        files.record_digests()
    cache.close()
    assert read(root) == (digest(b"text"), False)
