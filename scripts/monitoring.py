#!/usr/bin/env python3
"""Makes what deploy/monitoring holds besides rules/berth.yaml: the rules for the Prometheus Operator, PodMonitors, dashboards. With --check it writes nothing and fails on a file that is not what it would write."""

import pathlib
import sys

import dashboards

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "deploy" / "monitoring"
MADE = "# Made by scripts/monitoring.py.\n"

# Job, labels of the pods (any of the values), port, scheme.
TARGETS = [
    ("berth-run", "app", ["berth-run"], 10259, "https"),
    ("berth-scheduler", "component", ["berth-scheduler", "kube-scheduler"], 10259, "https"),
    ("berth-descheduler", "app", ["descheduler"], 10258, "https"),
    ("berth-evictions", "app", ["berth-evictions"], 10260, "https"),
    ("berth-reboot", "name", ["kured"], 8080, "http"),
]

RIGHTS = """# What the Prometheus Operator needs to scrape berth (docs/monitoring.md): a PodMonitor for each role, and an account that may read the
# pages of those that ask who reads them. Selectors have the labels of the manifests in deploy/. honorLabels: namespace and node of an
# eviction are those of the pod that was evicted.
apiVersion: v1
kind: ServiceAccount
metadata: {name: berth-metrics-reader, namespace: kube-system}
---
apiVersion: v1
kind: Secret
metadata:
  name: berth-metrics-reader
  namespace: kube-system
  annotations: {kubernetes.io/service-account.name: berth-metrics-reader}
type: kubernetes.io/service-account-token
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: berth-metrics-reader}
rules: [{nonResourceURLs: [/metrics, /metrics/slis], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: berth-metrics-reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: berth-metrics-reader}
subjects: [{kind: ServiceAccount, name: berth-metrics-reader, namespace: kube-system}]
"""


def endpoint(job, port, scheme, path):
    """Pods need not declare the port: the address is made of the pod's own."""
    lines = [f"  - path: {path}", f"    scheme: {scheme}", "    honorLabels: true"]
    if scheme == "https":
        lines += ["    tlsConfig: {insecureSkipVerify: true}",
                  "    authorization: {credentials: {name: berth-metrics-reader, key: token}}"]
    lines += ["    relabelings:",
              f"    - {{sourceLabels: [__meta_kubernetes_pod_ip], regex: '([^:]+)', targetLabel: __address__, replacement: '$1:{port}'}}",
              f"    - {{sourceLabels: [__meta_kubernetes_pod_ip], regex: '(.+:.+)', targetLabel: __address__, replacement: '[$1]:{port}'}}",
              "    - {sourceLabels: [__address__], targetLabel: instance}",
              f"    - {{targetLabel: job, replacement: {job}}}",
              "    - {sourceLabels: [__metrics_path__], targetLabel: metrics_path}"]
    return "\n".join(lines) + "\n"


def pod_monitor(job, label, values, port, scheme):
    head = f"""---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {{name: {job}, namespace: kube-system}}
spec:
  selector: {{matchExpressions: [{{key: {label}, operator: In, values: [{", ".join(values)}]}}]}}
  podMetricsEndpoints:
"""
    paths = ["/metrics", "/metrics/slis"] if scheme == "https" else ["/metrics"]
    return head + "".join(endpoint(job, port, scheme, path) for path in paths)


def prometheus_rule(rules):
    """The same text, two columns further in."""
    groups = rules[rules.index("groups:\n"):]
    inside = "".join(f"  {line}" if line.strip() else line for line in groups.splitlines(True))
    return MADE + "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: berth, namespace: kube-system}\nspec:\n" + inside


def files():
    """{path below FOLDER: text}"""
    made = {"podmonitors.yaml": MADE + RIGHTS + "".join(pod_monitor(*target) for target in TARGETS),
            "rules/prometheusrule.yaml": prometheus_rule((FOLDER / "rules/berth.yaml").read_text())}
    return {**made, **dashboards.files()}


def main():
    wrong = []
    made = files()
    for name, text in made.items():
        path = FOLDER / name
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            wrong.append(f"{path.relative_to(ROOT)}: not what scripts/monitoring.py makes: run it")
    print("\n".join(wrong + [f"monitoring: {len(made)} files, {len(wrong)} wrong"]))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
