"""A file of the site before is taken over where it has the content that is wanted, unread where its state is known.
"""

import os
import shutil

import pytest
from hexapla.cache import digest
from hexapla.site.build import taken_files
from hexapla.site.build.taken_files import TakenFiles

from tests.site.project import write

WANTED = digest(b"text")


def rewrite(file):
    state = file.stat()
    file.write_bytes(b"else")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))  # as a tool that keeps old times


def replace(file):
    state = file.stat()
    file.with_name("other").write_bytes(b"else")
    file.with_name("other").replace(file)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


@pytest.fixture
def root(tmp_path):
    """A site of one file whose build has recorded it."""
    write(tmp_path, {"new/a/index.html": "text"})
    files = TakenFiles(tmp_path, tmp_path / "new", tmp_path / "site")
    files.note_file("a/index.html", WANTED)
    (tmp_path / "new").rename(tmp_path / "site")
    files.record_files()
    return tmp_path


def take(root, content=WANTED):
    """Whether the file is taken over into a new site, and how often it was read for that; it stands then."""
    files, read = TakenFiles(root, root / "new", root / "site"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(taken_files, "digest", lambda data: read.append(data) or digest(data))
        taken = files.take_file("a/index.html", content)
    assert (root / "new/a/index.html").exists() == taken
    if taken:
        shutil.rmtree(root / "site")
        (root / "new").rename(root / "site")
        files.record_files()
    return taken, len(read)


def test_a_file_that_stands_as_it_was_written_is_not_read(root):
    assert take(root) == take(root) == (True, 0)
    assert (root / "site/a/index.html").read_text() == "text"


def test_a_file_with_other_content_than_is_wanted_is_not_taken(root):
    assert take(root, digest(b"other")) == (False, 1)


@pytest.mark.parametrize("change", [rewrite, replace])
def test_a_file_that_was_changed_is_read_and_not_taken_its_time_and_size_as_before(change, root):
    change(root / "site/a/index.html")
    assert take(root) == (False, 1)


def test_a_file_that_was_restored_is_read_and_taken(root):
    shutil.copytree(root / "site", root / "kept")
    shutil.rmtree(root / "site")
    (root / "kept").rename(root / "site")
    assert take(root) == (True, 1)
    assert take(root) == (True, 0)


def test_what_another_build_put_in_the_place_of_ours_is_not_recorded_as_ours(root):
    files = TakenFiles(root, root / "new", root / "site")
    assert files.take_file("a/index.html", WANTED)
    write(root, {"other/a/index.html": "else"})
    shutil.rmtree(root / "site")
    (root / "other").rename(root / "site")
    shutil.rmtree(root / "new")
    files.record_files()
    assert take(root) == (False, 1)


def test_without_a_cache_every_file_is_read(root):
    shutil.rmtree(root / ".hexapla")
    assert take(root) == (True, 1)
