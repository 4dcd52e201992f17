#!/usr/bin/env python3
"""berth beside the programs it stands in for: peers.py BERTH FOLDER [ROW...].

FOLDER holds kube-apiserver, etcd, etcdctl, kube-scheduler, kube-controller-manager and descheduler. Prints one table;
ends with 1 when a line of it is FAILED. Rows are named in ROWS; without any, all run. Logs stay in --logs.
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import traceback

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[1] / "e2e")]

import agreement
import churn
import cost
import device_cases
import device_random
import devices
import lease
import on_sandbox
import paced
import restarts
import rights
import start
from report import Report
from stage import Stage

NEEDED = ("kube-apiserver", "etcd", "etcdctl", "kube-scheduler", "kube-controller-manager", "descheduler")
# Name, what is done. A row takes the stage and the report.
ROWS = {
    "rights-scheduler": rights.scheduler,
    "rights-descheduler": rights.descheduler,
    "rights-evictions": rights.evictions,
    "rights-reboot": rights.reboot,
    "rights-run": rights.several,
    "certificates": restarts.certificates,
    "outages": restarts.outages,
    "compaction": restarts.compaction,
    "one-lease": lease.one_lease,
    "agreement": agreement.agreement,
    "devices": devices.devices,
    "device-cases": device_cases.device_cases,
    "device-groups": device_cases.device_groups,
    "device-random": device_random.device_random,
    "paced": paced.paced,
    "churn": churn.churn,
    "cost": cost.cost,
    "start": start.start,
    "dry-run": start.one_dry_run,
    "sandbox-accounts": on_sandbox.accounts,
    "sandbox-one-account": on_sandbox.one_account,
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("berth", type=pathlib.Path)
    parser.add_argument("peers", type=pathlib.Path)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--logs", type=pathlib.Path, help="folder for logs and data; without it, one that is removed unless a row failed")
    parser.add_argument("--minutes", type=float, default=float(os.environ.get("PEERS_MINUTES", 10)),
                        help="how long churn and each row on the sandbox take (default PEERS_MINUTES, or 10)")
    parser.add_argument("--nodes", type=int, default=int(os.environ.get("PEERS_NODES", 500)), help="of the row agreement")
    parser.add_argument("--pods", type=int, default=int(os.environ.get("PEERS_PODS", 2730)), help="of the row agreement")
    return parser.parse_args()


def run_row(name, stage, report):
    report.row, first = name, len(stage.started)
    try:
        ROWS[name](stage, report)
    except Exception as problem:  # the other rows still run
        trace = traceback.extract_tb(problem.__traceback__)[-1]
        report.line("went through", "all steps", f"{type(problem).__name__}: {problem} ({pathlib.Path(trace.filename).name}:{trace.lineno})")
    stage.end_row(first)


def main():
    options = arguments()
    rows = options.rows or list(ROWS)
    unknown = [row for row in rows if row not in ROWS]
    absent = [name for name in NEEDED if not (options.peers / name).exists()]
    if unknown or absent:
        sys.exit(f"no such row: {', '.join(unknown)}" if unknown else f"{options.peers} has no {', '.join(absent)}")
    folder = options.logs or pathlib.Path(tempfile.mkdtemp(prefix="peers-"))
    folder.mkdir(parents=True, exist_ok=True)
    stage, report = Stage(options, folder.resolve()), Report()
    try:
        for row in rows:
            run_row(row, stage, report)
    finally:
        stage.end()
    code = report.end()
    if code or options.logs:
        print(f"logs: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
