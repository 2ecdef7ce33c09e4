"""The types for type checkers are those of the table."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

import ops_glu_grad as og
from ops_glu_grad import _stubs

PACKAGE = pathlib.Path(og.__file__).parent

#: Calls of every kind, and after them wrong ones.
PROGRAM = """
import numpy as np
import ops_glu_grad as og

x = np.ones((2, 4), np.float32)
y, gelu = og.ge_glu(x, approximate="none")
z = og.swi_glu(x, dim=-1, out=y)
og.ge_glu(x, approximate="tan")
og.swi_glu(x, dims=1)
"""

#: PyTorch's own modules are not read, because that takes ten seconds.
CONFIGURATION = """
[mypy]
strict = True
[mypy-torch.*]
follow_imports = skip
"""


class Stubs(unittest.TestCase):
    def test_they_are_generated_from_the_table(self):
        self.assertEqual((PACKAGE / "__init__.pyi").read_text(), _stubs.stubs(), "python -m ops_glu_grad._stubs > __init__.pyi")

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_mypy_accepts_calls_and_refuses_wrong_ones(self):
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            (place / "program.py").write_text(PROGRAM)
            (place / "mypy.ini").write_text(CONFIGURATION)
            mypy = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "program.py"]
            said = subprocess.run(mypy, cwd=place, capture_output=True, text=True).stdout
        self.assertIn('8: error: Argument "approximate"', said)
        self.assertIn('9: error: Unexpected keyword argument "dims"', said)
        self.assertIn("Found 2 errors", said)


if __name__ == "__main__":
    unittest.main()
