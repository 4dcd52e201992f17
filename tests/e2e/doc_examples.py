#!/usr/bin/env python3
"""Runs the examples of a page and compares what they print: doc_examples.py BERTH PAGE. Skips (77) without kubectl where the
page needs it.

An HTML comment before a fenced block says what to do with it; other blocks are left alone.

    <!-- test -->                    runs the lines that begin with "$ "; a backslash at the end continues one. The lines below
                                     a command are its output: "..." stands for anything in a line, and alone for any lines;
                                     blanks count as one. Without such lines the command must end with 0.
    <!-- test: sandbox ARGUMENTS --> the same, in a sandbox of the page's own, which KUBECONFIG leads to
    <!-- test: file NAME -->         writes the block to a file of that name

All blocks of a page share one shell, in an empty folder with links to examples/ and deploy/. A command that reads ("kubectl
get", "kubectl wait", "berth reboot status") or runs in the background is tried for a while; others run once."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^<!-- test(?:: ([^>]*?))? -->\n```[a-z]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PATIENCE_S = 60
READS = ("kubectl get", "kubectl describe", "kubectl logs", "berth reboot status", "grep ", "curl ")


def kubectl():
    fetched = ROOT / ".cache" / "kubectl-1.32" / "usr" / "bin" / "kubectl"
    return os.environ.get("BERTH_KUBECTL") or (str(fetched) if fetched.exists() else shutil.which("kubectl"))


def steps_of(text):
    """[(command, lines expected)] of a block"""
    steps, is_open = [], False
    for line in text.splitlines():
        if is_open:
            steps[-1][0] += "\n" + line
        elif line.startswith("$ "):
            steps.append([line[2:], []])
        elif steps:
            steps[-1][1].append(line)
        else:
            sys.exit(f'a block to run begins with "{line}", not with "$ "')
        is_open = not steps[-1][1] and steps[-1][0].endswith("\\")
    return steps


def pattern_of(expected):
    lines = []
    for line in expected:
        if line.strip() == "...":
            lines.append(r"(?:[^\n]*\n)*?")
        else:
            words = [".*".join(re.escape(part) for part in word.split("...")) for word in line.split()]
            lines.append(" ?" + r" +".join(words) + r" *\n")
    return re.compile(r"(?:[ ]*\n)*" + "".join(lines).replace(".*", "[^\\n]*") + r"(?:[ ]*\n)*")


def normal(output):
    lines = output.replace("\t", " ").splitlines()
    return "".join(re.sub(r" +", " ", line) + "\n" for line in lines if line.strip())


class Page:
    def __init__(self, berth, folder):
        self.folder, self.count, self.sandbox = folder, 0, None
        programs = folder / "bin"
        programs.mkdir()
        (programs / "berth").symlink_to(berth)
        if kubectl():
            (programs / "kubectl").symlink_to(kubectl())
        self.work = folder / "work"
        self.work.mkdir()
        for name in ("examples", "deploy"):
            (self.work / name).symlink_to(ROOT / name)
        self.env = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", HOME=str(folder), KUBECONFIG=str(folder / "kubeconfig"))
        self.shell = subprocess.Popen(["bash"], stdin=subprocess.PIPE, cwd=self.work, env=self.env, start_new_session=True)

    def end(self):
        os.killpg(self.shell.pid, 15)
        if self.sandbox:
            self.sandbox.terminate()
            self.sandbox.wait(20)
        self.shell.wait(20)

    def start_sandbox(self, arguments):
        if self.sandbox:
            return
        output = self.folder / "sandbox.out"
        with output.open("w") as out:
            self.sandbox = subprocess.Popen(
                ["berth", "sandbox", "--listen", "127.0.0.1:0", "--seed", "1", "--kubeconfig-out", self.env["KUBECONFIG"],
                 *arguments.split()], stdout=out, stderr=out, cwd=self.work, env=self.env)
        self.wait(lambda: "listening" in output.read_text())

    @staticmethod
    def wait(is_done):
        until = time.monotonic() + PATIENCE_S
        while not is_done():
            if time.monotonic() > until or time.sleep(0.1):
                return False
        return True

    def run(self, command):
        """(exit code, file of the output) of a command in the page's shell"""
        self.count += 1
        output, code = self.folder / f"out.{self.count}", self.folder / f"code.{self.count}"
        self.shell.stdin.write(f"{{ {command}\n}} >{output} 2>&1 </dev/null; echo $? >{code}.tmp; mv {code}.tmp {code}\n".encode())
        self.shell.stdin.flush()
        if not self.wait(code.exists):
            return 124, output
        return int(code.read_text()), output

    def step(self, command, expected):
        """None, or what was wrong"""
        code, output = self.run(command)
        expected = [line for line in expected if line.strip()]
        if not expected:
            return None if code == 0 else f"exit code {code}: {output.read_text()}"
        pattern, until = pattern_of(expected), time.monotonic() + PATIENCE_S
        is_patient = command.startswith(READS) or command.endswith("&")
        while not pattern.fullmatch(normal(output.read_text())):
            if not is_patient or time.monotonic() > until:
                return "expected\n" + "\n".join(expected) + "\nfound\n" + output.read_text()
            time.sleep(0.3)
            if not command.endswith("&"):
                code, output = self.run(command)
        return None


def run_page(berth, path, folder):
    """The number of commands that ran, and what failed"""
    text, ran, failures = path.read_text(), 0, []
    page = Page(berth, folder)
    try:
        for match in BLOCK.finditer(text):
            what, _, rest = (match.group(1) or "").partition(" ")
            if what == "file":
                (page.work / rest).parent.mkdir(parents=True, exist_ok=True)
                (page.work / rest).write_text(match.group(2))
                continue
            if what == "sandbox":
                page.start_sandbox(rest)
            for command, expected in steps_of(match.group(2)):
                ran += 1
                wrong = page.step(command, expected)
                if wrong:
                    line = text.count("\n", 0, match.start()) + 1
                    failures.append(f"FAIL {path.name}:{line}: {command}: {wrong}")
    finally:
        page.end()
    return ran, failures


def main():
    berth, path = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    blocks = BLOCK.findall(path.read_text())
    if any("kubectl" in body for what, body in blocks if not what.startswith("file")) and not kubectl():
        print("skipped: no kubectl")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        ran, failures = run_page(berth, path, pathlib.Path(folder))
    print("\n".join(failures + [f"{path.name}: {ran} commands, {len(failures)} failed"]))
    sys.exit(1 if failures or not ran else 0)


if __name__ == "__main__":
    main()
