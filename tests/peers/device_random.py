"""Random claims on the same real API server, allocated by kube-scheduler, by berth with --parity and by berth as it is.

SEED and SECONDS of the environment choose the scenes and how long they are played. Each class of difference is told with the smallest scene that
shows it. A difference that does not come again when the scene is played once more is counted, and not a fault: which of several nodes
with the same score, and which of two events comes first, is chance. One that does come again is played AGAIN times more: kube-scheduler tries the
pods that one event wakes in no order, so what berth came to in the first two plays is no fault when kube-scheduler came to exactly the same in some of its own."""

import json
import os
import re
import time

import device_random_make as make
from device_random_play import FILTER_ERROR, Player
from objects import MERGE
from plane import Plane

AT_ONCE = int(os.environ.get("SCENES", 60))  # at once
AGAIN = int(os.environ.get("AGAIN", 8))
REAL, PARITY, PLAIN = "kube-scheduler", "berth-parity", "berth"
LETTERS = {"r": REAL, "p": PARITY, "b": PLAIN}


def first_difference(a, b, path=""):
    """Where, and both values."""
    if isinstance(a, dict) and isinstance(b, dict):
        return next((found for key in sorted(a.keys() | b.keys()) if (found := first_difference(a.get(key), b.get(key), f"{path}/{key}"))), None)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((found for at, pair in enumerate(zip(a, b)) if (found := first_difference(*pair, f"{path}/{at}"))), None)
    return None if a == b else (path, a, b)


def differences(a, b):
    """The most telling first: whether pods are placed, then what they say, then claims."""
    order = sorted(a.keys() | b.keys(), key=lambda key: (not key.startswith("pod"), key))
    found = [(key, *difference) for key in order if (difference := first_difference(a.get(key), b.get(key)))]
    return sorted(found, key=lambda each: (not each[0].startswith("pod"), each[1] != "/node"))


def class_of(difference):
    """Its form: neither numbers nor the names of objects matter."""
    key, path, *values = difference
    texts = [re.sub(r"@[-\w.]*|\b[rscdet]\d+\b", "@", re.sub(r"\d+", "N", json.dumps(value)))[:160] for value in values]
    return f"{key.split()[0]}{re.sub(r'[0-9]+', 'N', path)}: {texts[0]} | {texts[1]}"


def is_any_error(difference):
    """Nodes are looked at side by side: which of their errors ends a cycle of kube-scheduler is chance."""
    return difference[1] == "/says" and all(str(text).startswith(FILTER_ERROR) for text in difference[2:])


def is_on_its_way(difference, real):
    """A pod of which a write fails is nominated while it is tried, again and again, and with kube-scheduler in every other try."""
    return difference[1] == "/nominated" and str(real[difference[0]]["says"]).startswith("running PreBind plugin")


def is_of_a_lost_claim(difference):
    """A pod whose claim goes waits behind its gate, but is tried once more when it was backing off, after the last change of any device."""
    return difference[1] == "/says" and any("could not find ResourceClaim" in str(text) for text in difference[2:])


def said(found, text):
    """kube-scheduler, of some pod, at any time."""
    return any(text in each for each in found["said"])


# Differences without --parity that are meant (docs/parity.md): whether a scene can show it.
MEANT = {
    "errors of a device refuse the node": lambda scene, found: said(found, FILTER_ERROR),
    "counters are given back": lambda scene, found: "consumesCounters" in json.dumps(scene) and any(
        word in json.dumps(scene) for word in ("taints", "Attribute\"", "allowMultipleAllocations")),
    "distinctAttribute compares all": lambda scene, found: "distinctAttribute" in json.dumps(scene),
    "no time is added to an allocation": lambda scene, found: said(found, "status.allocation: Invalid value"),
    "no special claim without requests": lambda scene, found: said(found, "nil or empty request mappings"),
}


def meant(scene, found):
    return next((name for name, holds in MEANT.items() if holds(scene, found)), None)


class Shrink:
    """The smallest scene with the same class of difference between two schedulers."""

    PARTS = ("steps", "claims", "slices", "templates", "nodes", "classes")
    KEPT = {"metadata", "name", "spec", "driver", "pool", "generation", "resourceSliceCount", "deviceClassName", "expression", "cel", "zone", "cpu",
            "claims", "priority", "pod", "ready", "type", "do", "path", "body", "status", "claim", "scheduler", "requests", "devices", "value"}

    def __init__(self, player, scene, pair, wanted):
        self.player, self.scene, self.pair, self.wanted = player, scene, pair, wanted

    def holds(self, scenes):
        """Which of the scenes still show it."""
        found = self.player.play((at, scene, self.pair) for at, scene in enumerate(scenes))
        return sorted(at for at, each in found if any(class_of(one) == self.wanted for one in differences(*(each[name] for name in self.pair))))

    def paths(self, value, path=()):
        """Of what may be left out, larger things first."""
        if isinstance(value, dict):
            for key, item in value.items():
                if path and key not in self.KEPT:
                    yield (*path, key)
                yield from self.paths(item, (*path, key))
        if isinstance(value, list):
            for at, item in enumerate(value):
                yield (*path, at)
                yield from self.paths(item, (*path, at))

    @staticmethod
    def without(scene, paths):
        scene = json.loads(json.dumps(scene))
        for path in sorted(paths, key=lambda each: [str(one).zfill(4) for one in each], reverse=True):
            place = scene
            try:
                for key in path[:-1]:
                    place = place[key]
                del place[path[-1]]
            except (KeyError, IndexError):
                continue  # went with what it was part of
        return scene

    def shrink(self, rounds):
        for _ in range(rounds):
            paths = sorted(self.paths(self.scene), key=len)
            if not paths:
                break
            tries = paths[:AT_ONCE]
            good = [tries[at] for at in self.holds([self.without(self.scene, [path]) for path in tries])]
            if not good:
                break
            together = [good[:max(1, len(good) * part // 8)] for part in range(8, 0, -1)] + [good[len(good) // 2:], good[:1]]
            smaller = self.holds([self.without(self.scene, each) for each in together])
            if not smaller:
                break
            self.scene = self.without(self.scene, max((together[at] for at in smaller), key=len))
        return self.scene


class Suspect:
    """A scene that differed, and what came of it each time."""

    def __init__(self, number, found):
        self.number, self.plays, self.left, self.stable = number, [found], 0, {}

    def outcomes(self, name, plays=None):
        return {json.dumps(each[name], sort_keys=True) for each in self.plays[:plays]}

    def is_chance(self, name):
        """kube-scheduler came to what this scheduler came to, both times that it differed."""
        return self.outcomes(name, 2) <= self.outcomes(REAL)


class Search:
    """Plays scenes and keeps those of each class of difference."""

    def __init__(self, player, seed, out):
        """out: a file for the first scene of each class."""
        self.player, self.seed, self.out = player, seed, out
        self.scenes, self.claims, self.placed, self.allocated, self.chance, self.alike, self.refused = 0, 0, 0, 0, 0, 0, 0
        self.classes, self.meant, self.waiting = {}, {}, []

    def again(self, suspect, times):
        suspect.left += times
        self.waiting += [suspect] * times

    def source(self, end):
        """By number and the suspect it is: scenes that differ come again."""
        number = 0
        while time.monotonic() < end:
            if self.waiting:  # one at a time: what is played at the same time has the same chances
                yield self.next_again()
            yield (number, None), make.scene(self.seed, number), LETTERS.values()
            number += 1

    def next_again(self):
        suspect = self.waiting.pop(0)
        return (suspect.number, suspect), make.scene(self.seed, suspect.number), LETTERS.values()

    def rest(self):
        while self.waiting:
            yield self.next_again()

    def run(self, end):
        self.take(self.source(end))
        while self.waiting:
            self.take(self.rest())

    def take(self, source):
        for (number, suspect), found in self.player.play(source):
            if not suspect:
                self.count(found[REAL])
                if any(found[name] != found[REAL] for name in (PARITY, PLAIN)):
                    self.again(Suspect(number, found), 1)
                continue
            suspect.plays.append(found)
            suspect.left -= 1
            if suspect.left == 0:
                self.judge(suspect)

    def judge(self, suspect):
        """After the second play what differs in the same way is played on; after all of them it is a class of difference."""
        if suspect.stable:
            for name, (key, difference) in suspect.stable.items():
                if suspect.is_chance(name):
                    self.alike += 1
                else:
                    self.keep(suspect, name, key, difference)
            return
        for name in (PARITY, PLAIN):
            self.compare(suspect, name)
        if suspect.stable:
            self.again(suspect, AGAIN)

    def count(self, real):
        self.scenes += 1
        self.refused += len(real["refused"])
        self.placed += sum(bool(value["node"]) for key, value in real.items() if key.startswith("pod"))
        claims = [value for key, value in real.items() if key.startswith("claim")]
        self.claims, self.allocated = self.claims + len(claims), self.allocated + sum(bool(value["allocation"]) for value in claims)

    def compare(self, suspect, name):
        scene = make.scene(self.seed, suspect.number)
        second = suspect.plays[1]
        both = [{class_of(one): one for one in differences(each[REAL], each[name]) if not is_on_its_way(one, each[REAL])} for each in suspect.plays]
        stable = [key for key in both[1] if key in both[0]]
        stable = [key for key in stable if not is_any_error(both[1][key]) and not is_of_a_lost_claim(both[1][key])]
        # Of a preemption, whether the devices of victims are back in time is chance.
        if not stable or ('"high"' in json.dumps(scene) and stable[0].startswith("claim")):
            self.chance += bool(both[0])
            return
        if name == PLAIN:
            why = meant(scene, second)
            if why:
                self.meant[why] = self.meant.get(why, 0) + 1
                return
            if second[PARITY] == second[PLAIN]:
                return  # the class of --parity
        suspect.stable[name] = stable[0], both[1][stable[0]]

    def keep(self, suspect, name, key, difference):
        scene = make.scene(self.seed, suspect.number)
        kept = self.classes.setdefault((name, key), [])
        kept.append((suspect.number, scene, difference))
        if len(kept) == 1:
            self.out.write(json.dumps({"scheduler": name, "class": key, "number": suspect.number, "scene": scene,
                                       "outcomes": [{each: play[each] for each in (REAL, name, "said")} for play in suspect.plays]}) + "\n")
            self.out.flush()


def config_file(plane, name, scheduler, kubeconfig):
    path = plane.folder / f"{name}.json"
    path.write_text(json.dumps({
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "percentageOfNodesToScore": 100,
        "leaderElection": {"leaderElect": False}, "clientConnection": {"kubeconfig": str(kubeconfig), "qps": 5000, "burst": 10000},
        "podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 1, "profiles": [{"schedulerName": scheduler}]}))
    return path


def start(stage):
    plane = Plane(stage, "device-random")
    plane.need("PATCH", "/api/v1/namespaces/default", {"metadata": {"labels": {"resource.kubernetes.io/admin-access": "true"}}}, MERGE)
    for name, value in (("low", 1), ("high", 1000)):
        plane.need("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": value})
    stage.start("claim-controller", [
        stage.program("kube-controller-manager"), f"--kubeconfig={plane.kubeconfig}", "--controllers=resourceclaim-controller",
        "--leader-elect=false", "--secure-port=0", "--v=1", "--kube-api-qps=5000", "--kube-api-burst=10000"], plane.folder)
    kubeconfig, schedulers = plane.identity("scheduler", "system:masters"), []
    for name in LETTERS.values():
        config = config_file(plane, name, name, kubeconfig)
        words = [stage.program("kube-scheduler")] if name == REAL else [stage.berth, "scheduler", *(["--parity"] if name == PARITY else [])]
        schedulers.append(stage.start(name, [*words, "--config", config, "--secure-port=0"], plane.folder))
    return plane, schedulers


def show(report, name, key, kept, scene):
    number, _, difference = kept[0]
    report.line(f"{name}: {len(kept)} of scene {number}, ...: {difference[0]}{difference[1]}", json.dumps(difference[2]), json.dumps(difference[3]))
    report.note("  smallest scene", json.dumps(scene))


def device_random(stage, report):
    seed, seconds = os.environ.get("SEED", "1"), float(os.environ.get("SECONDS", 120))
    rounds = int(os.environ.get("SHRINK", 12))
    plane, schedulers = start(stage)
    player = Player(plane, LETTERS, AT_ONCE, REAL)
    search = Search(player, seed, (plane.folder / "differences.jsonl").open("w"))
    search.run(time.monotonic() + seconds)
    report.note(f"seed {seed}: scenes, claims, allocated, pods placed", f"{search.scenes}, {search.claims}, {search.allocated}, {search.placed}")
    report.note("objects that the API server refused", search.refused)
    report.note("differences that did not come again", search.chance)
    report.note("that kube-scheduler had in another play", search.alike)
    for why, count in search.meant.items():
        report.note(f"meant: {why}", count)
    for (name, key), kept in sorted(search.classes.items(), key=lambda each: -len(each[1])):
        shrunk = Shrink(player, kept[0][1], (REAL, name), key).shrink(rounds)
        show(report, name, key, kept, shrunk)
    report.line("schedulers that ended", [], [each.name for each in schedulers if not each.is_alive()])
    report.line("classes of difference", 0, len(search.classes))
    plane.stop()
