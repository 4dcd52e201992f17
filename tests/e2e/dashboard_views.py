#!/usr/bin/env python3
"""What if, evictions and reboots: the page's answers are those of the commands, in daemons, too; then all views in a real browser, by an
accessibility checker, with many nodes and viewers.

usage: dashboard_views.py BERTH"""

import json
import os
import subprocess
import sys
import tempfile

import browser
import dashboard_scene as scenes
import drill
from dashboard_page import Events, Process
from drill import judge, until

NOW = "2026-01-31T12:00:00Z"
AXE = os.path.join(os.path.dirname(__file__), "..", "..", ".cache", "axe", "axe.min.js")
VIEWS = ["cluster", "events", "pod", "whatif", "leaving"]
SHAPES = [((1280, 800), False), ((1280, 800), True), ((360, 740), False), ((360, 740), True)]
CONFIG = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}}
"""


def write_text(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    return file.name


# ---- what if ----

def planned(berth, folder, question, source):
    """What berth plan says to the same question."""
    words = [berth, "plan", "-o", "json", *source]
    for member, option in [("policy", "--policy"), ("config", "--config")]:
        if question.get(member):
            words += [option, write_text(folder, member + ".yaml", question[member])]
    for node in question.get("drain", []):
        words += ["--drain", node]
    words += ["--now", question["now"]] + (["--spared"] if question.get("spared") else [])
    told = subprocess.run(words, capture_output=True, text=True, check=False)
    judge("berth plan answers", told.returncode == 0, told.stderr)
    return json.loads(told.stdout)


def check_plans(berth, folder, page, source):
    """To the pod, and the model is as it was."""
    before = page.get("nodes")["nodes"]
    for name, question in [("a policy", {"policy": scenes.POLICY}), ("another scheduler", {"policy": scenes.POLICY, "config": CONFIG}),
                           ("a node less", {"drain": ["node-0003"]}), ("both", {"policy": scenes.POLICY, "drain": ["node-0003", "node-0004"]}),
                           ("what is spared", {"policy": scenes.POLICY, "spared": True})]:
        question["now"] = NOW
        status, answer = page.plan(question)
        told = planned(berth, folder, question, source)
        judge(f"what if: {name}", status == 200 and answer["plan"] == told, (status, answer.get("plan"), told))
        judge(f"what if: {name}: something goes", len(told["evictions"]) > 0 and len(answer["loads"]) > 0, told)
    judge("what if: nothing changed", page.get("nodes")["nodes"] == before)


def check_loads(page):
    """What comes and goes of a node is what its pods ask for."""
    nodes = page.get("nodes")
    _, answer = page.plan({"drain": ["node-0003"], "now": NOW})
    cpu = {node["name"]: node["requested"][0] for node in nodes["nodes"]}
    names = {node["id"]: node["name"] for node in nodes["nodes"]}
    for node, requested, *_ in answer["loads"]:
        gone = sum(move["node"] == names[node] for move in answer["plan"]["evictions"])
        came = sum(move.get("landing") == names[node] for move in answer["plan"]["evictions"])
        judge("loads: " + names[node], requested == cpu[names[node]] + 500 * (came - gone), (answer, cpu))
    kept = {(pod["keptBy"], pod.get("budget")) for pod in answer["plan"]["kept"]}
    judge("what keeps pods is named", kept >= {("disruption budget", "strict")}, kept)


def check_problems(page):
    bad = scenes.POLICY.replace("thresholds", "treshholds")
    for question, where, line, path, text in [
            ({"policy": bad}, "policy", 9, "profiles[0].pluginConfig[2].args", "treshholds"), ({"policy": "a: ["}, "policy", 2, "", "YAML"),
            ({"config": CONFIG + "  leaderElection: 1\n"}, "config", 8, "profiles[0].leaderElection", "unknown"),
            ({"config": CONFIG + "extenders: [{urlPrefix: 'http://127.0.0.1:1/'}]\n"}, "config", 0, "", "extenders"),
            ({"drain": ["nobody"]}, "drain", 0, "", "nobody"), ({"drain": "x"}, "drain", 0, "", "type"), ({"now": "x"}, "now", 0, "", "time"),
            ({"more": 1}, "question", 0, "", "more"), ({}, "question", 0, "", "policy"), ([], "question", 0, "", "object")]:
        status, said = page.plan(question)
        problem = said["problems"][0]
        is_there = problem["in"] == where and problem["line"] == line and problem["path"].startswith(path) and text in problem["text"] + problem["path"]
        judge(f"problem of {where}: {text}", status == 422 and is_there, said)
    status, said = page.plan({"drain": ["node-0003"]}, "pdf")
    judge("no such form", status == 400, said)


def check_exports(page):
    question = {"policy": scenes.POLICY, "drain": ["node-0003"], "now": NOW}
    moves = page.plan(question)[1]["plan"]["evictions"]
    status, html = page.plan(question, "html")
    judge("as HTML", status == 200 and all(move["name"] in html for move in moves) and "<script" not in html, html[:300])
    for form in ["berth", "kubectl"]:
        status, script = page.plan(question, form)
        checked = subprocess.run(["sh", "-n"], input=script, capture_output=True, text=True, check=False)
        judge(f"as {form} commands", status == 200 and checked.returncode == 0 and script.count("evict") >= len(moves) and
              "kubectl cordon -- 'node-0003'" in script, (checked.stderr, script))


def check_quoting(berth, folder):
    """A dump may hold any name: none of it runs."""
    hostile = "a'$(touch OOPS)`touch OOPS`\nb"
    path = scenes.write(os.path.join(folder, "hostile.json"), [scenes.node("n1", "a"), scenes.node(hostile, "a"), scenes.pod(hostile, hostile)])
    page = Process(berth, "dashboard", "--input", path, "--listen", "127.0.0.1:0")
    for form in ["berth", "kubectl"]:
        _, script = page.plan({"drain": [hostile], "now": NOW}, form)
        ran = subprocess.run(["sh", "-c", "berth() { printf '%s\\0' \"$@\"; }; kubectl() { berth \"$@\"; }\n" + script], cwd=folder, capture_output=True, text=True,
                             check=False)
        judge(f"{form} commands: names are words", ran.returncode == 0 and f"cordon\0--\0{hostile}\0" in ran.stdout and
              not os.path.exists(os.path.join(folder, "OOPS")), (script, ran.stdout, ran.stderr))
    judge("quoting: ends", page.end() == 0)


def check_what_if(berth, folder, with_browser):
    path = scenes.write(os.path.join(folder, "plan.json"), scenes.planning())
    page = Process(berth, "dashboard", "--input", path, "--listen", "127.0.0.1:0")
    check_plans(berth, folder, page, ["--objects", path])
    check_loads(page)
    check_problems(page)
    check_exports(page)
    judge("no policy to begin with", page.get("plan")["policy"] == "")
    if with_browser:
        check_what_if_view(page)
        check_shapes(page, "plan", lambda window: ask_in_view(window, {"policy": scenes.POLICY}))
    judge("what if: ends", page.end() == 0)
    check_quoting(berth, folder)


# ---- evictions and reboots ----

def check_leaving(berth, folder, with_browser):
    path = scenes.write(os.path.join(folder, "leaving.json"), scenes.leaving())
    page = Process(berth, "dashboard", "--input", path, "--listen", "127.0.0.1:0")
    told = page.get("evictions")
    pods = {pod["name"]: pod for pod in told["pods"]}
    judge("evictions: under way first", [pod["open"] for pod in told["pods"]] == [True, True, True, False] and told["open"] == 3, told)
    first = pods["db-0"]
    judge("evictions: who asked", [(each["by"], "deadline" in each) for each in first["asked"]] == [("reboot.berth.dev/drain", True),
                                                                                              ("descheduler.berth.dev/evict", False)], first)
    judge("evictions: stages", [(stage["name"], stage["p50Seconds"], stage["samples"]) for stage in first["policy"]["stages"]] ==
          [("hand-over", 31, 5), ("peers-ready", 300, 0), ("evict", 12, 5)], first)
    judge("evictions: what became of it", (first["outcome"], pods["gone-1"]["outcome"]) == ("AwaitingEviction", "PodDeleted"), told)
    judge("evictions: of one pod", [pod["name"] for pod in page.get("evictions?namespace=shop&name=web-1")["pods"]] == ["web-1"])
    lone = page.get("evictions?namespace=shop&name=db-1")["pods"]
    judge("evictions: a pod that nobody wants gone", lone[0]["asked"] == [] and len(lone[0]["policy"]["stages"]) == 3, lone)
    judge("evictions: found", page.get("evictions?find=nobody")["found"] == 1)
    reboots = page.get("reboots")
    judge("reboots: phases", [(node["name"], node["phase"], node["holdsLock"]) for node in reboots["nodes"]] == [
        ("node-1", "Rebooting", True), ("node-2", "Draining", True), ("node-3", "Blocked", False), ("node-4", "Queued", False),
        ("node-5", "Wanted", False)], reboots)
    judge("reboots: lock", [each["node"] for each in reboots["lock"]["holders"]] == ["node-1", "node-2"], reboots)
    if with_browser:
        check_leaving_view(page)
        check_shapes(page, "leaving", lambda window: None)
    judge("leaving: ends", page.end() == 0)


def check_leaving_view(page):
    window = browser.Browser()
    window.open(page.url)
    until("the file is shown", lambda: window.text("#status") == "From a file")
    window.run("location.hash = '#leaving'")
    shown = lambda: window.text("#leaving") or ""
    until("evictions", lambda: "shop/db-0" in shown() and "node-5" in shown())
    for text in ["deadline in", "peers-ready", "1 of 2 other pods ready, attempt 2", "31 s, p95 2 min", "reboot.berth.dev/drain", "3 under way, 1 over",
                 "The lock is held by node-1", "1 rebooting", "node-1, node-2 hold the lock", "2 failures in a row", scenes.HOSTILE]:
        judge("leaving: " + text[:30], text in shown(), shown())
    window.run("location.hash = '#pod/shop/db-0'")
    until("the pod's eviction", lambda: "peers-ready" in (window.text("#pod-eviction") or ""))
    window.run("location.hash = '#pod/shop/db-1'")
    until("how a pod would be evicted", lambda: "How it would be evicted" in (window.text("#pod-eviction") or ""))
    seen = window.run("return [...document.querySelectorAll('*')].map((each) => each.localName)")
    judge("leaving: texts are text", "img" not in seen and window.log() == [], window.log())
    window.close()


# ---- daemons ----

def check_daemons(berth, folder):
    """A role serves the page of its own cluster, where nobody has the definitions of evictions."""
    port = drill.free_port()
    sandbox = Process(berth, "sandbox", "--nodes", "3", "--listen", f"127.0.0.1:{port}", "--kubeconfig-out", os.path.join(folder, "kubeconfig"), "--dashboard")
    cluster = ["--kubeconfig", os.path.join(folder, "kubeconfig"), "--dashboard", "--secure-port", "0"]
    policy = write_text(folder, "daemon.yaml", scenes.POLICY)
    for name, words in [("scheduler", ["scheduler"]), ("descheduler", ["descheduler", "--policy-config-file", policy, "--descheduling-interval", "1h"]),
                        ("run", ["run", "--roles", "scheduler,descheduler", "--policy-config-file", policy, "--descheduling-interval", "1h"])]:
        page = Process(berth, *words, *cluster)
        until(f"{name}: the cluster", lambda: (found := page.get("cluster")) and found["ready"] and found["headline"]["nodes"] == 3)
        judge(f"{name}: no evictions", page.get("evictions")["pods"] == [] and page.get("reboots")["nodes"] == [])
        judge(f"{name}: the policy", ("HighNodeUtilization" in page.get("plan")["policy"]) == (name != "scheduler"), page.get("plan"))
        status, answer = page.plan({"drain": [page.get("nodes")["nodes"][0]["name"]]})
        judge(f"{name}: it plans", status == 200 and answer["plan"]["nodes"] == 3, answer)
        judge(f"{name}: ends", page.end() == 0)
    judge("sandbox: ends", sandbox.end() == 0)


def check_live(berth, folder, with_browser):
    """A live cluster: the plan is that of berth plan, on what the API server shows."""
    path = scenes.write(os.path.join(folder, "live.json"), scenes.planning())
    up = Process(berth, "up", "--input", path, "--dashboard", "--controllers", "kubelet,node-lifecycle-controller")
    config = until("kubeconfig", lambda: up.found(r"kubeconfig (\S+)"))
    until("all pods", lambda: (found := up.get("cluster"))["ready"] and found["headline"]["pods"] == sum(each["kind"] == "Pod" for each in scenes.planning()))
    check_plans(berth, folder, up, ["--kubeconfig", config])
    viewers = [Events(up) for _ in range(20)]
    judge("20 viewers", all(viewer.answer.status == 200 and viewer.next()[0] == "changes" for viewer in viewers))
    if with_browser:
        check_again(berth, config)
    judge("live: ends", up.end() == 0)


def check_again(berth, config):
    """The process ends and another one begins: the page says so, and its new address works."""
    port = drill.free_port()
    words = ["dashboard", "--kubeconfig", config, "--listen", f"127.0.0.1:{port}"]
    page, window = Process(berth, *words), browser.Browser()
    window.open(page.url)
    until("the page is live", lambda: window.text("#status") == "Live")
    page.end()
    until("the page has noticed", lambda: "No connection" in window.text("#status"))
    page = Process(berth, *words)
    until("the visit has ended", lambda: "visit has ended" in window.text("#status"))
    window.open(page.url)
    until("it is live again", lambda: window.text("#status") == "Live" and "12 nodes" in window.text("#found"))
    window.close()
    judge("dashboard: ends", page.end() == 0)


# ---- in a browser ----

def ask_in_view(window, question):
    window.run("""document.getElementById('what-clear').click();
      for (const [key, value] of Object.entries(arguments[0])) document.getElementById('what-' + key).value = value;
      document.getElementById('what-headline')?.remove(); document.getElementById('what-ask').click()""", question)
    until("an answer", lambda: window.text("#what-headline") or window.text(".problems li"))


def check_what_if_view(page):
    window = browser.Browser()
    window.open(page.url)
    until("the pods", lambda: "12 nodes" in (window.text("#found") or ""))
    window.run("location.hash = '#whatif'")
    ask_in_view(window, {"policy": scenes.POLICY.replace("thresholds", "treshholds")})
    judge("what if: line and path", "line 9" in window.text("#what-policy-problems") and "pluginConfig[2]" in window.text("#what-policy-problems"),
          window.text("#what-policy-problems"))
    window.run("document.querySelector('#what-policy-problems button').click()")
    chosen = window.run("const area = document.getElementById('what-policy'); return area.value.slice(area.selectionStart, area.selectionEnd)")
    judge("what if: the line is chosen", "treshholds" in chosen, chosen)
    window.run("document.getElementById('what-map').focus()")
    for key in ["ArrowRight", "ArrowRight", "Enter"]:
        window.press(key)
    taken = window.text("#what-taken")
    judge("what if: a node by key", "node-0003" in taken and "taken away" in window.run("return document.getElementById('spoken').textContent"), taken)
    window.run("document.getElementById('what-policy').value = arguments[0]; document.getElementById('what-ask').click()", scenes.POLICY)
    until("an answer", lambda: window.text("#what-headline"))
    _, answer = page.plan({"policy": scenes.POLICY, "drain": ["node-0003"]})
    plan = answer["plan"]
    window.run("for (const each of document.querySelectorAll('#what-body details')) each.open = true")
    rows = lambda part: window.run("return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map((row) => row.querySelector('th').textContent)", part)
    until("moves", lambda: rows("#what-moves"))
    judge("what if: the pods that go", sorted(rows("#what-moves")) == sorted(f"{each['namespace']}/{each['name']}" for each in plan["evictions"]))
    judge("what if: the pods that stay", sorted(rows("#what-kept")) == sorted(f"{each['namespace']}/{each['name']}" for each in plan["kept"]))
    judge("what if: what keeps them", "disruption budget: strict" in window.text("#what-kept"), window.text("#what-kept"))
    judge("what if: the moves are drawn", window.run("return document.getElementById('what-canvas').width") > 0)
    log = [entry for entry in window.log() if "422" not in entry["message"]]
    judge("what if: nothing went wrong", log == [], log)
    window.close()


def serious(window):
    """What an accessibility checker finds serious or critical; None without one."""
    if not os.path.exists(AXE):
        return None
    with open(AXE, encoding="utf-8") as file:
        source = file.read()
    window.run("if (!window.axe) { " + source + " }")
    window.run("window.found = null; axe.run(document, { resultTypes: ['violations'] }).then((result) => { window.found = result.violations; })")
    found = until("the accessibility checker", lambda: window.run("return window.found && { all: window.found }"))["all"]
    return [(each["id"], [node["html"][:200] + " " + (node.get("failureSummary") or "")[:300] for node in each["nodes"][:3]]) for each in found
            if each["impact"] in ("serious", "critical")]


def check_shapes(page, name, prepare):
    """Every view, wide and narrow, light and dark: fits, nothing goes wrong, no serious finding."""
    for size, is_dark in SHAPES:
        window = browser.Browser(size, is_dark)
        window.open(page.url)
        until("the page", lambda: window.text("#status") in ("Live", "From a file"))
        for view in VIEWS:
            window.run("location.hash = arguments[0]", "#" + (view if view != "pod" else "pod/shop/db-0" if name == "leaving" else "pod/shop/web-1-0"))
            until("the view " + view, lambda: window.run("return !document.querySelector(`main[data-of=${arguments[0]}]`).hidden", view))
            if view == "whatif":
                prepare(window)
            if view == "pod":
                until("the pod", lambda: window.text("#pod-body h2"))
            if view == "leaving" and name == "leaving":
                until("evictions", lambda: "shop/db-0" in (window.text("#leaving") or ""))
            where = f"{name}, {view}, {size[0]} {'dark' if is_dark else 'light'}"
            judge(where + ": fits", window.run("return document.documentElement.scrollWidth <= innerWidth"))
            found = serious(window)
            judge(where + ": accessible", not found, found)
        judge(f"{name}, {size[0]}: nothing went wrong", window.log() == [], window.log())
        window.close()


PANNING = """
const map = document.getElementById(arguments[0]);
window.frames_ms = null;
const times = [];
let last = performance.now();
const step = (now) => {
  times.push(now - last);
  last = now;
  map.scrollTop = (map.scrollTop + 37) % Math.max(1, map.scrollHeight - map.clientHeight);
  if (times.length < 90) requestAnimationFrame(step);
  else window.frames_ms = times.slice(5).sort((a, b) => a - b);
};
requestAnimationFrame(step);"""


def pan(window, what, element):
    window.run(PANNING, element)
    times = until("90 frames", lambda: window.run("return window.frames_ms"))
    print(f"frames while panning {what}: median {times[len(times) // 2]:.1f} ms, 95th percentile {times[len(times) * 95 // 100]:.1f} ms")


def check_many(berth, folder):
    """5,000 nodes: every view opens, a plan is that of berth plan, and the maps move."""
    path = scenes.write(os.path.join(folder, "many.json"), scenes.planning(5000))
    page, window = Process(berth, "dashboard", "--input", path, "--listen", "127.0.0.1:0"), browser.Browser()
    question = {"policy": scenes.POLICY, "drain": ["node-0003"], "now": NOW}
    window.open(page.url)
    until("the nodes", lambda: "5,000 nodes" in (window.text("#found") or ""))
    pan(window, "5,000 nodes", "map")
    window.run("for (let i = 0; i < 4; i++) document.getElementById('in').click()")
    pan(window, "5,000 nodes in detail", "map")
    window.run("location.hash = '#whatif'")
    ask_in_view(window, {"policy": scenes.POLICY})
    _, answer = page.plan(question)
    judge("many: the plan", answer["plan"] == planned(berth, folder, question, ["--objects", path]))
    moved = [len(page.plan({"policy": scenes.POLICY})[1]["plan"]["evictions"]), window.text("#what-headline")]
    judge("many: the headline", f"{moved[0]:,} pods go" in moved[1], moved)
    pan(window, "a plan of 5,000 nodes", "what-map")
    for view in ["events", "leaving", "pod/shop/web-1-0"]:
        window.run("location.hash = arguments[0]", "#" + view)
    until("a pod of many", lambda: window.text("#pod-body h2") == "web-1-0")
    judge("many: nothing went wrong", window.log() == [], window.log())
    window.close()
    judge("many: ends", page.end() == 0)


def main():
    berth = sys.argv[1]
    with_browser = browser.is_there()
    with tempfile.TemporaryDirectory() as folder:
        check_what_if(berth, folder, with_browser)
        check_leaving(berth, folder, with_browser)
        check_daemons(berth, folder)
        check_live(berth, folder, with_browser)
        if with_browser:
            check_many(berth, folder)
    if not with_browser:
        print("skipped: the views in a browser (no chromium and chromedriver)")
    elif not os.path.exists(AXE):
        print("skipped: accessibility (no axe-core, which scripts/setup.sh check fetches)")
    drill.finish()


main()
