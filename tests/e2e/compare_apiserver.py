"""The corpus of recorded answers of kube-apiserver against a server, by topic and by class of failure.

compare_apiserver.py URL TOKEN REPLAYER FOLDER FLOORS [--raise] [--names]: prints a row for each topic, and fails when one
passes less than its floor. Where managedFields differ it is played again: they are in the order of whole seconds, and the recorded
scenarios took less than one, so they differ when a second begins between two writes. --raise writes what passes now into FLOORS; --names prints each failure.
"""

import argparse
import collections
import importlib.util
import pathlib
import re
import sys

POINTER = re.compile(r"(?:POST|PUT|PATCH|GET|DELETE|WATCH) \S+ ?(?:\S*): (/\S*):")
STATUS = re.compile(r": status: expected (\d+), got (\d+)")
PLAYS = 3
BROKEN = re.compile(r": (RemoteDisconnected|Connection|TimeoutError|timeout|BrokenPipe|IncompleteRead|OSError)")


def class_of(failure):
    """What kind of difference it is."""
    status = STATUS.search(failure)
    if status:
        expected, got = int(status[1]), int(status[2])
        if got >= 500 > expected:
            return "server error"
        if expected < 300 <= got:
            return "wrong rejection"
        return "wrong acceptance" if got < 300 <= expected else "wrong code"
    if BROKEN.search(failure):
        return "crash or hang"
    if ": header" in failure:
        return "warning" if ": header warning" in failure else "header"
    pointer = POINTER.search(failure)
    text = pointer[1] if pointer else ""
    if "~1message" in text or re.match(r"/(~1)?/?message|/details", text):
        return "message"
    return "reason" if re.match(r"/(reason|code|status)$", text) else "body"


def replayer(path):
    spec = importlib.util.spec_from_file_location("replay", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def play(replay, client, name, steps):
    """None, or how its answers differ."""
    try:
        return replay.Runner(client).scenario(name, steps)
    except Exception as problem:  # whatever breaks the connection is a finding
        return f"step 0 - -: {type(problem).__name__}: {problem}"


def run(replay, client, file):
    """(passed, {name: failure}) of one topic."""
    order, scenarios = replay.load([str(file)])
    failures = {}
    for name in order:
        for _ in range(PLAYS):
            failure = play(replay, client, name, scenarios[name])
            if not failure or "/managedFields/" not in failure:
                break
        if failure:
            failures[name] = failure
    return len(order), failures


def read_floors(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return {topic: int(count) for topic, count in (line.split() for line in lines if line.strip())}


def main():
    parser = argparse.ArgumentParser()
    for name in ("url", "token"):
        parser.add_argument(name)
    for name in ("replayer", "folder", "floors"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--raise", dest="raises", action="store_true")
    parser.add_argument("--names", action="store_true")
    options = parser.parse_args()
    replay, floors, below, classes = replayer(options.replayer), read_floors(options.floors), [], collections.Counter()
    client, all_passed, all_count, now = replay.Client(options.url, options.token, True), 0, 0, {}
    for file in sorted(options.folder.glob("*.jsonl")):
        topic = file.stem
        try:
            count, failures = run(replay, client, file)
        except ValueError as problem:
            print(f"{topic:24} no recording: {problem}")
            continue
        passed, found = count - len(failures), collections.Counter(class_of(text) for text in failures.values())
        now[topic], all_passed, all_count, classes = passed, all_passed + passed, all_count + count, classes + found
        print(f"{topic:24} {passed:4}/{count:4}  {', '.join(f'{amount} {name}' for name, amount in found.most_common())}", flush=True)
        for name, failure in failures.items() if options.names else ():
            print(f"    {name}: {failure[:300]}")
        if passed < floors.get(topic, 0):
            below.append(f"{topic}: {passed}, floor {floors[topic]}")
    print(f"{all_passed} of {all_count}: {', '.join(f'{amount} {name}' for name, amount in classes.most_common())}")
    if options.raises:
        options.floors.write_text("".join(f"{topic} {max(count, floors.get(topic, 0))}\n" for topic, count in now.items()))
    for line in below:
        print(f"below its floor: {line}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
