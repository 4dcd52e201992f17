#!/usr/bin/env python3
"""Reports as HTML files: what is in them, how large they are, and in a real browser on a phone's width, and in the dark. The shadow's is in shadow.py.

usage: reports.py BERTH"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

import browser
import drill
from drill import judge

HOSTILE = '"><img src=x onerror=alert(1)>\u202e' + "x" * 200
SIZE_MAX = 500_000
POLICY = """apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
profiles:
- name: balance
  pluginConfig:
  - {name: DefaultEvictor, args: {nodeFit: true}}
  - name: LowNodeUtilization
    args: {thresholds: {cpu: 40, memory: 40, pods: 40}, targetThresholds: {cpu: 60, memory: 60, pods: 60}}
  - {name: PodLifeTime, args: {maxPodLifeTimeSeconds: 3600}}
  plugins:
    balance: {enabled: [LowNodeUtilization]}
    deschedule: {enabled: [PodLifeTime]}
"""


def objects(count):
    """Nodes, and eight pods on each: node 3 has more than it can, others are uneven; a name that would be markup."""
    chance = random.Random(1)
    items = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{i:04d}"},
              "status": {"allocatable": {"cpu": "16", "memory": "64Gi", "pods": "110"}}} for i in range(count)]
    for i in range(8 * count):
        at = i % count
        cpu = "4" if at == 3 else f"{chance.choice([2000, 3000]) if at % 7 == 3 else chance.choice([100, 500])}m"
        items.append({"apiVersion": "v1", "kind": "Pod",
                      "metadata": {"namespace": "shop", "name": HOSTILE if i == 3 else f"web-{i}", "uid": f"u{i}",
                                   "creationTimestamp": "2026-01-01T10:00:00Z" if i % 10 == 3 else "2026-01-01T11:59:00Z",
                                   "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "r", "controller": True}]},
                      "spec": {"nodeName": f"node-{at:04d}", "containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}]},
                      "status": {"phase": "Running"}})
    return items


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    judge(" ".join(os.path.basename(part) for part in command[:4]), done.returncode == 0, done.stderr)
    return done


def check_text(name, text):
    judge(f"{name}: nothing from elsewhere, no script, no style beside the one", not re.search(r"(src|href)=(?!x onerror)|url\(|@import|<script| style=", text), "")
    judge(f"{name}: a policy", "default-src 'none'" in text and "style-src 'sha256-" in text, text[:500])
    judge(f"{name}: names the program's version and the time", re.search(r"<dt>Made by</dt><dd>berth \d", text) and "UTC</dd>" in text, "")
    judge(f"{name}: no number as machines write them", not re.search(r"\de[+-]\d\d", text.split("</style>")[1]), "")
    judge(f"{name}: text of others is text", "<img" not in text, "")


def plan(berth, folder, count, name):
    cluster = write(os.path.join(folder, f"{count}.json"), json.dumps({"apiVersion": "v1", "kind": "List", "items": objects(count)}))
    policy = write(os.path.join(folder, "policy.yaml"), POLICY)
    page = os.path.join(folder, name)
    run(berth, "plan", "--policy", policy, "--objects", cluster, "--now", "2026-01-01T12:00:00Z", "--html", page)
    return page


def check_plan(berth, folder):
    text = read(plan(berth, folder, 40, "plan.html"))
    check_text("plan", text)
    judge("plan: the answer first", re.search(r"<h1 class=\"\w+\">\d+ pods would be evicted</h1>", text), "")
    judge("plan: cluster and policy", "<dt>Cluster</dt><dd>" in text and "policy.yaml</dd>" in text and "2026-01-01 12:00:00 UTC" in text, "")
    judge("plan: before and after in one bar", re.search(r'class="w" x="[^"]*" width="1.6"/></svg><span class="share[^>]*>\d+ % → \d+ %', text), "")
    judge("plan: over-commitment is another part", 'class="o"' in text, "")
    judge("plan: the hostile name", "&lt;img src=x onerror=alert(1)&gt;" in text, "")
    large = plan(berth, folder, 5000, "large.html")
    judge("plan: size at 5,000 nodes", os.path.getsize(large) < SIZE_MAX, os.path.getsize(large))
    judge("plan: what is left out is counted", re.search(r"and [\d,]+ more: berth plan -o json", read(large)), "")


def check_up(berth, folder):
    cluster = os.path.join(folder, "40.json")
    run(berth, "up", "--input", cluster, "--nodes", "2", "--for", "3s", "--report", os.path.join(folder, "up.html"))
    text = read(os.path.join(folder, "up.html"))
    check_text("up", text)
    judge("up: headline and nodes", re.search(r"<h1 class=\"\w+\">\d+ pods, and each has a node</h1>", text) and "Nodes, the fullest first <small>42<" in text, "")
    run(berth, "up", "--nodes", "5000", "--for", "4s", "--controllers", "kubelet", "--report", os.path.join(folder, "up-large.html"))
    size = os.path.getsize(os.path.join(folder, "up-large.html"))
    judge("up: size at 5,000 nodes", size < SIZE_MAX, size)
    run(berth, "up", "--nodes", "2", "--for", "1s", "--report", os.path.join(folder, "up.json"))
    judge("up: JSON under another name", json.loads(read(os.path.join(folder, "up.json")))["nodes"] == 2, "")


def check_study(berth, folder):
    page = os.path.join(folder, "study.html")
    run(berth, "simulate", "reboot", "--seeds", "2", "--nodes", "6", "--vary", "concurrency", "--report", page)
    text = read(page)
    check_text("study", text)
    judge("study: charts with bands", text.count('<svg class="chart"') == 3 and 'class="band"' in text, "")
    for name, words in (("evictions", "Evicted"), ("reboot", "Cordons")):
        page = os.path.join(folder, name + ".html")
        run(berth, "simulate", name, "--faults", "50", "--runs", "2", "--report", page)
        check_text(name, read(page))
        judge(f"{name}: whether a rule was broken", '<h1 class="good">2 runs, and no rule was broken</h1>' in read(page) and words in read(page), "")
    judge("study: plain labels", not re.search("conflictRate|lockWait", text), "")


def check_browser(folder, size, is_dark):
    window = browser.Browser(size, is_dark)
    for name in ("plan", "large", "up", "study", "evictions"):
        window.open("file://" + os.path.join(folder, name + ".html"))
        wide = window.run("document.querySelectorAll('details').forEach(one => one.open = true);"
                          "return [document.documentElement.scrollWidth, innerWidth]")
        judge(f"{name} at {size[0]}: nothing beyond the page's width", wide[0] <= wide[1], wide)
        judge(f"{name} at {size[0]}: the policy lets the style in", window.run("return getComputedStyle(document.querySelector('.report')).display") == "block", "")
        colours = window.run("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
        light = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours]
        judge(f"{name} at {size[0]}: {'dark' if is_dark else 'light'}", (light[0] > light[1]) == is_dark, colours)
        judge(f"{name} at {size[0]}: no image, no script", window.run("return document.querySelectorAll('img,script').length") == 0, "")
        log = window.call("POST", window.session + "/se/log", {"type": "browser"})
        judge(f"{name} at {size[0]}: the console is silent", not log, log)
    window.open("file://" + os.path.join(folder, "plan.html"))
    judge("the hostile name is text", window.run("return document.body.textContent.includes(arguments[0])", HOSTILE), "")
    window.close()


def main():
    berth = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        check_plan(berth, folder)
        check_up(berth, folder)
        check_study(berth, folder)
        if browser.is_there():
            check_browser(folder, (360, 740), True)
            check_browser(folder, (1280, 800), False)
        else:
            print("skipped: reports in a browser (no chromium and chromedriver)")
    drill.finish()


main()
