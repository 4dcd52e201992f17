"""The scheduler's extenders over HTTP: extenders.py BERTH URL (plain HTTP, token "e2e", a sandbox without controllers).

The last line is "N passed, M failed".
"""

import base64
import http.server
import json
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

from drill import Sandbox, finish, judge, port_of, until, write_kubeconfig

BERTH, PORT = sys.argv[1], port_of(sys.argv[2])
WORK = pathlib.Path(tempfile.mkdtemp())
ask = Sandbox(PORT)


class Extender(http.server.ThreadingHTTPServer):
    """Answers each verb as its table says; keeps what it was asked."""

    def __init__(self, verbs, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.verbs, self.asked, self.is_secure = verbs, [], certificate is not None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http{'s' if self.is_secure else ''}://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, *_):
        """A scheduler that ends cuts its connections."""

    def asked_for(self, verb, pod):
        return [args for name, args in self.asked
                if name == verb and pod in (args.get("PodName"), args.get("Pod", {}).get("metadata", {}).get("name"))]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        args = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        verb = self.path.rsplit("/", 1)[1]
        self.server.asked.append((verb, args))
        body = json.dumps(self.server.verbs[verb](args)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def names(args):
    return args.get("NodeNames") or [node["metadata"]["name"] for node in args["Nodes"]["items"]]


def filter_labels(args):
    """Pods say in an annotation which nodes they may have."""
    wanted = args["Pod"]["metadata"]["annotations"]["nodes"].split(",")
    kept = [name for name in names(args) if name in wanted]
    failed = {name: "not on the list" for name in names(args) if name not in wanted}
    if "NodeNames" in args:
        return {"NodeNames": kept, "FailedNodes": failed, "Error": ""}
    return {"Nodes": {"items": [node for node in args["Nodes"]["items"] if node["metadata"]["name"] in kept]},
            "FailedNodes": failed}


def prefer_last(args):
    last = max(names(args))
    return [{"Host": name, "Score": 10 if name == last else 0} for name in names(args)]


def bind(args):
    status, answer = ask("POST", f"/api/v1/namespaces/{args['PodNamespace']}/pods/{args['PodName']}/binding", {
        "metadata": {"name": args["PodName"], "uid": args["PodUID"]}, "target": {"kind": "Node", "name": args["Node"]}})
    return {"Error": "" if status == 201 else str(answer)}


class Scheduler:
    def __init__(self, extenders):
        config = WORK / "config.json"
        config.write_text(json.dumps({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                                      "extenders": extenders}))
        kubeconfig = write_kubeconfig(WORK / "kubeconfig", PORT)
        self.process = subprocess.Popen([BERTH, "scheduler", "--config", str(config), "--kubeconfig", kubeconfig,
                                         "--leader-elect=false", "-v", "1"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)


PODS = "/api/v1/namespaces/default/pods"


def put_pod(name, nodes="n0,n1,n2", resource=None):
    requests = {"cpu": "100m", **({resource: "1"} if resource else {})}
    status, answer = ask("POST", PODS, {
        "metadata": {"name": name, "annotations": {"nodes": nodes}},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {
            "requests": requests, "limits": {resource: "1"} if resource else {}}}]}})
    assert status == 201, answer


def node_of(name):
    return ask("GET", f"{PODS}/{name}")[1]["spec"].get("nodeName")


def message_of(name):
    return next((one["message"] for one in ask("GET", f"{PODS}/{name}")[1].get("status", {}).get("conditions", [])
                 if one["type"] == "PodScheduled" and one["status"] == "False"), "")


def whole_nodes():
    extender = Extender({"filter": filter_labels, "prioritize": prefer_last})
    with Scheduler([{"urlPrefix": extender.url() + "/", "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 5}]):
        put_pod("a1", "n0,n2")
        judge("sched-012 filtered and preferred", until("a1", lambda: node_of("a1")) == "n2", node_of("a1"))
        asked = extender.asked_for("filter", "a1")
        judge("whole pod and nodes", len(asked) == 1 and asked[0]["Pod"]["spec"]["containers"] and
              [node["status"]["allocatable"]["cpu"] for node in asked[0]["Nodes"]["items"]] == ["4"] * 3, asked)
        judge("preferred among those left", [sorted(names(one)) for one in extender.asked_for("prioritize", "a1")] ==
              [["n0", "n2"]], extender.asked)
        put_pod("a2", "nowhere")
        judge("nowhere", "3 not on the list" in until("a2", lambda: message_of("a2")), message_of("a2"))
        before = len(extender.asked_for("filter", "a2"))
        ask("PATCH", f"{PODS}/a1", {"metadata": {"labels": {"any": "event"}}}, "application/merge-patch+json")
        judge("sched-103 any event tries again", until("a2 again", lambda: len(extender.asked_for("filter", "a2")) > before))
        put_pod("a3", "n1")
        judge("sched-012 one left needs no score", until("a3", lambda: node_of("a3")) == "n1" and
              not extender.asked_for("prioritize", "a3"), extender.asked)
        ask("DELETE", f"{PODS}/a2")


def managed_and_bound():
    extender = Extender({"filter": filter_labels, "bind": bind})
    with Scheduler([{"urlPrefix": extender.url(), "filterVerb": "filter", "bindVerb": "bind", "nodeCacheCapable": True,
                     "managedResources": [{"name": "example.com/thing", "ignoredByScheduler": True}]}]):
        put_pod("b1")
        until("b1", lambda: node_of("b1"))
        judge("nobody's business", not extender.asked, extender.asked)
        put_pod("b2", "n1", "example.com/thing")
        judge("bound by the extender", until("b2", lambda: node_of("b2")) == "n1" and
              len(extender.asked_for("bind", "b2")) == 1, extender.asked)
        judge("names only", extender.asked_for("filter", "b2")[0]["NodeNames"] and
              "Nodes" not in extender.asked_for("filter", "b2")[0], extender.asked)


def down():
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))  # nobody listens
    url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with Scheduler([{"urlPrefix": url, "filterVerb": "filter", "ignorable": True, "nodeCacheCapable": True}]):
        put_pod("c1")
        judge("sched-103 ignorable and down", until("c1", lambda: node_of("c1")))
    with Scheduler([{"urlPrefix": url, "filterVerb": "filter", "nodeCacheCapable": True}]):
        put_pod("c2")
        judge("sched-103 down", until("c2", lambda: message_of("c2")).startswith(f"extender {url}: "), message_of("c2"))
        judge("not placed", not node_of("c2"))
    broken = Extender({"filter": lambda args: {"Error": "out of order"}})
    with Scheduler([{"urlPrefix": broken.url(), "filterVerb": "filter", "nodeCacheCapable": True}]):
        put_pod("c3")
        judge("its own error", "out of order" in until("c3", lambda: message_of("c3")), message_of("c3"))


def certificate(name):
    """A certificate that vouches for itself, for this name only, and its key."""
    paths = WORK / f"{name}.crt", WORK / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}", "-out", str(paths[0]), "-keyout", str(paths[1])],
                   check=True, capture_output=True)
    return str(paths[0]), str(paths[1])


def over_tls():
    if not shutil.which("openssl"):
        print("skipped: no openssl, nothing over TLS")
        return
    ours, other = certificate("extender.test"), certificate("other.test")
    extender = Extender({"filter": filter_labels}, ours)
    settings = {"urlPrefix": extender.url(), "filterVerb": "filter", "nodeCacheCapable": True, "enableHTTPS": True}
    for name, tls, is_good in (
            ("d0", None, True),  # nothing to check against: nothing is checked
            ("d1", {"caFile": ours[0], "serverName": "extender.test"}, True),
            ("d2", {"caData": base64.b64encode(pathlib.Path(ours[0]).read_bytes()).decode(), "serverName": "extender.test"}, True),
            ("d3", {"insecure": True}, True),
            ("d4", {"caFile": ours[0], "serverName": "other.test"}, False),
            ("d5", {"caFile": other[0], "serverName": "extender.test"}, False)):
        with Scheduler([{**settings, **({"tlsConfig": tls} if tls else {})}]):
            put_pod(name, "n1")
            until(name, lambda: node_of(name) or message_of(name))
            judge(f"over TLS, {name}", (node_of(name) == "n1") == is_good, (node_of(name), message_of(name)))
    with Scheduler([{**settings, "enableHTTPS": False}]):
        put_pod("d6", "n1")
        judge("the system's authorities do not know it", "extender" in until("d6", lambda: message_of("d6")), message_of("d6"))
    both = Scheduler([{**settings, "tlsConfig": {"insecure": True, "caFile": ours[0]}}])
    judge("insecure with an authority", both.process.wait(60) != 0)


def hangs():
    waiting = threading.Event()
    extender = Extender({"filter": lambda args: waiting.wait(60) and {}})
    settings = {"urlPrefix": extender.url(), "filterVerb": "filter", "nodeCacheCapable": True, "httpTimeout": "300ms"}
    with Scheduler([settings]):
        put_pod("e1")
        judge("no answer in time", until("e1", lambda: message_of("e1")).startswith("extender http"), message_of("e1"))
        judge("not placed without it", not node_of("e1"))
    with Scheduler([{**settings, "ignorable": True}]):
        put_pod("e2")
        judge("ignorable and silent", until("e2", lambda: node_of("e2")))
    waiting.set()


def fill(node, name):
    """A pod of low priority that leaves no room on the node."""
    ask("POST", PODS, {"metadata": {"name": name, "labels": {"app": name}}, "spec": {"nodeName": node, "containers": [
        {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2500m"}}}]}})


def put_high(name):
    ask("POST", PODS, {"metadata": {"name": name}, "spec": {"priorityClassName": "high", "containers": [
        {"name": "c", "image": "i", "resources": {"requests": {"cpu": "3500m"}}}]}})


def victims_of():
    return sorted(pod["metadata"]["name"] for pod in ask("GET", PODS)[1]["items"] if "deletionTimestamp" in pod["metadata"])


def preempts():
    ask("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 100})
    for number in range(3):
        fill(f"n{number}", f"v{number}")
    nothing = Extender({"preempt": lambda args: {"NodeNameToMetaVictims": {}}})
    with Scheduler([{"urlPrefix": nothing.url(), "preemptVerb": "preempt", "nodeCacheCapable": True}]):
        put_high("f1")
        judge("no candidate is left", "preemption: no candidate node for preemption" in until("f1", lambda: message_of("f1")),
              message_of("f1"))
        asked = nothing.asked_for("preempt", "f1")
        judge("victims by uid", sorted(asked[0]["NodeNameToMetaVictims"]) == ["n0", "n1", "n2"] and
              all(list(pod) == ["UID"] for one in asked[0]["NodeNameToMetaVictims"].values() for pod in one["Pods"]), asked)
        judge("nobody has to go", victims_of() == [], victims_of())
        ask("DELETE", f"{PODS}/f1")
    wrong = Extender({"preempt": lambda args: {"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "nobody"}]}}}})
    with Scheduler([{"urlPrefix": wrong.url(), "preemptVerb": "preempt", "nodeCacheCapable": True}]):
        put_high("f2")
        judge("a victim that is not there", "nobody" in until("f2", lambda: message_of("f2")) and victims_of() == [], message_of("f2"))
        ask("DELETE", f"{PODS}/f2")
    only = Extender({"preempt": lambda args: {"NodeNameToMetaVictims": {"n1": {"Pods": [
        {"UID": pod["metadata"]["uid"]} for pod in args["NodeNameToVictims"]["n1"]["Pods"]], "NumPDBViolations": 0}}}})
    with Scheduler([{"urlPrefix": wrong.url(), "preemptVerb": "preempt", "nodeCacheCapable": True, "ignorable": True,
                     "managedResources": [{"name": "example.com/thing"}]},
                    {"urlPrefix": only.url(), "preemptVerb": "preempt"}]):
        put_high("f3")
        until("f3", lambda: ask("GET", f"{PODS}/f3")[1]["status"].get("nominatedNodeName"))
        judge("the one that is left goes", until("victims", lambda: "v1" in victims_of()) and
              not {"v0", "v2"} & set(victims_of()), victims_of())
        judge("nominated there", ask("GET", f"{PODS}/f3")[1]["status"]["nominatedNodeName"] == "n1")
        judge("whole victims", [pod["metadata"]["labels"]["app"] for pod in
                                only.asked_for("preempt", "f3")[0]["NodeNameToVictims"]["n2"]["Pods"]][:1] == ["v2"], only.asked)
        judge("who manages nothing of it is not asked", not wrong.asked_for("preempt", "f3"))


for number in range(3):
    resources = {"cpu": "4", "memory": "32Gi", "pods": "110"}
    ask("POST", "/api/v1/nodes", {"metadata": {"name": f"n{number}"}, "status": {
        "allocatable": resources, "capacity": resources}})
    ask("PATCH", f"/api/v1/nodes/n{number}", {"spec": {"taints": None}}, "application/merge-patch+json")
whole_nodes()
managed_and_bound()
down()
over_tls()
hangs()
preempts()
finish()
