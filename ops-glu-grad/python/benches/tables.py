"""Every table beside PyTorch, at AVX2 and at AVX-512 if the CPU has it: `python tables.py [--rounds N] [--clock cpu]`.

Takes most of an hour on two cores. Arguments are passed on to each benchmark.
"""

import pathlib
import platform
import subprocess
import sys

import torch

BENCHMARKS = ("blocks", "rows", "optimizers", "doubles")


def processor():
    """The name of the CPU."""
    facts = pathlib.Path("/proc/cpuinfo")
    if not facts.exists():
        return platform.machine()
    # The first CPU's lines come first.
    lines = [line.split(":", 1) for line in facts.read_text().split("\n\n")[0].splitlines() if ":" in line]
    of = {name.strip(): value.strip() for name, value in lines}
    return f"{of.get('model name')}, family {of.get('cpu family')}, model {of.get('model')}"


def main():
    print(processor())
    levels = ["avx512", "avx2"] if torch.backends.cpu.get_cpu_capability() == "AVX512" else ["avx2"]
    for benchmark in BENCHMARKS:
        for level in levels:
            print(f"\n## {benchmark}, {level}\n", flush=True)
            program = pathlib.Path(__file__).with_name(f"{benchmark}.py")
            subprocess.run([sys.executable, program, "--level", level, *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
