"""The table: one line per thing that was done, as soon as it was seen."""

import sys

WIDTHS = (18, 50, 40, 40)


class Report:
    def __init__(self, out=sys.stdout):
        self.out, self.failed, self.count, self.row = out, [], 0, ""
        self.write(("row", "what was done", "expected", "seen"), "ok?")
        self.write(["-" * width for width in WIDTHS], "------")

    def write(self, cells, verdict):
        text = " | ".join(f"{cell:<{width}}" for cell, width in zip(cells, WIDTHS))
        print(f"{text} | {verdict}".rstrip(" |"), file=self.out, flush=True)

    def line(self, what, expected, seen, is_good=None):
        """Without a verdict, what was seen has to be what was expected."""
        is_good = str(expected) == str(seen) if is_good is None else bool(is_good)
        self.count += 1
        if not is_good:
            self.failed.append(f"{self.row}: {what}")
        self.write((self.row, what, str(expected), str(seen)), "ok" if is_good else "FAILED")
        return is_good

    def note(self, what, seen):
        """A figure that nothing is demanded of."""
        self.write((self.row, what, "", str(seen)), "")

    def end(self):
        print(f"{self.count - len(self.failed)} ok, {len(self.failed)} failed")
        return 1 if self.failed else 0
