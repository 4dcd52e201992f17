#!/usr/bin/env python3
"""A hook for eviction stages: keeps what it was told in FILE, and answers as files of a folder say.

hook_server.py FOLDER: prints its address. FOLDER/log gets "op id attempt" per call. A stage is under way until
FOLDER/done-STAGE-POD exists; FOLDER/fail-STAGE makes it answer 500."""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = sys.argv[1]
started = set()


class Hook(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        op, stage = order["op"], order["stage"]
        with open(os.path.join(folder, "log"), "a", encoding="utf-8") as log:
            log.write(f'{op} {order["id"].split("/")[1]} {order["attempt"]} {order["id"]}\n')
        if os.path.exists(os.path.join(folder, "fail-" + stage)):
            self.answer(500, {"message": "no"})
        elif op == "poll" and order["id"] not in started:
            self.answer(404, {})
        elif op in ("cancel", "rollback") or os.path.exists(os.path.join(folder, f'done-{stage}-{order["pod"]["name"]}')):
            self.answer(200, {"result": "Done", "message": op + " done"})
        else:
            started.add(order["id"])
            self.answer(200, {"result": "InProgress", "retryAfterSeconds": 1, "message": "half way"})


server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
print(f"http://127.0.0.1:{server.server_port}/hook", flush=True)
server.serve_forever()
