"""Saves of the editor while somebody else changes the page between its reading and its writing."""

import pytest
from hexapla.cache import Cache
from hexapla.checks.engine.unsaved_text import overlay_checker
from hexapla.config.discovery import TreeOptions, find_layout
from hexapla.editor.page_editing import EditorService
from hexapla.section_writer import ConflictError, version_of
from hexapla.translation.translation_tree import read_tree

from tests.editor.conftest import PAGES
from tests.site.project import write


def editor_of(root):
    def tree():
        return read_tree(find_layout(TreeOptions(root)), lambda path: "", lambda path: "", Cache(root))

    return EditorService(tree, lambda: overlay_checker(tree().layout, ()))


def test_a_save_while_the_page_changes_in_another_section_keeps_both(tmp_path, monkeypatch):
    root = write(tmp_path, PAGES)
    page, editor = root / "docs/zh/page.md", editor_of(root)
    put, later = editor.put_text, iter(["一开始就有了。"])

    def beside(*given):
        made = put(*given)
        if words := next(later, ""):
            page.write_text(page.read_text("utf-8").replace("结束。", words), "utf-8")
        return made

    monkeypatch.setattr(editor, "put_text", beside)
    editor.reread_tree()
    base = version_of(editor.section_on_disk("page", "zh", "page"))
    editor.save("page", "zh", "page", "# 页面 {#page}\n\n批次的大小是 42。", base)
    text = page.read_text("utf-8")
    assert "批次的大小是 42。" in text and "一开始就有了。" in text


def test_a_save_while_the_same_section_changes_is_a_conflict(tmp_path, monkeypatch):
    root = write(tmp_path, PAGES)
    page, editor = root / "docs/zh/page.md", editor_of(root)
    put = editor.put_text

    def beside(*given):
        made = put(*given)
        page.write_text(page.read_text("utf-8").replace("批次大小是 42。", "批次大小 42。"), "utf-8")
        return made

    monkeypatch.setattr(editor, "put_text", beside)
    editor.reread_tree()
    base = version_of(editor.section_on_disk("page", "zh", "page"))
    with pytest.raises(ConflictError):
        editor.save("page", "zh", "page", "# 页面 {#page}\n\n批次的大小是 42。", base)
    assert "批次大小 42。" in page.read_text("utf-8")
