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

#: Calls of every kind, with the types that they have.
PROGRAM = """
import numpy as np
import ops_glu_grad as og

x = np.ones((2, 4), np.float32)
y, gelu = og.ge_glu(x, approximate="none")
z = og.swi_glu(x, dim=-1, out=y)
reveal_type(og.silu(x))
"""


class Stubs(unittest.TestCase):
    def test_they_are_generated_from_the_table(self):
        self.assertEqual((PACKAGE / "__init__.pyi").read_text(), _stubs.stubs(), "python -m ops_glu_grad._stubs > __init__.pyi")

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_mypy_accepts_calls_and_refuses_wrong_ones(self):
        with tempfile.TemporaryDirectory() as place:
            program = pathlib.Path(place) / "program.py"

            def checked(text):
                program.write_text(text)
                return subprocess.run(
                    [sys.executable, "-m", "mypy", "--strict", "--cache-dir", place, program], capture_output=True, text=True
                )

            self.assertIn("Success", checked(PROGRAM).stdout)
            self.assertIn("Literal", checked(PROGRAM + 'og.ge_glu(x, approximate="tan")').stdout)
            self.assertIn("dims", checked(PROGRAM + "og.swi_glu(x, dims=1)").stdout)


if __name__ == "__main__":
    unittest.main()
