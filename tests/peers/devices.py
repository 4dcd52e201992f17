"""Devices on the real API server: its claims, the real controllers, berth's scheduler, which is killed; no driver and no kubelet.

Pods with claims of every kind come and go. A watch checks at every event that nothing is given away twice (device_checker.py)."""

import random
import signal
import time

from device_checker import GROUP, Checker
import device_load
from plane import Plane
from process import wait_until

NODES, PODS, KILLS = 50, 600, 4
ROUNDS = 8
CONTROLLERS = "resourceclaim-controller,garbage-collector-controller,serviceaccount-controller"


def whole_gpu(index, taken):
    return {"name": f"gpu-{index}", "attributes": {
        "type": {"string": "whole"}, "parts": {"int": 7}, "index": {"int": index},
        "resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{index // 2:02x}"}},
        "consumesCounters": [{"counterSet": f"gpu-{index}", "counters": taken}]}


def part(index, size, number):
    return {"name": f"gpu-{index}-part{size}-{number}", "attributes": {"type": {"string": "part"}, "parts": {"int": size}},
            "consumesCounters": [{"counterSet": f"gpu-{index}", "counters": {"parts": {"value": str(size)}}}]}


def large():
    """Eight GPUs that can be cut in seven, four network cards."""
    devices = [device for index in range(8) for device in
               [whole_gpu(index, {"parts": {"value": "7"}})] + [part(index, size, number) for size in (1, 2, 3) for number in range(7 // size)]]
    sets = [{"name": f"gpu-{index}", "counters": {"parts": {"value": "7"}}} for index in range(8)]
    contents = [{"sharedCounters": sets}, *({"devices": devices[at:at + 64]} for at in range(0, len(devices), 64))]
    nics = [{"name": f"nic-{index}", "attributes": {"resource.kubernetes.io/pcieRoot": {"string": f"pci0000:{index:02x}"}}} for index in range(4)]
    return [("gpu.example.com", contents), ("nic.example.com", [{"devices": nics}])]


def small():
    """Two GPUs whose memory is shared."""
    policy = {"default": "1Gi", "validRange": {"min": "1Gi", "step": "1Gi"}}
    return [("gpu.example.com", [{"devices": [
        {"name": f"gpu-{index}", "allowMultipleAllocations": True, "attributes": {"type": {"string": "shared"}},
         "capacity": {"memory": {"value": "24Gi", "requestPolicy": policy}}} for index in range(2)]}])]


def publish(plane, node, offers):
    for driver, contents in offers:
        for number, content in enumerate(contents):
            plane.need("POST", GROUP + "/resourceslices", {
                "metadata": {"name": f"{node}-{driver}-{number}"}, "spec": {
                    "driver": driver, "nodeName": node, **content,
                    "pool": {"name": node, "generation": 1, "resourceSliceCount": len(contents)}}})


def finish_some(plane, load, dice):
    """What kubelets would report."""
    for each in load.alive():
        if "nodeName" in each["spec"] and dice.random() < 0.1:
            plane.api("PATCH", f"{device_load.PODS}/{each['metadata']['name']}/status", {"status": {"phase": "Succeeded"}},
                      "application/merge-patch+json")


def devices(stage, report):
    plane, dice = Plane(stage, "devices"), random.Random(1)
    stage.start("claim-controllers", [
        stage.program("kube-controller-manager"), f"--kubeconfig={plane.kubeconfig}", f"--controllers={CONTROLLERS}",
        "--leader-elect=false", "--secure-port=0", "--v=1", "--kube-api-qps=500", "--kube-api-burst=1000"], plane.folder)
    for number in range(NODES):
        plane.add_node(f"n-{number}")
        publish(plane, f"n-{number}", small() if number % 2 else large())
    device_load.set_up(plane.need)
    checker = Checker(plane.items(GROUP + "/resourceslices"), plane.api.connect)
    process = stage.start("berth-devices", [
        stage.stand_in("kube-scheduler"), "--kubeconfig", plane.identity("berth-devices", user="system:kube-scheduler"),
        "--leader-elect=false", "--secure-port=0"], plane.folder)
    load = device_load.Load(plane.api, dice, PODS, False)
    load.create(PODS // 2)
    for turn in range(ROUNDS):
        load.create(PODS // 2 // ROUNDS if turn + 1 < ROUNDS else PODS)
        finish_some(plane, load, dice)
        load.end_some(0.1)
        time.sleep(dice.uniform(0.2, 0.8))
        if turn < KILLS:
            process.stop(signal.SIGKILL)
            process.start()
    start = time.monotonic()
    wait_until(lambda: not load.waiting(), 180)
    report.line("pods that wait after calm", [], load.waiting()[:5])
    report.note("bound after calm, seconds", round(time.monotonic() - start, 1))
    found = device_load.problems(load.alive(), plane.items(device_load.CLAIMS), checker.taken.offer)
    report.line("bound pods without the devices of their node", [], found[:3])
    plane.api("DELETE", device_load.PODS + "?gracePeriodSeconds=0")
    wait_until(lambda: not device_load.leaks(plane.items(device_load.CLAIMS)), 180)
    report.line("claims that were not given back", [], device_load.leaks(plane.items(device_load.CLAIMS))[:3])
    plane.api("DELETE", device_load.CLAIMS)
    wait_until(lambda: not plane.items(device_load.CLAIMS), 60)
    report.line("claims left when they are deleted", [], [each["metadata"]["name"] for each in plane.items(device_load.CLAIMS)][:5])
    time.sleep(1)
    report.line("given away twice, at any event", [], checker.broken[:3])
    report.note("events of claims, allocations", f"{checker.events}, {checker.taken.allocations}")
    report.note("devices", len(checker.taken.offer.devices))
    checker.is_over = True
    process.stop()
    plane.stop()
