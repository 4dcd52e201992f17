#!/usr/bin/env python3
"""The operator of a database with one primary, as far as its hook for evictions goes: pg_operator.py SANDBOX FOLDER.

Prints the hook's address. Pods carry app=pg and role=primary or role=replica: "run" promotes a replica and lets the old primary
step down, which it does only when FOLDER/slow does not exist; "cancel" and "rollback" put it in charge again. FOLDER/log gets a
line per call. Who does not know the token is sent away."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from kubevirt import MERGE, PODS, Api

SANDBOX, FOLDER = sys.argv[1:3]
api = Api(SANDBOX, "e2e")


def set_role(pod, role):
    api("PATCH", f"{PODS}/{pod}", {"metadata": {"labels": {"role": role}}}, MERGE)


def others(pod, role):
    pods = api("GET", f"{PODS}?labelSelector=app=pg,role={role}")[1]["items"]
    return [item["metadata"]["name"] for item in pods if item["metadata"]["name"] != pod]


def hand_over(pod):
    if not others(pod, "primary"):
        set_role(others(pod, "replica")[0], "primary")
    if not os.path.exists(os.path.join(FOLDER, "slow")):
        set_role(pod, "replica")


def take_back(pod):
    for other in others(pod, "primary"):
        set_role(other, "replica")
    set_role(pod, "primary")


class Hook(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != "Bearer sesame":
            self.answer(401, {})
            return
        with open(os.path.join(FOLDER, "log"), "a", encoding="utf-8") as log:
            log.write(f'{order["op"]} {order["stage"]} {order["pod"]["name"]}\n')
        if order["op"] in ("cancel", "rollback"):
            take_back(order["pod"]["name"])
        else:
            hand_over(order["pod"]["name"])
        self.answer(200, {"result": "Done", "message": order["op"] + " done"})


server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
print(f"http://127.0.0.1:{server.server_port}/hook", flush=True)
server.serve_forever()
