"""Random requests to the sandbox and to a real kube-apiserver, whose answers must agree.

fuzz_api.py BERTH PEERS [--seconds N] [--seed N] [--kinds a,b] [--workers N] [--only N,N] [--shrink N] [--corpus FOLDER]: starts both, sends each scenario to both, compares
the answers after taking out what differs by nature, groups differences into classes and prints the smallest example of each. Objects are
valid ones of each kind whose members are changed by the real server's OpenAPI schemas. A scenario is made from seed and number alone.
"""

import argparse
import collections
import copy
import json
import multiprocessing
import pathlib
import re
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import fuzz_api_corpus  # noqa: E402
from fuzz_api_compare import as_value, differences, known, normal  # noqa: E402
from fuzz_api_make import Maker, Schemas  # noqa: E402
from fuzz_api_owners import in_one_order, without_owner_order  # noqa: E402
from fuzz_api_rules import RULES  # noqa: E402
from fuzz_api_seeds import GATED, GATES, KINDS, MAIN, PRESENT  # noqa: E402
from fuzz_api_steps import CONTINUE, FIRST, MARKS, PAUSES, UID, VERSION, Scenario  # noqa: E402
from fuzz_api_topics import TOPICS  # noqa: E402
from fuzz_api_wire import TOKEN, Server, start_berth, start_real, stop_real  # noqa: E402

TRIES = 60
AGAIN = 16  # plays more of a scenario whose answers differ
SEEN = "seen"  # versions


class Pair:
    """Both servers, asked the same at the same time."""

    def __init__(self, addresses, prefix):
        self.servers = [Server(addresses[0], TOKEN, "real"), Server(addresses[1], TOKEN, "ours")]
        self.prefix, self.scenarios, self.requests = prefix, 0, 0

    def run(self, steps):
        """(number of the first step whose answers differ, [(class, real, ours)], answers) or None; what is known is passed over."""
        self.scenarios += 1
        self.identified = any(mark in json.dumps(steps) for mark in (*MARKS, "/metadata/resourceVersion"))
        made, generated = [], None
        name, facts, found = f"f{self.prefix}-{self.scenarios}", [{}, {}], None
        self.log = ([], [])
        for number, (method, path, content, body, *accept) in enumerate(steps):
            text = body if isinstance(body, str) or body is None else json.dumps(body)
            if method in PAUSES:
                if method == "WAIT" and plain[0][0] >= 400:
                    break
                if found is None and not self.pause(method, path.replace("fuzzed", name), body):
                    found = ()
                continue
            answers = self.ask((method, path.replace("fuzzed", name), content, text and text.replace("fuzzed", name), *accept), facts)
            if found is not None:
                continue
            made += [pattern] if (pattern := generated_names(body)) and pattern not in made else []
            generated = re.compile(f"({'|'.join(made)})[bcdfghjklmnpqrstvwxz2456789]{{5}}") if made else None
            plain = [(status, warned, without_versions(normal(text, generated), fact.get(SEEN, ())))
                     for (status, warned, text), fact in zip(in_one_order(answers), facts)]
            for said, (status, warned, text) in zip(self.log, plain):
                said.append((status, tuple(warned), text.replace(name, "fuzzed")))
            form = form_of(method, path, content)
            every = list(differences(form, *plain))
            told = [item for item in every if not known(item[0], plural_of(path))]
            if not plain[0][0] or plain[0][0] == 429:  # no answer, or a storage that is being made
                break
            if told:
                found = number, told, answers
            elif plain[0][0] != plain[1][0] or any(item[0].startswith("body") for item in every):
                found = ()  # the servers have different objects by now: the rest says nothing
        return found or None

    def pause(self, method, path, seconds):
        """Waits so many seconds, or until both servers serve a path: the real one learns of its own writes a moment later."""
        end = time.monotonic() + 15
        if method == "SLEEP":
            time.sleep(seconds)
        while method == "WAIT" and any(server.ask("GET", path)[0] != 200 for server in self.servers):
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True

    def ask(self, request, facts):
        self.requests += 1
        method, path, content, text, *accept = request
        for server, fact in zip(self.servers, facts):
            own, there = text, path
            if (text and "@" in text) or "@" in path:
                for mark, otherwise in MARKS.items():
                    own, there = own and own.replace(mark, fact.get(mark, otherwise)), there.replace(mark, fact.get(mark, otherwise))
            server.send(method, there, content, own, *accept)
        answers = [server.read() for server in self.servers]
        if not self.identified:
            return answers
        for (_, _, answer), fact in zip(answers, facts):
            value = as_value(answer)
            meta = value.get("metadata") if isinstance(value, dict) else None
            if isinstance(meta, dict) and "resourceVersion" in meta:
                if "items" not in value:  # the version of a list is that of the newest write of anybody
                    fact.update({UID: meta.get("uid", "x"), VERSION: meta["resourceVersion"]})
                fact.setdefault(FIRST, meta["resourceVersion"])
                if len(meta["resourceVersion"]) > 1:  # one digit may be any number
                    fact.setdefault(SEEN, set()).add(meta["resourceVersion"])
                fact.update({CONTINUE: urllib.parse.quote(meta["continue"])} if "continue" in meta else {})
        return answers


def without_versions(text, seen):
    """Wherever a request has put a version: each server has its own."""
    for version in seen:
        text = re.sub(rf'(?<=["\\\[:\s(]){re.escape(version)}(?=["\\\]\s,}}/])', "VERSION", text)
    return text


def in_html(text):
    """As Go writes JSON."""
    return "".join(f"\\u{ord(c):04x}" if c in "<>&" else c for c in text)


def generated_names(body):
    body = as_value(body) if isinstance(body, str) else body
    meta = body.get("metadata") if isinstance(body, dict) else None
    prefix = meta.get("generateName") if isinstance(meta, dict) else None
    if not isinstance(prefix, str) or not prefix:
        return None
    once = json.dumps(prefix[:58], ensure_ascii=False)[1:-1]  # names are cut to 58; messages quote them, and are quoted themselves
    pattern = "|".join(re.escape(form).replace("fuzzed", r"f\w*-?\d*-\d+") for form in dict.fromkeys((once, json.dumps(once, ensure_ascii=False)[1:-1], in_html(once))))
    return pattern


def plural_of(path):
    return next((word for word in reversed(path.split("?")[0].split("/")) if word in KINDS), "")


def form_of(method, path, content):
    """The verb, the kind of patch and the subresource."""
    words = path.split("?")[0].split("/fuzzed")
    cached = "cached" if method == "GET" and "resourceVersion=0" in path else ""
    how = (content or "").removeprefix("application/").split("-patch")[0] if method == "PATCH" else ""
    return " ".join(word for word in (method, how, words[1] if len(words) > 1 else "collection" if method != "POST" else "", cached) if word)


def shrink(pair, steps, wanted, end):
    """Fewer steps, members and elements as long as the class stays, until a moment at most."""
    tries = 0

    def over():
        return tries > TRIES or time.monotonic() > end

    def still(candidate):
        nonlocal tries
        tries += 1
        found = pair.run(candidate)
        return bool(found) and any(name == wanted for name, _, _ in found[1])

    for index in range(len(steps) - 2, 0, -1):
        if over():
            break
        candidate = steps[:index] + steps[index + 1:]
        if still(candidate):
            steps = candidate
    for _, _, _, body, *_ in steps:
        if isinstance(body, str):
            continue
        for container, key in places(body) if body is not None else ():
            if over():
                return steps
            if not isinstance(container, dict) or key not in container or key in ("kind", "apiVersion", "name"):
                continue
            removed = container.pop(key)
            if not still(steps):
                container[key] = removed
    return steps


def is_chance(pair, steps):
    """The real server says now this, now that, when it is asked again, and berth always the same: the order of Go's maps, or its cache behind
    its own writes. Or the difference does not come again: a second ended for one of them only. After the first play of the steps; not of
    those with pauses, which take long."""
    if any(method in PAUSES for method, *_ in steps):
        return False
    plays, is_repeated = [without_owner_order(pair.log)], False
    for _ in range(AGAIN):
        is_repeated |= bool(pair.run(copy.deepcopy(steps)))
        plays.append(without_owner_order(pair.log))
    size = min(len(log) for play in plays for log in play)
    real, ours = ({tuple(play[side][:size]) for play in plays} for side in (0, 1))
    return not is_repeated or (len(real) > 1 and len(ours) == 1)


def places(value):
    """Containers and keys of what is in a value, the outermost first."""
    level = [value]
    while level:
        below = []
        for inner in level:
            for key in list(inner) if isinstance(inner, dict) else range(len(inner)) if isinstance(inner, list) else ():
                yield inner, key
                if isinstance(inner, list) or key in inner:
                    below.append(inner[key])
        level = below


def work(options, addresses, number, results):
    """One of several processes, each with connections of its own. Its scenarios are those whose number leaves its own as rest."""
    pair = Pair(addresses, f"{number}")
    schemas, classes, end = Schemas(pair.servers[0]), {}, time.monotonic() + options.seconds
    names = options.kinds.split(",") if options.kinds else MAIN
    topics = [TOPICS[name] for name in options.topics.split(",")]
    serial, wanted = number, [int(word) for word in options.only.split(",")] if options.only else None
    count, chances, asked = 0, 0, collections.Counter()
    try:
        while time.monotonic() < end:
            if wanted is not None:
                if not wanted:
                    break
                serial = wanted.pop()
            maker = Maker(schemas, options.seed, serial)
            plural = maker.pick(names) if "all" not in names else maker.pick(sorted(set(KINDS) - GATED))
            steps = maker.pick(topics)(maker, plural).steps()
            before = pair.requests
            found = pair.run(steps)
            count += 1
            asked[plural] += pair.requests - before
            by_chance = found and any(name not in classes for name, _, _ in found[1][:4]) and is_chance(pair, steps)
            chances += bool(by_chance)
            for name, real, ours in (found[1] if found and not by_chance else ())[:4]:
                if name not in classes:
                    print(f"new in scenario {serial}: {name}", file=sys.stderr, flush=True)
                    small = shrink(pair, copy.deepcopy(steps), name, min(end, time.monotonic() + options.shrink))
                    again = (pair.run(small) if time.monotonic() < end else None) or found
                    shown = next(((a, b) for other, a, b in again[1] if other == name), (real, ours))
                    classes[name] = {"count": 0, "kinds": set(), "steps": small, "shown": shown, "serial": serial, "answer": again[2][0][2][:600]}
                classes[name]["count"] += 1
                classes[name]["kinds"].add(plural_of(steps[found[0]][1]) or plural)
            if found and found[2][1][0] == 0:  # berth gave no answer
                break
            serial += options.workers
    finally:
        results.put((classes, count, asked, chances))


def merge(into, classes):
    for name, row in classes.items():
        if name not in into:
            into[name] = row
            continue
        into[name]["count"] += row["count"]
        into[name]["kinds"] |= row["kinds"]
        if len(json.dumps(row["steps"])) < len(json.dumps(into[name]["steps"])):
            into[name].update(steps=row["steps"], shown=row["shown"], serial=row["serial"])


def fuzz(options, folder):
    process = None
    try:
        gates = options.gates if GATED.intersection(options.kinds.split(",")) else ""
        addresses = [start_real(options.peers, folder, gates)]
        address, process = start_berth(options.berth, folder, gates)
        addresses.append(address)
        for path, body in PRESENT if gates else ():
            for name in addresses:
                Server(name, TOKEN, "").ask("POST", path, "application/json", body)
        results, begin = multiprocessing.Queue(), time.monotonic()
        workers = [multiprocessing.Process(target=work, args=(options, addresses, number, results)) for number in range(options.workers)]
        for worker in workers:
            worker.start()
        classes, scenarios, chances, asked_of = {}, 0, 0, collections.Counter()
        for _ in workers:
            found, count, asked, by_chance = results.get()
            merge(classes, found)
            scenarios, chances, asked_of = scenarios + count, chances + by_chance, asked_of + asked
        for worker in workers:
            worker.join()
        took = time.monotonic() - begin
        if process.poll() is not None:
            print(f"berth ended with {process.returncode}:\n{(folder / 'berth.log').read_text()[-2000:]}")
        requests = asked_of.total()
        report(classes)
        print(", ".join(f"{plural} {count}" for plural, count in sorted(asked_of.items())))
        print(f"seed {options.seed}: {scenarios} scenarios, {requests} requests to each server in {took:.0f} s, {requests / took:.0f} a second; "
              f"{len(classes)} classes of difference; {chances} scenarios differed by chance")
        return 1 if classes or process.poll() is not None else 0
    finally:
        if process:
            process.terminate()
            process.wait()
        stop_real(folder)


def from_difference(real, ours):
    """Both texts, cut where they begin to differ when they are long."""
    at = next((at for at, (a, b) in enumerate(zip(real, ours)) if a != b), 0)
    start = at - 80 if at > 500 else 0
    return tuple(("..." if start else "") + each[start:start + 700] for each in (real, ours))


def report(classes):
    order = sorted(classes.items(), key=lambda item: (not item[0].startswith("WRONG"), -item[1]["count"]))
    for name, row in order:
        print(f"== {row['count']} × {name} ({', '.join(sorted(row['kinds']))}; {row['serial']})")
        real, ours = from_difference(*(json.dumps(each, ensure_ascii=False) for each in row["shown"]))
        print(f"   real: {real}\n   ours: {ours}")
        for method, path, content, body, *accept in row["steps"][:-1] or row["steps"]:
            print(f"   {method} {path} {content or ''} {''.join(accept)} {(body if isinstance(body, str) else json.dumps(body))[:1200] if body is not None else ''}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("peers", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="", help=f"of {', '.join(KINDS)}, or all; otherwise {', '.join(MAIN)}")
    parser.add_argument("--topics", default="writes", help=f"of {', '.join(TOPICS)}")
    parser.add_argument("--gates", default=GATES, help="feature gates, for kinds that are served with some")
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--shrink", type=float, default=20, help="seconds for making an example smaller: those with pauses take long")
    parser.add_argument("--only", default="", help="numbers of scenarios, as reports show them")
    parser.add_argument("--corpus", type=pathlib.Path, help="folder of recordings: all kinds of their objects, or those of --kinds")
    options = parser.parse_args()
    if options.corpus:
        of_all = fuzz_api_corpus.kinds_of(options.corpus) + (MAIN if options.topics != "writes" else [])
        options.kinds = options.kinds or ",".join(of_all)
    if options.topics == "stories":
        options.kinds = options.kinds or ",".join(RULES)
    if options.only:
        options.workers = 1
    with tempfile.TemporaryDirectory() as folder:
        return fuzz(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
