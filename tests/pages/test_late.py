"""Modules that a library imports for functions that are not called here."""

import subprocess
import sys

from hexapla.pages.late import late

RENDER = r"""
import sys
from hexapla.pages import pythonmarkdown
for name in sorted(pythonmarkdown.PYMDOWNX):
    pythonmarkdown.python_markdown(pythonmarkdown.setup([f"pymdownx.{name}"])).render("`x` \\ *y*")
"""
LATER = """
import sys
from hexapla.pages.late import late
with late("colorsys"):
    from colorsys import rgb_to_hsv
print("colorsys" in sys.modules, rgb_to_hsv(0, 0, 1)[2], "colorsys" in sys.modules)
"""


def told(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_extensions_are_imported_without_http_and_work():
    code = RENDER + 'print("urllib.request" in sys.modules, "ssl" in sys.modules)\n'
    code += 'from pymdownx.util import path2url; print(path2url("a b"), "urllib.request" in sys.modules)'
    assert told(code) == ["False", "False", "a%20b", "True"]


def test_a_module_that_is_there_stays():
    with late("subprocess"):
        assert sys.modules["subprocess"] is subprocess
    assert sys.modules["subprocess"] is subprocess


def test_what_is_put_off_is_imported_when_it_is_called():
    assert told(LATER) == ["False", "1", "True"]
