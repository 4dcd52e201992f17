"""A real control plane: etcd and kube-apiserver with RBAC, certificates of its own, and what is known of it from outside.

Nobody has a password or a fixed token: the administrator and the programs come with client certificates, accounts of manifests
with tokens that the API server makes."""

import json
import re
import signal
import ssl
import subprocess
import time

from drill import Api, free_port
from objects import MERGE, node
from process import Process, wait_until

CONTROLLERS = "replicaset-controller,persistentvolume-binder-controller,disruption-controller,serviceaccount-controller"


def openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Plane:
    def __init__(self, stage, name, flags=()):
        self.stage, self.folder, self.flags = stage, stage.folder / name, list(flags)
        self.folder.mkdir()
        self.etcd_port, self.peer_port, self.port = free_port(), free_port(), free_port()
        self.make_authority()
        self.kubeconfig = self.identity("admin", "system:masters")
        context = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        context.load_cert_chain(self.folder / "admin.crt", self.folder / "admin.key")
        self.api = Api(self.port, context)
        self.etcd = self.start_etcd()
        self.server = self.start_server()
        self.wait_ready()

    def make_authority(self):
        """One for servers and clients; the key of service accounts."""
        folder = self.folder
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=peers",
                "-keyout", folder / "ca.key", "-out", folder / "ca.crt")
        openssl("genrsa", "-out", folder / "accounts.key", "2048")
        openssl("rsa", "-in", folder / "accounts.key", "-pubout", "-out", folder / "accounts.pub")
        self.certificate("server", "/CN=kube-apiserver", "subjectAltName=IP:127.0.0.1,IP:10.0.0.1,DNS:kubernetes")

    def certificate(self, name, subject, extension="extendedKeyUsage=clientAuth"):
        folder = self.folder
        (folder / f"{name}.ext").write_text(extension + "\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", subject, "-keyout",
                folder / f"{name}.key", "-out", folder / f"{name}.csr")
        openssl("x509", "-req", "-days", "2", "-in", folder / f"{name}.csr", "-CA", folder / "ca.crt", "-CAkey", folder / "ca.key",
                "-CAcreateserial", "-extfile", folder / f"{name}.ext", "-out", folder / f"{name}.crt")

    def write_kubeconfig(self, name, user):
        path = self.folder / f"{name}.kubeconfig"
        cluster = {"server": f"https://127.0.0.1:{self.port}", "certificate-authority": str(self.folder / "ca.crt")}
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "x", "clusters": [{"name": "c", "cluster": cluster}],
            "users": [{"name": "u", "user": user}], "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}]}))
        return path

    def identity(self, name, group="", user=""):
        """The kubeconfig of a user with a client certificate."""
        self.certificate(name, (f"/O={group}" if group else "") + f"/CN={user or name}")
        return self.write_kubeconfig(name, {"client-certificate": str(self.folder / f"{name}.crt"),
                                            "client-key": str(self.folder / f"{name}.key")})

    def may(self, user, verb, group, resource):
        """In kube-system. The API server knows rights a moment after they were written."""
        asked = {"namespace": "kube-system", "verb": verb, "group": group, "resource": resource}
        return self.need("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {"user": user, "resourceAttributes": asked}})["status"]["allowed"]

    def account(self, name, namespace="kube-system", right=("create", "coordination.k8s.io", "leases")):
        """The kubeconfig of a ServiceAccount that has a right, with a token as a pod gets it."""
        if right and not wait_until(lambda: self.may(f"system:serviceaccount:{namespace}:{name}", *right), 30):
            raise RuntimeError(f"{name} may not {' '.join(right)}")
        status, answer = self.api("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token",
                                  {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        if status != 201:
            raise RuntimeError(f"no token for {name}: {answer}")
        return self.write_kubeconfig(name, {"token": answer["status"]["token"]})

    def start_etcd(self):
        client, peer = f"http://127.0.0.1:{self.etcd_port}", f"http://127.0.0.1:{self.peer_port}"
        return self.stage.start("etcd", [
            self.stage.program("etcd"), "--data-dir", self.folder / "etcd", "--listen-client-urls", client, "--advertise-client-urls", client,
            "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
            "--unsafe-no-fsync"], self.folder)

    def start_server(self):
        folder = self.folder
        return self.stage.start("kube-apiserver", [
            self.stage.program("kube-apiserver"), f"--etcd-servers=http://127.0.0.1:{self.etcd_port}", "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1", f"--secure-port={self.port}", f"--cert-dir={folder}",
            f"--tls-cert-file={folder / 'server.crt'}", f"--tls-private-key-file={folder / 'server.key'}",
            f"--client-ca-file={folder / 'ca.crt'}", "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={folder / 'accounts.pub'}",
            f"--service-account-signing-key-file={folder / 'accounts.key'}", "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.0.0.0/24", "--disable-admission-plugins=ServiceAccount",
            "--enable-priority-and-fairness=false", "--allow-privileged=true", *self.flags], folder)

    def wait_ready(self):
        if not wait_until(lambda: self.api.raw("GET", "/readyz")[0] == 200, 300):
            raise RuntimeError("kube-apiserver is not ready: " + "".join(self.server.text().splitlines()[-1:]))
        wait_until(lambda: self.api("GET", "/api/v1/namespaces/kube-system")[0] == 200)
        wait_until(lambda: self.api("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:kube-scheduler")[0] == 200)

    def restart_server(self, pause=0.0):
        self.server.stop()
        time.sleep(pause)
        self.server.start()
        self.wait_ready()

    def restart_etcd(self, pause=0.0):
        self.etcd.stop(signal.SIGKILL)
        time.sleep(pause)
        self.etcd.start()
        self.wait_ready()

    def etcdctl(self, *words):
        return subprocess.run([self.stage.program("etcdctl"), "--endpoints", f"http://127.0.0.1:{self.etcd_port}", *words],
                              capture_output=True, text=True, timeout=60)

    def stop(self):
        self.server.stop()
        self.etcd.stop()

    # ---- what the rows do with it

    def kubectl(self, *words, text=None):
        return self.stage.run([self.stage.kubectl, "--kubeconfig", self.kubeconfig, *words], text)

    def apply(self, *files):
        for file in files:
            done = self.kubectl("apply", "-f", file)
            if done.returncode:
                raise RuntimeError(f"{file}: {done.stderr}")

    def need(self, method, path, body=None, content_type="application/json"):
        status, answer = self.api(method, path, body, content_type)
        if status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {status} {answer.get('message')}")
        return answer

    def add_node(self, name, **more):
        """Ready, and without the taint that a node is created with until something says that it is ready."""
        self.need("POST", "/api/v1/nodes", node(name, **more))
        self.need("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": None}}, MERGE)

    def items(self, path):
        return self.need("GET", path).get("items", [])

    def clear(self):
        """No pods, nodes and workloads, as before the first row."""
        for path in ("/apis/apps/v1/namespaces/default/replicasets", "/apis/apps/v1/namespaces/kube-system/deployments",
                     "/apis/apps/v1/namespaces/kube-system/daemonsets", "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
                     "/api/v1/namespaces/default/pods", "/api/v1/namespaces/default/persistentvolumeclaims",
                     "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases", "/api/v1/namespaces/default/events",
                     "/api/v1/nodes", "/api/v1/persistentvolumes"):
            suffix = "" if "pods" not in path else "?gracePeriodSeconds=0"
            self.api("DELETE", path + suffix, {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"})
        wait_until(lambda: not self.items("/api/v1/nodes") and not self.items("/api/v1/namespaces/default/pods"), 60)

    def metrics(self):
        """(name, labels as a dict, value) of each sample."""
        pattern = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
        for line in self.api.raw("GET", "/metrics")[1].decode().splitlines():
            found = pattern.match(line)
            if found:
                yield found[1], dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2] or "")), float(found[3])

    def requests(self):
        """How often each (verb, resource, subresource, code) was asked."""
        counts = {}
        for name, labels, value in self.metrics():
            if name == "apiserver_request_total":
                key = (labels["verb"], labels["resource"], labels["subresource"], labels["code"])
                counts[key] = counts.get(key, 0) + int(value)
        return counts

    def lists(self, resource):
        """How often objects of all namespaces were listed; the rows themselves ask for those of one."""
        return sum(int(value) for name, labels, value in self.metrics() if name == "apiserver_request_total" and labels["verb"] == "LIST"
                   and labels["resource"] == resource and labels["scope"] == "cluster" and labels["code"] == "200")

    def refused(self):
        """Requests answered with 403 so far, by verb and resource."""
        return {key[:3]: count for key, count in self.requests().items() if key[3] == "403"}
