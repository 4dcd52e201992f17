#!/usr/bin/env python3
"""Pictures of the live page for the documentation, by chromium: of the demo cluster at its end, and of clusters as files.

usage: dashboard_pictures.py BERTH FOLDER"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests", "e2e"))

import browser  # noqa: E402
import dashboard_scene as scenes  # noqa: E402
from dashboard_page import Process  # noqa: E402
from drill import until  # noqa: E402

SIZE_MAX = 200 * 1000
# name, size, dark, address of the view, a script, what the page says then
PICTURES = [("cluster", (1280, 800), False, "#cluster", "", "Nodes"),
            ("events", (1120, 640), True, "#events", "document.querySelector('[data-kind=placed]').click()", "RemovePodsViolatingNodeTaints"),
            ("pod", (1280, 800), False, "#pod/default/giant", "", "Smallest change"),
            ("phone", (360, 740), True, "#pod/default/giant", "", "Smallest change")]
PLAN = """
setTimeout(() => {
  document.getElementById('what-policy').value = %s;
  document.getElementById('what-drain').value = 'node-0003';
  document.getElementById('what-take').click();
  document.getElementById('what-ask').click();
}, 500);""" % json.dumps(scenes.POLICY)
FILES = [("shop.json", scenes.planning(36), ("whatif", (1280, 900), False, "#whatif", PLAN, "pods go")),
         ("shop.json", scenes.leaving("disk pressure alert is firing"), ("leaving", (1280, 900), False, "#leaving", "", "node-5"))]


def take(url, folder, picture):
    name, size, is_dark, view, script, words = picture
    window = browser.Browser(size, is_dark)
    try:
        window.open(url)
        until("the page is live", lambda: window.text("#status") in ("Live", "From a file"))
        window.run("location.hash = arguments[0]; " + script, view)
        until("the view " + view, lambda: words in window.text("body"))
        path = os.path.join(folder, f"dashboard-{name}.png")
        window.picture(path)
        if os.path.getsize(path) > SIZE_MAX:
            raise SystemExit(f"{path}: more than {SIZE_MAX} bytes")
    finally:
        window.close()


def main():
    berth, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    lines = []
    demo = subprocess.Popen([berth, "up", "--input", "examples/demo", "--descheduling-interval", "2s", "--dashboard"], stdout=subprocess.PIPE, text=True)
    threading.Thread(target=lambda: lines.extend(iter(demo.stdout.readline, "")), daemon=True).start()
    try:
        url = until("address of the page", lambda: (match := re.search(r"dashboard (\S+)", "".join(lines))) and match.group(1))
        until("the end of the story", lambda: "more than any node has" in "".join(lines))
        for picture in PICTURES:
            take(url, folder, picture)
    finally:
        demo.terminate()
        demo.wait()
    berth, folder = os.path.abspath(berth), os.path.abspath(folder)
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        for name, objects, picture in FILES:
            scenes.write(name, objects)
            page = Process(berth, "dashboard", "--input", name, "--listen", "127.0.0.1:0")
            take(page.url, folder, picture)
            page.end()


main()
