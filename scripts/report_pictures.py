#!/usr/bin/env python3
"""A picture of a report for the documentation: of the demo cluster at its end, by chromium.

usage: report_pictures.py BERTH FOLDER"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests", "e2e"))

import browser  # noqa: E402

SIZE_MAX = 200 * 1000
PICTURES = [("up", (1120, 760), False)]


def main():
    berth, folder = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        page = os.path.join(work, "report.html")
        subprocess.run([berth, "up", "--input", "examples/demo", "--descheduling-interval", "2s", "--for", "45s", "--report", page],
                       stdout=subprocess.DEVNULL, check=True)
        for name, size, is_dark in PICTURES:
            window = browser.Browser(size, is_dark)
            window.open("file://" + page)
            path = os.path.join(folder, f"report-{name}.png")
            window.picture(path)
            window.close()
            if os.path.getsize(path) > SIZE_MAX:
                raise SystemExit(f"{path}: more than {SIZE_MAX} bytes")


main()
