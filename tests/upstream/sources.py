"""What the sources of the Descheduler and kured show their users: policies, manifests, options, commands. Read where it stands, never kept."""

import re

import yaml

FENCE = re.compile(r"^[ ]*```[a-z]*[ ]*\n(.*?)^[ ]*```", re.MULTILINE | re.DOTALL)
PAGES = ("README.md", "docs/*.md", "pkg/framework/plugins/*/README.md", "charts/descheduler/README.md")
FILES = ("examples/*.y*ml", "kubernetes/base/*.yaml", "test/manifests/**/*.yaml")
POLICY = re.compile(r"kind: \"?DeschedulerPolicy")
# What pages write where a user's own text belongs: a line that is no YAML there, and a list's item that names nothing.
OUTLINE = re.compile(r"^ *(?:\[\.\.\.\]|- \.\.\.)\n", re.MULTILINE)


def kind_of(folder):
    """The project of a checkout, or None."""
    if (folder / "charts/descheduler").is_dir():
        return "descheduler"
    return "kured" if (folder / "kured-ds.yaml").exists() else None


def checkouts(folder):
    """[(project, folder)] of what is in it; a project may be there in several releases."""
    return [(kind_of(found), found) for found in sorted(folder.iterdir()) if found.is_dir() and kind_of(found)]


def dedent(text):
    lines = text.splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "".join(line[margin:] + "\n" for line in lines)


def fences(folder):
    """(where, text) of each fenced block of the pages."""
    for pattern in PAGES:
        for page in sorted(folder.glob(pattern)):
            text = page.read_text()
            for match in FENCE.finditer(text):
                yield f"{page.relative_to(folder)}:{text.count(chr(10), 0, match.start(1)) + 1}", dedent(match.group(1))


def policies(folder):
    """(where, text) of each policy: the pages' blocks, the examples, those in ConfigMaps, the chart's default."""
    yield from ((where, text) for where, text in fences(folder) if POLICY.search(text))
    for pattern in FILES:
        for file in sorted(folder.glob(pattern)):
            name = str(file.relative_to(folder))
            for found in yaml.safe_load_all(file.read_text()):
                if (found or {}).get("kind") == "DeschedulerPolicy":
                    yield name, file.read_text()
                elif (found or {}).get("kind") == "ConfigMap":
                    yield from ((f"{name} {key}", text) for key, text in found["data"].items())
    yield "charts/descheduler/values.yaml", chart_policy(folder)


def outline(text):
    """A policy's page may leave a place for the user's own: (what is left, the line that is no YAML or 0)."""
    hole = re.search(r"^ *\[\.\.\.\]$", text, re.MULTILINE)
    return OUTLINE.sub("", text), text.count("\n", 0, hole.start()) + 1 if hole else 0


def chart_values(folder):
    return yaml.safe_load((folder / "charts/descheduler/values.yaml").read_text())


def chart_policy(folder):
    values = chart_values(folder)
    version = values.get("deschedulerPolicyAPIVersion", "descheduler/v1alpha1")
    return yaml.safe_dump({"apiVersion": version, "kind": "DeschedulerPolicy", **values["deschedulerPolicy"]})


def commands(folder):
    """(where, words) of the command lines of `descheduler` in the pages."""
    for where, text in fences(folder):
        for line in text.splitlines():
            if re.match(r"\$? *descheduler +-", line):
                yield where, line.lstrip("$ ").split()[1:]


def descheduler_options(folder):
    """(name, type, default or None) of each option of docs/cli."""
    page = folder / "docs/cli/descheduler.md"
    text = page.read_text() if page.exists() else ""
    for match in re.finditer(r"^ +(?:-\w, )?--([a-z0-9-]+)(?: (\S+))?  +(.*(?:\n {30,}.*)*)", text, re.MULTILINE):
        default = re.search(r"\(default \[?\"?([^\")\]]*)", match.group(3))
        yield match.group(1), match.group(2) or "bool", default.group(1) if default else None


def kured_options(text):
    """The options that a manifest of kured names behind a comment sign, with their values; a placeholder is no value."""
    for match in re.finditer(r"^# +- (--[a-z-]+=.*)$", text, re.MULTILINE):
        option = re.sub(r"\s+#.*", "", match.group(1)).replace('""', "")
        if not option.endswith("=..."):
            yield option


def manifests(project, folder):
    """(where, kubectl's words) of each manifest that users apply."""
    if project == "descheduler":
        for name in ("job", "cronjob", "deployment"):
            yield f"kubernetes/{name}", ("-k", folder / "kubernetes" / name)
    else:
        for name in ("kured-ds.yaml", "kured-ds-signal.yaml"):
            yield name, ("-f", folder / "kured-rbac.yaml", "-f", folder / name)


def workload_of(objects):
    return next(o for o in objects if o["kind"] in ("Deployment", "DaemonSet", "CronJob", "Job"))


def pod_of(workload):
    spec = workload["spec"]
    return (spec["jobTemplate"]["spec"] if workload["kind"] == "CronJob" else spec)["template"]["spec"]


