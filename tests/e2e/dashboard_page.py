"""A process with the page, and the documents and changes that it serves."""

import http.client
import json
import re
import subprocess
import threading

import drill
from drill import until


class Process:
    """A berth that prints the address of its page."""

    def __init__(self, berth, *arguments):
        self.lines = []
        self.process = subprocess.Popen([berth, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=self.read, daemon=True).start()
        self.url = until("address of the page", lambda: self.found(r"dashboard (http\S+)"))
        self.port, self.token = re.match(r"http://127.0.0.1:(\d+)/\?token=(\w+)$", self.url).groups()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line)

    def found(self, pattern):
        match = re.search(pattern, "".join(self.lines))
        return match and match.group(1)

    def ask(self, path, headers=None, method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=drill.PATIENCE)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def get(self, name):
        answer, body = self.ask("/api/berth/v1/" + name, {"Authorization": "Bearer " + self.token})
        return json.loads(body) if answer.status == 200 else None

    def plan(self, question, form=""):
        """The answer to a question about what would be: its status, and the value or the text."""
        answer, body = self.ask("/api/berth/v1/plan" + (f"?as={form}" if form else ""),
                                {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"}, "POST", json.dumps(question))
        return answer.status, body.decode() if form else json.loads(body)

    def end(self):
        self.process.terminate()
        return self.process.wait(timeout=drill.PATIENCE)


class Events:
    """Server-sent events, one after the other."""

    def __init__(self, process, since="", header=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", int(process.port), timeout=drill.PATIENCE)
        headers = {"Authorization": "Bearer " + process.token, **({"Last-Event-ID": header} if header else {})}
        self.connection.request("GET", "/api/berth/v1/changes" + (f"?since={since}" if since else ""), headers=headers)
        self.answer = self.connection.getresponse()

    def next(self):
        event = {}
        while True:
            line = self.answer.readline().decode().rstrip("\n")
            if not line and event:
                return event["event"], json.loads(event["data"])
            if ": " in line:
                name, value = line.split(": ", 1)
                event[name] = value
