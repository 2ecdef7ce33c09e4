"""Makes the coefficients of codegen-cpu/src/rt/math and rt/wide again and compares.

    python3 check.py elementary|wide|reference      exits 1 where one differs

`elementary`: every polynomial in the sources must be one of those that `fit_elementary.py` prints, or one
without its constant term, which may have a name of its own. `wide`: the same of `fit_wide.py`, in f64.
`reference`: the file must be what `reference.py` prints.
"""

import re
import struct
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MATH = HERE.parent / "src/rt/math"
NUMBER = re.compile(r"-?\d[\d_]*(?:\.[\d_]*)?(?:e-?\d+)?")


def numbers(text, form="f"):
    """As f32, or f64: decimals of the same number differ in length."""
    return [struct.pack(form, float(n.replace("_", ""))) for n in NUMBER.findall(text)]


def made(script, *args):
    return subprocess.run([sys.executable, HERE / script, *args], check=True, capture_output=True, text=True).stdout


def polynomials(script, directory, names, form, kind):
    known = [numbers(line, form) for line in made(script).splitlines() if line.startswith("[")]
    for name in names:
        text = (directory / f"{name}.rs").read_text()
        found = re.findall(rf"const (\w+): \[{kind}; \d\d?\] =\s*\[(.*?)\];", text, re.S)
        assert found, f"{name}.rs has no polynomial"
        for constant, text in found:
            yield f"{name}.rs {constant}", any(numbers(text, form) in (k, k[1:]) for k in known)


def elementary():
    return polynomials("fit_elementary.py", MATH, ("exp", "log", "tanh", "erf", "softplus"), "f", "f32")


def wide():
    named = polynomials("fit_wide.py", MATH.parent / "wide", ("exp", "log", "erf", "circle"), "d", "f64")
    return ((name, equal) for name, equal in named if not name.endswith(" PI_2"))


def file(path, script, *args):
    yield path.name, path.read_text() == made(script, *args)


CHECKS = {
    "elementary": elementary,
    "wide": wide,
    "reference": lambda: file(HERE.parent / "tests/data/activation_reference.csv", "reference.py"),
}

same = True
for what in sys.argv[1:]:
    for name, equal in CHECKS[what]():
        print(f"{name}: {'as made' if equal else 'DIFFERS'}", flush=True)
        same &= equal
sys.exit(not same)
