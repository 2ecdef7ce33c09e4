"""The types for type checkers are those of the table."""

import doctest
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import ops_glu_grad as og
from ops_glu_grad import _stubs

PACKAGE = pathlib.Path(og.__file__).parent

#: Wrong calls, the first in line 3.
WRONG = """import numpy as np
import ops_glu_grad as og
og.ge_glu(np.ones((2, 4), np.float32), approximate="tan")
og.swi_glu(np.ones((2, 4), np.float32), dims=1)
og.optim.ema(np.ones(4, np.float32))
"""

#: PyTorch's own modules are not read, because that takes ten seconds.
MYPY = """
[mypy]
strict = True
[mypy-torch.*]
follow_imports = skip
"""

#: A page shows values, which a program would use, and `x.grad[0]`, which PyTorch's types allow to be of None.
PYRIGHT = {"include": ["examples.py", "wrong.py"], "reportUnusedExpression": False, "reportOptionalSubscript": False}


def examples():
    """The examples of the page in `docs`, without those that need a model."""
    page = pathlib.Path(__file__).parents[3] / "docs" / "from-python.md"
    shown = doctest.DocTestParser().get_examples(page.read_text())
    return "".join(example.source for example in shown if doctest.SKIP not in example.options)


def checked(*command):
    """What a type checker says of the examples and of wrong calls."""
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "examples.py").write_text(examples())
        (place / "wrong.py").write_text(WRONG)
        (place / "mypy.ini").write_text(MYPY)
        (place / "pyrightconfig.json").write_text(json.dumps(PYRIGHT))
        return subprocess.run(command, cwd=place, capture_output=True, text=True).stdout


class Stubs(unittest.TestCase):
    def test_they_are_generated_from_the_table(self):
        for name, text in _stubs.stubs().items():
            self.assertEqual((PACKAGE / name).read_text(), text, f"{name}: run python -m ops_glu_grad._stubs DIRECTORY")

    @unittest.skipIf(importlib.util.find_spec("mypy") is None, "mypy is not installed")
    def test_mypy_accepts_examples_and_refuses_wrong_calls(self):
        said = checked(sys.executable, "-m", "mypy", "examples.py", "wrong.py")
        self.assertIn('wrong.py:3: error: Argument "approximate"', said)
        self.assertIn('wrong.py:4: error: Unexpected keyword argument "dims"', said)
        self.assertIn('wrong.py:5: error: Missing positional argument "param"', said)
        self.assertIn("Found 3 errors in 1 file", said)

    @unittest.skipIf(shutil.which("pyright") is None, "pyright is not installed")
    @unittest.skipIf(importlib.util.find_spec("torch") is None, "torch is not installed, which the types name")
    def test_pyright_accepts_examples_and_refuses_wrong_calls(self):
        said = json.loads(checked("pyright", "--outputjson", "--pythonpath", sys.executable))["generalDiagnostics"]
        where = [(pathlib.Path(one["file"]).name, one["range"]["start"]["line"] + 1, one["rule"]) for one in said]
        wrong = [(3, "reportArgumentType"), (4, "reportCallIssue"), (5, "reportCallIssue")]
        self.assertEqual(where, [("wrong.py", *line) for line in wrong], said)

    @unittest.skipIf(shutil.which("pyright") is None, "pyright is not installed")
    @unittest.skipIf(importlib.util.find_spec("torch") is None, "torch is not installed, which the types name")
    def test_pyright_knows_every_type_of_the_package(self):
        command = ["pyright", "--pythonpath", sys.executable, "--verifytypes", "ops_glu_grad", "--ignoreexternal"]
        said = subprocess.run(command, capture_output=True, text=True).stdout
        self.assertIn("Type completeness score: 100%", said)


if __name__ == "__main__":
    unittest.main()
