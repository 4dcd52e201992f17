"""Programs that the suite starts: their logs, what they used, how they end."""

import os
import pathlib
import re
import signal
import subprocess
import time

TICKS = os.sysconf("SC_CLK_TCK")
FORBIDDEN = re.compile(r"forbidden|\b403\b", re.IGNORECASE)


class Process:
    def __init__(self, name, words, folder, environment=None):
        self.name, self.words, self.log = name, [str(word) for word in words], folder / f"{name}.log"
        self.environment, self.child = environment, None
        self.start()

    def start(self):
        with self.log.open("ab") as log:
            self.child = subprocess.Popen(self.words, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                          env={**os.environ, **(self.environment or {})})

    def is_alive(self):
        return self.child.poll() is None

    def send(self, number):
        if self.is_alive():
            self.child.send_signal(number)

    def stop(self, number=signal.SIGTERM, patience=30):
        """Ends it, by force if it takes longer than patience; its exit code."""
        self.send(number)
        try:
            return self.child.wait(patience)
        except subprocess.TimeoutExpired:
            self.child.kill()
            return self.child.wait()

    def text(self):
        return self.log.read_text(errors="replace")

    def lines(self, pattern):
        return [line for line in self.text().splitlines() if re.search(pattern, line)]

    def forbidden(self):
        return [line for line in self.text().splitlines() if FORBIDDEN.search(line)]

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident(self, field="VmRSS"):
        """MiB."""
        for line in pathlib.Path(f"/proc/{self.child.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
        return 0.0


def wait_until(condition, patience=120, pause=0.2):
    """The first true answer, or the last one after patience."""
    end = time.monotonic() + patience
    while True:
        found = condition()
        if found or time.monotonic() > end:
            return found
        time.sleep(pause)
