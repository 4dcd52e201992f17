#!/usr/bin/env python3
"""Fails when a header does not compile on its own, in C or included twice."""

import concurrent.futures
import os
import shlex
import subprocess

from source_text import arguments, c_files, finish

FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def compile_alone(root, header):
    """The compiler's first complaint about a file that includes nothing but this header, twice; or None."""
    name = header.relative_to("src").as_posix()
    run = subprocess.run([*shlex.split(os.environ.get("CC", "gcc")), *FLAGS, f"-I{root / 'src'}", "-x", "c", "-"],
                         input=f'#include "{name}"\n#include "{name}"\ntypedef int not_empty;\n',
                         capture_output=True, text=True)
    complaints = [line for line in run.stderr.splitlines() if "error:" in line] or run.stderr.splitlines()
    return f"{header}: {complaints[0]}" if run.returncode else None


def main():
    root = arguments(__doc__).parse_args().root.resolve()
    headers = [path for path in c_files(root, "src") if path.suffix == ".h"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = pool.map(lambda header: compile_alone(root, header), headers)
    finish("headers", [complaint for complaint in complaints if complaint], f"{len(headers)} headers")


if __name__ == "__main__":
    main()
