"""A simulated KubeVirt on a sandbox: virtual machines, their launcher pods, the webhook that answers evictions with 429, and
migrations that take a while. Only what an evictor sees of the real one; used by other scripts."""

import base64
import collections
import http.server
import json
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request

MOVING = "descheduler.alpha.kubernetes.io/eviction-in-progress"
EVICT_ONLY = "descheduler.alpha.kubernetes.io/request-evict-only"
MERGE = "application/merge-patch+json"
PODS = "/api/v1/namespaces/default/pods"
VMS = "/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstances"
MOVES = "/apis/kubevirt.io/v1/namespaces/default/virtualmachineinstancemigrations"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Api:
    def __init__(self, url, token):
        self.url, self.token = url, token
        self.context = ssl._create_unverified_context()

    def __call__(self, method, path, body=None, content="application/json"):
        request = urllib.request.Request(self.url + path, method=method, data=json.dumps(body).encode() if body else None,
                                         headers={"Authorization": f"Bearer {self.token}", "Content-Type": content})
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            text = error.read()
            return error.code, json.loads(text) if text.startswith(b"{") else {}  # some answers are plain text


class Verdicts:
    """Prints what is as it should be and what is not."""

    def __init__(self):
        self.failures = 0

    def __call__(self, name, is_good, found=""):
        self.failures += not is_good
        print(("ok " if is_good else "FAIL ") + name + ("" if is_good else f": {str(found)[:2000]}"))

    def exit(self):
        sys.exit(1 if self.failures else 0)


def until(fact, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if fact():
            return True
        time.sleep(0.1)
    return False


class KubeVirt:
    def __init__(self, api, work, outbound=0):
        """outbound: migrations at a time from a node (2 in a real one, unless it is told otherwise); 0 = any number."""
        self.api, self.work = api, work
        self.outbound, self.leaving = outbound, collections.Counter()
        self.machines, self.lock, self.moves = {}, threading.Lock(), 0
        self.refusals = 0
        for plural, kind in (("virtualmachineinstances", "VirtualMachineInstance"),
                             ("virtualmachineinstancemigrations", "VirtualMachineInstanceMigration")):
            api("POST", CRDS, {
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                "metadata": {"name": plural + ".kubevirt.io"},
                "spec": {"group": "kubevirt.io", "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
                         "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                             "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}})
        until(lambda: api("GET", VMS)[0] == 200 and api("GET", MOVES)[0] == 200)
        self.serve()

    def serve(self):
        kubevirt = self

        class Hook(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                refusal = kubevirt.judge(review["request"])
                response = {"uid": review["request"]["uid"], "allowed": refusal is None}
                if refusal:
                    kubevirt.refusals += 1
                    response["status"] = {"code": 429, "reason": "TooManyRequests", "message": refusal}
                text = json.dumps({"apiVersion": review["apiVersion"], "kind": "AdmissionReview",
                                   "response": response}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        server.daemon_threads = True
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(f"{self.work}/cert.pem", f"{self.work}/key.pem")
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with open(f"{self.work}/cert.pem", "rb") as file:
            authority = base64.b64encode(file.read()).decode()
        self.api("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
            "metadata": {"name": "kubevirt"}, "webhooks": [{
                "name": "virt-launcher-eviction-interceptor.kubevirt.io", "failurePolicy": "Fail", "sideEffects": "NoneOnDryRun",
                "admissionReviewVersions": ["v1"],
                "clientConfig": {"url": f"https://127.0.0.1:{server.server_port}/", "caBundle": authority},
                "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"],
                           "resources": ["pods/eviction"]}]}]})

    def make_machine(self, name, node, seconds=2.0, strategy="LiveMigrate", migratable=True, grace=1, failures=0):
        """A machine and its launcher pod; migrating it takes so many seconds, and fails so many times before."""
        _, machine = self.api("POST", VMS, {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
                                            "metadata": {"name": name}, "spec": {"evictionStrategy": strategy}})
        pod = "virt-launcher-" + name
        self.machines[pod] = {"name": name, "seconds": seconds, "migratable": migratable, "moving": False, "moved": False,
                              "strategy": strategy, "failures": failures, "migrations": 0, "retry": threading.Event()}
        return self.api("POST", PODS, {
            "metadata": {"name": pod, "labels": {"kubevirt.io": "virt-launcher"}, "annotations": {EVICT_ONLY: "true"},
                         "ownerReferences": [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "name": name,
                                              "uid": machine["metadata"]["uid"], "controller": True}]},
            "spec": {"nodeName": node, "terminationGracePeriodSeconds": grace, "containers": [{"name": "c", "image": "x"}]}})

    def judge(self, request):
        """Why this eviction is refused, or None."""
        machine = self.machines.get(request["name"])
        if machine is None or machine["strategy"] == "None":
            return None
        status, pod = self.api("GET", f'{PODS}/{request["name"]}')
        if status != 200 or pod["status"]["phase"] in ("Succeeded", "Failed"):
            return None
        if not machine["migratable"]:
            return f'VMI default/{machine["name"]} is configured with an eviction strategy but is not live-migratable'
        with self.lock:
            if machine["moving"]:
                return f'Evacuation in progress: Eviction triggered evacuation of VMI "default/{machine["name"]}"'
            machine["moving"] = True
        node = pod["spec"]["nodeName"]
        self.api("PATCH", f'{VMS}/{machine["name"]}', {"status": {"evacuationNodeName": node}}, MERGE)
        threading.Thread(target=self.move, args=(machine, request["name"], node), daemon=True).start()
        return f'Eviction triggered evacuation of VMI "default/{machine["name"]}"'

    def is_marked(self, machine):
        return "evacuationNodeName" in self.api("GET", f'{VMS}/{machine["name"]}')[1].get("status", {})

    def begin(self, machine, node, name):
        """Waits for a free place; False when the evacuation was cancelled meanwhile."""
        while self.is_marked(machine):
            with self.lock:
                is_admitted = not self.outbound or self.leaving[node] < self.outbound
                self.leaving[node] += is_admitted
            if is_admitted:
                if self.outbound:
                    self.api("PATCH", f"{MOVES}/{name}", {"status": {"phase": "Running"}}, MERGE)
                return True
            time.sleep(0.5)
        self.api("DELETE", f"{MOVES}/{name}", None, MERGE)
        return False

    def migrate(self, machine, node):
        """One migration; whether the machine moved. One that fails leaves the marks where they are."""
        name = f'kubevirt-evacuation-{machine["name"]}' + (f'-{machine["migrations"]}' if machine["migrations"] else "")
        machine["migrations"] += 1
        self.api("POST", MOVES, {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstanceMigration",
                                 "metadata": {"name": name, "annotations": {"kubevirt.io/evacuationMigration": node}},
                                 "spec": {"vmiName": machine["name"]},
                                 "status": {"phase": "Pending" if self.outbound else "Running"}})
        if not self.begin(machine, node, name):
            return False
        end = time.monotonic() + machine["seconds"]
        while time.monotonic() < end and self.is_marked(machine):
            time.sleep(0.5)
        with self.lock:
            self.leaving[node] -= 1
        if not self.is_marked(machine):
            self.api("DELETE", f"{MOVES}/{name}", None, MERGE)
            return False
        is_done = machine["migrations"] > machine["failures"]
        self.api("PATCH", f"{MOVES}/{name}", {"status": {"phase": "Succeeded" if is_done else "Failed"}}, MERGE)
        return is_done

    def move(self, machine, pod, node):
        self.moves += 1
        self.api("PATCH", f"{PODS}/{pod}", {"metadata": {"annotations": {MOVING: "true"}}}, MERGE)
        is_done = self.migrate(machine, node)
        while not is_done and self.is_marked(machine):  # KubeVirt waits 20 s, 40 s, ...; here, until it is told to
            machine["retry"].wait(600)
            machine["retry"].clear()
            is_done = self.migrate(machine, node)
        if is_done:
            self.api("PATCH", f'{VMS}/{machine["name"]}', {"status": {"evacuationNodeName": None}}, MERGE)
            self.api("PATCH", f"{PODS}/{pod}/status", {"status": {"phase": "Succeeded"}}, MERGE)
        self.api("PATCH", f"{PODS}/{pod}", {"metadata": {"annotations": {MOVING: None}}}, MERGE)
        machine["moving"], machine["moved"] = False, is_done
