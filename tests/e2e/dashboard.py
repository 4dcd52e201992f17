#!/usr/bin/env python3
"""The live page over its sockets: who is let in, what the documents hold, what changes bring; then in a real browser.

usage: dashboard.py BERTH"""

import json
import os
import re
import subprocess
import sys
import tempfile

import browser
import drill
from dashboard_page import Events, Process
from drill import judge, until

HOSTILE = '"><img src=x onerror=alert(1)>'


def check_door(page):
    cookie = None
    answer, body = page.ask(page.url.replace(f"http://127.0.0.1:{page.port}", ""))
    judge("first visit", answer.status == 200 and b'url=/"' in body and page.token.encode() not in body, body)
    given = answer.headers["Set-Cookie"]
    judge("cookie", all(part in given for part in ["HttpOnly", "SameSite=Strict", "Path=/"]) and page.token not in given, given)
    cookie = {"Cookie": given.split(";")[0]}
    cases = [("cookie opens", "/", cookie, 200), ("no cookie", "/", {}, 401), ("no cookie for data", "/api/berth/v1/pods", {}, 401),
             ("no cookie for a script", "/app.js", {}, 401), ("wrong token", "/?token=" + "0" * 48, {}, 401),
             ("wrong cookie", "/", {"Cookie": cookie["Cookie"][:-1] + "x"}, 401), ("wrong bearer", "/", {"Authorization": "Bearer x"}, 401),
             ("another host", "/", {**cookie, "Host": "evil.example"}, 421), ("token for another host", "/?token=" + page.token,
                                                                             {"Host": "evil.example"}, 421),
             ("another origin", "/api/berth/v1/pods", {**cookie, "Origin": "http://evil.example"}, 403),
             ("localhost", "/", {**cookie, "Host": "localhost:1"}, 200), ("nothing there", "/etc/passwd", cookie, 404),
             ("no folders", "/../ui/app.js", cookie, 404)]
    for name, path, headers, status in cases:
        answer, body = page.ask(path, headers)
        judge(name, answer.status == status, (answer.status, body))
        policy = answer.headers["Content-Security-Policy"] or ""
        judge(name + ": headers", "default-src 'none'" in policy and "unsafe" not in policy and answer.headers["X-Content-Type-Options"] == "nosniff",
              answer.headers)
    own = {**cookie, "Origin": f"http://127.0.0.1:{page.port}"}
    judge("reads only", page.ask("/api/berth/v1/pods", own, "POST")[0].status == 405)
    check_question_door(page, cookie, own)


def check_question_door(page, cookie, own):
    """Questions are posted: by the page itself, or by a script with the token."""
    json_type, bearer = {"Content-Type": "application/json"}, {"Authorization": "Bearer " + page.token}
    cases = [("the page asks", {**own, **json_type}, b"{}", 422), ("a script asks", {**bearer, **json_type}, b"{}", 422),
             ("nobody asks", json_type, b"{}", 403), ("no origin", {**cookie, **json_type}, b"{}", 403),
             ("another origin asks", {**cookie, **json_type, "Origin": "http://evil.example"}, b"{}", 403),
             ("another port asks", {**cookie, **json_type, "Origin": "http://127.0.0.1:1"}, b"{}", 403),
             ("another site asks", {**own, **json_type, "Sec-Fetch-Site": "same-site"}, b"{}", 403),
             ("a form asks", {**own, "Content-Type": "text/plain"}, b"{}", 415), ("no type", own, b"{}", 415), ("nothing is asked", {**own, **json_type}, b"", 400),
             ("no JSON", {**own, **json_type}, b"{", 422), ("too much is asked", {**own, **json_type}, b" " * ((1 << 20) + 1), 413)]
    for name, headers, body, status in cases:
        answer, said = page.ask("/api/berth/v1/plan", headers, "POST", body)
        judge("question: " + name, answer.status == status, (answer.status, said))


def check_documents(page):
    cluster = until("a complete model", lambda: (found := page.get("cluster")) and found["headline"]["pods"] == 7 and found)
    headline = cluster["headline"]
    judge("headline", (headline["nodes"], headline["placed"], headline["states"]["waiting"]) == (3, 6, 1), headline)
    nodes, pods = page.get("nodes"), page.get("pods")
    names = [resource["name"] for resource in nodes["resources"]]
    judge("nodes", sorted(node["name"] for node in nodes["nodes"]) == ["node-0", "node-1", "node-2"] and names[:2] == ["cpu", "memory"], nodes)
    rows = [dict(zip(pods["columns"], row)) for row in pods["pods"]]
    requested = {node["id"]: node["requested"][0] for node in nodes["nodes"]}
    for node in requested:
        judge("sums agree", sum(row["cpu"] for row in rows if row["node"] == node) == requested[node], rows)
    judge("waiting pod", [row["name"] for row in rows if row["state"] == "waiting"] == ["huge"], rows)
    return nodes


def check_changes(page, nodes, api):
    since = f"{nodes['instance']}-{nodes['generation']}"
    events = Events(page, since)
    judge("first event", events.next()[0] == "changes")
    status, _ = api("POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": "late", "labels": {"x": "y"}}, "spec": {
        "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "100m"}}}]}})
    judge("created", status == 201, status)
    rows = []
    while not any(row[2] == "late" and row[3] is not None for row in rows):
        kind, event = events.next()
        judge("changes", kind == "changes", kind)
        rows += event["pods"]
    judge("load", any(load[0] == rows[-1][3] for load in event["loads"]) or event["loads"], event)
    judge("foreign position", Events(page, "0-5").next()[0] == "reset")
    judge("position of the future", Events(page, f"{nodes['instance']}-99999999").next()[0] == "reset")
    judge("a browser's position", Events(page, "0-5", since).next()[0] == "changes")
    many = [Events(page) for _ in range(40)]
    refused = [each for each in many if each.answer.status == 503]
    judge("viewers are limited", 8 <= len(refused) < 20, len(refused))


def check_page(page, size, is_dark):
    window = browser.Browser(size, is_dark)
    name = f"{size[0]} {'dark' if is_dark else 'light'}"
    try:
        window.open(page.url)
        until("the page is live", lambda: window.text("#status") == "Live")
        judge(name + ": no token in the address", window.run("return location.href") == f"http://127.0.0.1:{page.port}/")
        judge(name + ": found", "3 nodes" in window.text("#found"), window.text("#found"))
        until("figures", lambda: "Pods waiting" in (window.text("#figures") or ""))
        judge(name + ": fits", window.run("return document.documentElement.scrollWidth <= innerWidth"))
        for words, found in [("web-3", "1 of 3 nodes, 1 pod"), ("state:waiting", "0 of 3 nodes, 1 pod"), ("is:tainted", "1 of 3 nodes"),
                             ("topology.kubernetes.io/zone=z1 web", "1 of 3 nodes"), ("state:waiting is:tainted", "0 of 3 nodes, 0 pods"),
                             ("", "3 nodes")]:
            window.run("const find = document.getElementById('find'); find.value = arguments[0]; find.dispatchEvent(new Event('input'))", words)
            until("search for " + words, lambda: window.text("#found").startswith(found))
        for zoom in ["out", "out", "out", "in", "in"]:
            window.run("document.getElementById(arguments[0]).click()", zoom)
        window.run("document.getElementById('waiting').click()")
        judge(name + ": waiting pods", "huge" in window.text("#panel"), window.text("#panel"))
        window.run("document.querySelector('#panel a.why').click()")
        until("why it waits", lambda: "fits on none of 3 nodes" in (window.text("#pod-body") or ""))
        judge(name + ": the pod fits the page", window.run("return document.documentElement.scrollWidth <= innerWidth"))
        window.run("location.hash = '#cluster'")
        until("the map again", lambda: window.run("return !document.querySelector('main.stage').hidden"))
        window.run("document.getElementById('map').focus()")
        window.press("ArrowRight")
        judge(name + ": a node is spoken of", "node-0: cpu" in window.run("return document.getElementById('spoken').textContent"))
        window.press("Enter")
        judge(name + ": a node is shown", window.text("#panel h2") == "node-0", window.text("#panel"))
        window.press("Escape")
        judge(name + ": closed", window.run("return document.getElementById('panel').hidden"))
        log = window.log()
        judge(name + ": nothing went wrong", log == [], log)
    finally:
        window.close()


POD_TABLES = """
const text = (row, selector) => [...row.querySelectorAll(selector)].map((each) => each.textContent.trim());
return [...document.querySelectorAll('#nodes tbody tr')].map((row) => ({
  node: row.querySelector('th').firstChild.textContent, total: text(row, '.total')[0] ?? null, scores: text(row, '.score b'), raw: text(row, '.score small'),
  why: text(row, '.why li')}));"""


def shown_node(node):
    """A node of an explanation as the page's tables have it."""
    scores = node.get("scores", [])
    return {"node": node["node"], "total": f"{node['total']:,}" if "total" in node else None, "scores": [f"{each['score']:,}" for each in scores],
            "raw": [f"raw {each['raw']:,}" for each in scores],
            "why": [f"{each['plugin']} {', '.join(each['reasons'])}" for each in node.get("obstacles", [])]}


def explained(berth, path, name):
    """What berth explain says, nodes in the page's order."""
    told = subprocess.run([berth, "explain", "--objects", path, "--pod", name, "-o", "json"], capture_output=True, text=True, check=True).stdout
    value = json.loads(told)["pods"][0]
    value["nodes"].sort(key=lambda node: (not node["fits"], -node.get("total", 0)))
    return value


def check_explanations(berth, path, page, with_browser):
    """The page's answer on a pod, and its table, are those of berth explain."""
    for name in ["huge", "web-3"]:
        value = explained(berth, path, "default/" + name)
        answer = page.get(f"pod?namespace=default&name={name}")
        judge(f"explain {name}", answer["explanation"] == value, (answer["explanation"], value))
        judge(f"explain {name}: counts", (answer["fitting"], answer["refused"]) == (sum(node["fits"] for node in value["nodes"]),
                                                                               sum(not node["fits"] for node in value["nodes"])), answer)
        if with_browser:
            check_pod_view(page, name, value)
    paged = page.get("pod?namespace=default&name=huge&from=1&count=1")
    judge("a part of the nodes", (len(paged["explanation"]["nodes"]), paged["found"], paged["from"]) == (1, 3, 1), paged)
    judge("no such pod", page.get("pod?namespace=default&name=none") is None and page.get("pod") is None)


def check_pod_view(page, name, value):
    window = browser.Browser()
    window.open(page.url)
    until("the pods", lambda: "7 pods" in (window.text("#found") or ""))
    window.run("location.hash = '#pod'")
    if value.get("node") is None:
        until("the pod among those that wait", lambda: name in (window.text("#pod-found") or ""))
    window.run("const find = document.getElementById('pod-find'); find.value = arguments[0]; find.dispatchEvent(new Event('input'))", name)
    until("the pod is found", lambda: "Pods found" in (window.text("#pod-found") or "") and name in window.text("#pod-found"))
    window.run("document.querySelector('#pod-found a').click()")
    until("its tables", lambda: len(window.run(POD_TABLES)) == len(value["nodes"]))
    shown, told = window.run(POD_TABLES), [shown_node(node) for node in value["nodes"]]
    judge(f"page: {name}: the table is that of berth explain", shown == told, (shown, told))
    if value.get("nearest"):
        first = value["nearest"][0]
        judge("page: the smallest change", all(text in window.text("#nearest") for text in first.values()), window.text("#nearest"))
    window.run("const find = document.getElementById('node-find'); find.value = 'node-1'; find.dispatchEvent(new Event('input'))")
    until("one node", lambda: [row["node"] for row in window.run(POD_TABLES)] == ["node-1"])
    judge("page: nothing went wrong", window.log() == [])
    window.close()


def scene(folder):
    """Three nodes, one with a hostile taint; six pods that fit and one that does not."""
    path = os.path.join(folder, "scene.json")
    container = lambda cpu: [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"node-{i}", "labels": {"topology.kubernetes.io/zone": f"z{i % 2}"}},
              "spec": {"taints": [{"key": "k", "value": "v", "effect": "PreferNoSchedule"}]} if i == 2 else {},
              "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "20"}}} for i in range(3)]
    pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"web-{i}", "namespace": "default"},
             "spec": {"containers": container("500m")}} for i in range(6)]
    pods.append({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "huge", "namespace": "default"}, "spec": {"containers": container("64")}})
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": nodes + pods}, file)
    return path


def dump(folder):
    """A dump as a file may hold it, names of which no API server would accept among them."""
    path = os.path.join(folder, "dump.json")
    with open(scene(folder), encoding="utf-8") as file:
        objects = json.load(file)
    objects["items"][0]["spec"] = {"taints": [{"key": "k", "value": HOSTILE, "effect": "NoSchedule"}]}
    for pod in objects["items"][3:9]:
        pod["spec"]["nodeName"] = "node-1"
    objects["items"][3]["metadata"]["name"] = HOSTILE + "\u202e" + "x" * 253
    with open(path, "w", encoding="utf-8") as file:
        json.dump(objects, file)
    return path


def check_dump(berth, folder, with_browser):
    path = dump(folder)
    page = Process(berth, "dashboard", "--input", path, "--listen", "127.0.0.1:0")
    check_explanations(berth, path, page, with_browser)
    pods = page.get("pods")
    judge("dump: pods", len(pods["pods"]) == 7 and not page.get("cluster")["live"], pods)
    judge("dump: a hostile name", any(row[2].startswith(HOSTILE) for row in pods["pods"]), pods)
    if with_browser:
        window = browser.Browser()
        window.open(page.url)
        until("the file is shown", lambda: window.text("#status") == "From a file")
        window.run("document.getElementById('map').focus()")
        for key in ["ArrowRight", "Enter"]:
            window.press(key)
        judge("dump: a hostile taint is text", f"k={HOSTILE}:NoSchedule" in window.text("#panel"), window.text("#panel"))
        window.run("document.getElementById('map').focus()")
        for key in ["ArrowDown", "ArrowDown", "ArrowDown", "Enter"]:
            window.press(key)
        judge("dump: a hostile name is text", HOSTILE in window.text("#panel"), window.text("#panel"))
        seen = window.run("return [...document.querySelectorAll('*')].map((each) => each.localName)")
        log = window.log()
        judge("dump: names are text", "img" not in seen and log == [], log)
        window.close()
    judge("dump: ends", page.end() == 0)


def told_event(api, name, reason, note):
    """Another program's Event about a pod."""
    status, _ = api("POST", "/apis/events.k8s.io/v1/namespaces/default/events", {
        "metadata": {"name": name}, "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "example.com/other", "reportingInstance": "x",
        "action": "Evicting", "reason": reason, "type": "Normal", "note": note, "regarding": {"kind": "Pod", "namespace": "default", "name": "web-1"}})
    judge("event " + name + " is made", status == 201, status)


def check_events(page, api, with_browser):
    """What happens: from the cluster's Events, as they come."""
    kinds = lambda: {(row["kind"], row["name"]) for row in page.get("events?count=1000")["events"]}
    until("events of pods placed and waiting", lambda: {("placed", "web-0"), ("placed", "web-5"), ("waiting", "huge")} <= kinds())
    listed = {**page.get("nodes"), **page.get("events?count=0")}
    events = Events(page, f"{listed['instance']}-{listed['generation']}")
    told_event(api, "t1", "EvictionTold", HOSTILE)
    while events.next()[1]["lastEvent"] <= listed["last"]:
        pass
    news = page.get(f"events?after={listed['last']}&kind=evicted")["events"]
    judge("events: a new one", [(row["reason"], row["note"], row["by"]) for row in news] == [("EvictionTold", HOSTILE, "example.com/other")], news)
    judge("events: of one pod", {row["name"] for row in page.get("events?namespace=default&name=web-1")["events"]} == {"web-1"})
    judge("events: evictions by rule", page.get("cluster")["evictions"] == {"count": 1, "rules": [{"rule": "EvictionTold", "count": 1}]},
          page.get("cluster"))
    if with_browser:
        check_events_view(page, api)


def check_events_view(page, api):
    window = browser.Browser()
    window.open(page.url)
    until("the page is live", lambda: window.text("#status") == "Live")
    window.run("location.hash = '#events'")
    shown = lambda: window.text("#event-list") or ""
    until("the events", lambda: HOSTILE in shown() and "Scheduled" in shown() and "FailedScheduling" in shown())
    told_event(api, "t2", "EvictionLater", "it comes by itself")
    until("a new event", lambda: "it comes by itself" in shown())
    window.run("document.getElementById('event-pause').click()")
    told_event(api, "t3", "EvictionPaused", "not while paused")
    until("the page says that there is more", lambda: "more since then" in window.text("#event-note"))
    judge("events: nothing comes while paused", "not while paused" not in shown())
    window.run("document.getElementById('event-pause').click()")
    until("it goes on", lambda: "not while paused" in shown())
    window.run("document.querySelector('[data-kind=placed]').click()")
    until("a kind is left out", lambda: "Successfully assigned" not in shown() and HOSTILE in shown())
    window.run("document.getElementById('evictions').click()")
    until("evictions alone", lambda: HOSTILE in shown() and "FailedScheduling" not in shown())
    judge("events: the figure", window.text("#evictions b") == "3", window.text("#evictions"))
    window.run("document.querySelector('#event-list a').click()")
    until("the pod of an event", lambda: window.text("#pod-body h2") == "web-1" and HOSTILE in (window.text("#pod-history") or ""))
    seen = window.run("return [...document.querySelectorAll('*')].map((each) => each.localName)")
    judge("events: texts are text", "img" not in seen and window.log() == [], window.log())
    window.close()


def check_live(berth, up):
    config = until("kubeconfig", lambda: up.found(r"kubeconfig (\S+)"))
    page = Process(berth, "dashboard", "--kubeconfig", config, "--listen", "127.0.0.1:0")
    until("the live cluster", lambda: (found := page.get("cluster")) and found["ready"] and found["headline"]["placed"] >= 6)
    judge("live", page.get("cluster")["live"])
    until("events of a live cluster", lambda: page.get("events?kind=placed&name=web-0")["events"])
    judge("live: a pod is explained", page.get("pod?namespace=default&name=huge")["refused"] == 3)
    judge("live: ends", page.end() == 0)


def main():
    berth = sys.argv[1]
    with_browser = browser.is_there()
    with tempfile.TemporaryDirectory() as folder:
        port = drill.free_port()
        up = Process(berth, "up", "--input", scene(folder), "--dashboard", "--listen", f"127.0.0.1:{port}")
        config = until("kubeconfig", lambda: up.found(r"kubeconfig (\S+)"))
        with open(config, encoding="utf-8") as file:
            token = re.search(r'token: "?([\w-]+)', file.read()).group(1)
        check_door(up)
        nodes = check_documents(up)
        check_changes(up, nodes, drill.Sandbox(port, token))
        check_events(up, drill.Sandbox(port, token), with_browser)
        check_live(berth, up)
        if with_browser:
            for size, is_dark in [((1280, 800), False), ((360, 740), True)]:
                check_page(up, size, is_dark)
        judge("up: ends", up.end() == 0)
        check_dump(berth, folder, with_browser)
        sandbox = Process(berth, "sandbox", "--nodes", "4", "--listen", "127.0.0.1:0", "--dashboard")
        until("nodes of the sandbox", lambda: sandbox.get("cluster")["headline"]["nodes"] == 4)
        judge("sandbox: ends", sandbox.end() == 0)
    if not with_browser:
        print("skipped: the page in a browser (no chromium and chromedriver)")
    drill.finish()


main()
