"""Files of a stranger: policies, kubeconfigs, objects and configurations that are bombs. See hostile_inputs.py and hostile_requests.py for
what entries are. No command may take long or much memory, end by a signal, or accept one."""

import os
import resource
import subprocess

from hostile_requests import YAML_BOMBS, mutated

CPU_SECONDS, MEMORY_MIB = 10, 400  # what refusing a file may take; more under sanitizers
MAY_BE_FINE = ("empty documents", "changed")
COMMANDS = {
    "policy": lambda berth, file: [berth, "plan", "--objects", os.devnull, "--policy", file],
    "kubeconfig": lambda berth, file: [berth, "scheduler", "--kubeconfig", file],
    "configuration": lambda berth, file: [berth, "scheduler", "--config", file],
    "objects": lambda berth, file: [berth, "up", "--settle", "--input", file],
    "plan's objects": lambda berth, file: [berth, "explain", "--objects", file],
}


def run(server, command, codes):
    """Whether it ends by itself in bounds, with one of these codes and a word; and what happened."""
    seconds = CPU_SECONDS * (10 if server.is_sanitized else 1)
    def bounded():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with open(server.work / "said", "w+", encoding="utf-8", errors="replace") as said:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, preexec_fn=bounded)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        text = said.read()
    is_small = used.ru_maxrss >> 10 < MEMORY_MIB * (4 if server.is_sanitized else 1)
    is_fine = process.returncode in codes and is_small and text and "Sanitizer" not in text and "runtime error" not in text
    return bool(is_fine), f"exit code {process.returncode}, {used.ru_maxrss >> 10} MiB, {used.ru_utime:.1f} s: {text[:200]}"


def files(server, dice, size):
    depth = int(1000000 * size)
    contents = {name: bomb(dice).encode() for name, bomb in YAML_BOMBS.items()}
    contents.update({
        "arrays": b"[" * depth, "a list in lists": b"- " * depth, "objects": b'{"a":' * depth, "noise": dice.randbytes(100000), "NULs": b"\0" * depth,
        "a long key": b"x" * depth + b": 1\n", "unknown fields": b"".join(b"unknown%d: 1\n" % n for n in range(depth // 20)),
        "empty documents": b"---\n" * depth, "a text that does not end": b'a: "' + b"x" * depth, "changed": mutated(
            dice, b"apiVersion: v1\nkind: Config\nclusters:\n- {name: &a c, cluster: {server: *a}}\nusers: [{name: u, user: {}}]\n")})
    path = server.work / "hostile.yaml"
    for name, content in contents.items():
        path.write_bytes(content)
        for kind, command_of in COMMANDS.items():
            is_fine, said = run(server, command_of(server.berth, str(path)), (0, 1) if name in MAY_BE_FINE else (1,))
            yield f"{name} as {kind}: {said if not is_fine else ''}", is_fine, "refused"


ENTRIES = [files]
