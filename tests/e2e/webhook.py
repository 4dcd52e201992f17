"""Webhooks that judge evictions as KubeVirt's does, and change pods: webhook.py SANDBOX WORK [KUBECTL].

The webhook is a server of this script, with the certificate in WORK. Its behaviour is the path it is called at. The last line is
"N passed, M failed".
"""

import base64
import http.server
import json
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from drill import finish, judge

SANDBOX, WORK = sys.argv[1:3]
KUBECTL = sys.argv[3] if len(sys.argv) > 3 else ""
NODE = "n"
context = ssl._create_unverified_context()
reviews = []


class Hook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request, what = review["request"], self.path.split("?")[0]
        reviews.append((self.path, request))
        response = {"uid": request["uid"], "allowed": True}
        if what == "/evacuate" and reviews_of("/evacuate") <= 2:
            response.update(allowed=False, status={"code": 429, "reason": "TooManyRequests",
                                                   "message": "Eviction triggered evacuation of VMI \"default/vm\""})
        if what == "/label":
            patch = [{"op": "add", "path": "/metadata/labels", "value": {"seen": "yes"}}]
            response.update(patchType="JSONPatch", patch=base64.b64encode(json.dumps(patch).encode()).decode())
        if what == "/mark":
            patch = [{"op": "add", "path": "/metadata/annotations", "value": {"mark": "yes"}}]
            response.update(patchType="JSONPatch", patch=base64.b64encode(json.dumps(patch).encode()).decode())
        if what == "/deny":
            response.update(allowed=False, status={"message": "no pods today"})
        if what == "/slow":
            time.sleep(3)
        text = json.dumps({"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": response}).encode()
        self.send_response(500 if what == "/broken" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def reviews_of(path):
    return sum(1 for asked, _ in reviews if asked.startswith(path))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):  # the caller hung up: timeouts are part of the test
        pass


def serve():
    server = Server(("127.0.0.1", 0), Hook)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(f"{WORK}/cert.pem", f"{WORK}/key.pem")
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"https://127.0.0.1:{server.server_port}"


def api(method, path, body=None, content="application/json"):
    request = urllib.request.Request(SANDBOX + path, method=method, data=json.dumps(body).encode() if body else None,
                                     headers={"Authorization": "Bearer e2e", "Content-Type": content})
    try:
        with urllib.request.urlopen(request, context=context, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def configure(kind, name, address, path, resource, **more):
    with open(f"{WORK}/cert.pem", "rb") as file:
        authority = base64.b64encode(file.read()).decode()
    hook = {"name": f"{name}.example.com", "clientConfig": {"url": address + path, "caBundle": authority},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": [resource]}],
            "sideEffects": "None", "admissionReviewVersions": ["v1"], "timeoutSeconds": 30, **more}
    status, answer = api("POST", f"/apis/admissionregistration.k8s.io/v1/{kind}",
                         {"metadata": {"name": name}, "webhooks": [hook]})
    judge(f"configure {name}", status == 201, answer)


def forget(kind, name):
    api("DELETE", f"/apis/admissionregistration.k8s.io/v1/{kind}/{name}")


def pod(name):
    return {"metadata": {"name": name},
            "spec": {"nodeName": NODE, "terminationGracePeriodSeconds": 1, "containers": [{"name": "c", "image": "i"}]}}


def evict(name):
    return api("POST", f"/api/v1/namespaces/default/pods/{name}/eviction",
               {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}})


def until(fact):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if fact():
            return True
        time.sleep(0.1)
    return False


def evictions(address):
    configure("validatingwebhookconfigurations", "evacuate", address, "/evacuate", "pods/eviction")
    api("POST", "/api/v1/namespaces/default/pods", pod("vm"))
    status, answer = evict("vm")
    judge("eviction refused", status == 429 and "Eviction triggered evacuation" in answer["message"], answer)
    judge("pod stays", api("GET", "/api/v1/namespaces/default/pods/vm")[0] == 200)
    asked = reviews[-1][1]
    judge("review", asked["kind"]["kind"] == "Eviction" and asked["resource"]["resource"] == "pods" and
          asked["subResource"] == "eviction" and asked["namespace"] == "default" and asked["name"] == "vm", asked)
    if KUBECTL:  # refused once more, then allowed: drain tries again by itself
        done = subprocess.run([KUBECTL, "drain", NODE, "--force", "--timeout=120s"], capture_output=True, text=True,
                              timeout=150)
        judge("drain", done.returncode == 0 and "will retry" in done.stderr, done)
    else:
        judge("refused again", evict("vm")[0] == 429)
        judge("allowed", evict("vm")[0] == 201)
    judge("pod goes", until(lambda: api("GET", "/api/v1/namespaces/default/pods/vm")[0] == 404))
    forget("validatingwebhookconfigurations", "evacuate")


def policies(address):
    for path in ("/broken", "/slow"):
        for policy in ("Fail", "Ignore"):
            configure("validatingwebhookconfigurations", "policy", address, path, "configmaps", failurePolicy=policy,
                      timeoutSeconds=1)
            status, answer = api("POST", "/api/v1/namespaces/default/configmaps",
                                 {"metadata": {"generateName": "c-"}})
            judge(f"{path} {policy}", status == (500 if policy == "Fail" else 201), answer)
            forget("validatingwebhookconfigurations", "policy")
    configure("validatingwebhookconfigurations", "gone", "https://127.0.0.1:1", "/", "configmaps")
    status, answer = api("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"generateName": "c-"}})
    judge("nobody there", status == 500 and "failed calling webhook" in answer["message"], answer)
    forget("validatingwebhookconfigurations", "gone")


def mutation(address):
    configure("mutatingwebhookconfigurations", "label", address, "/label", "pods")
    status, answer = api("POST", "/api/v1/namespaces/default/pods", pod("labelled"))
    judge("mutated", status == 201 and answer["metadata"]["labels"] == {"seen": "yes"}, answer)
    judge("same object", reviews[-1][1]["object"]["metadata"]["uid"] == answer["metadata"]["uid"], reviews[-1])
    forget("mutatingwebhookconfigurations", "label")


def deployment(name):
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    return {"metadata": {"name": name}, "spec": {"replicas": 2, "selector": {"matchLabels": {"app": name}},
                                                 "template": template}}


def pods_of(name):
    return api("GET", f"/api/v1/namespaces/default/pods?labelSelector=app%3D{name}")[1]["items"]


def controllers(address):
    """What controllers create is judged like anybody else's: refused, told of, tried again, changed."""
    configure("validatingwebhookconfigurations", "deny", address, "/deny", "pods")
    api("POST", "/apis/apps/v1/namespaces/default/deployments", deployment("web"))
    judge("refused to the controller", until(lambda: reviews_of("/deny") > 0))
    asked = next(request for path, request in reviews if path.startswith("/deny"))
    judge("its name", asked["userInfo"]["username"] == "system:kube-controller-manager", asked["userInfo"])

    def failure():
        sets = api("GET", "/apis/apps/v1/namespaces/default/replicasets?labelSelector=app%3Dweb")[1]["items"]
        return [condition for each in sets for condition in each.get("status", {}).get("conditions", [])
                if condition["type"] == "ReplicaFailure" and "no pods today" in condition["message"]]

    judge("failure is told", until(failure))
    judge("no pods", pods_of("web") == [], pods_of("web"))
    configure("mutatingwebhookconfigurations", "mark", address, "/mark", "pods")
    forget("validatingwebhookconfigurations", "deny")
    judge("tried again", until(lambda: len(pods_of("web")) == 2))
    marks = [each["metadata"].get("annotations", {}).get("mark") for each in pods_of("web")]
    judge("mutated", marks == ["yes", "yes"], marks)
    forget("mutatingwebhookconfigurations", "mark")


def main():
    global NODE
    address = serve()
    NODE = api("GET", "/api/v1/nodes")[1]["items"][0]["metadata"]["name"]
    evictions(address)
    policies(address)
    mutation(address)
    controllers(address)
    finish()


if __name__ == "__main__":
    main()
