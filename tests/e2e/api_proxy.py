"""A proxy in front of a sandbox, for tests: counts requests, and on demand fails them, loses answers and cuts watches.

Runs in a thread of its own (start) with its own event loop, or as a program: api_proxy.py SERVER_PORT SEED FAULTS (JSON);
it prints its port, and answers /proxy/counts and /proxy/calm (no more faults from now on) itself. Plain HTTP/1.1 on both sides, one
connection to the server per client connection. All decisions come from one seeded generator.
"""

import asyncio
import collections
import http
import json
import random
import sys
import threading

CHUNK = 1 << 16


class Faults:
    """Shares of requests, in percent. Leases are left alone unless told otherwise: faults there are a test of their own."""

    def __init__(self, conflict=0, busy=0, broken=0, lost=0, expired=0, cut=0, leases=False):
        self.conflict, self.busy, self.broken, self.lost = conflict, busy, broken, lost
        self.expired = expired  # watches that end with 410
        self.cut = cut  # seconds after which a watch is cut at the latest; 0 = never
        self.leases = leases


class Proxy:
    def __init__(self, port, seed=1):
        self.server_port, self.random = port, random.Random(seed)
        self.faults = Faults()
        self.calls = collections.Counter()  # "PATCH pods/status"
        self.injected = collections.Counter()
        self.open = 0  # connections that may still bring a request or are at one, watches aside
        self.port = None
        self.loop = asyncio.new_event_loop()
        self.connections = set()

    def start(self):
        ready = threading.Event()
        threading.Thread(target=self._run, args=(ready,), daemon=True).start()
        ready.wait(30)
        return self

    def _run(self, ready):
        asyncio.set_event_loop(self.loop)
        self.listener = self.loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 24))
        self.port = self.listener.sockets[0].getsockname()[1]
        ready.set()
        self.loop.run_forever()

    def writes(self):
        """Calls that change something, leases and events aside."""
        return {name: count for name, count in self.calls.items()
                if not name.startswith("GET ") and " leases" not in name and " events" not in name}

    def drop_watches(self):
        """Cuts every connection there is."""
        self.loop.call_soon_threadsafe(lambda: [writer.transport.abort() for writer in list(self.connections)])

    # ---- one connection

    async def _serve(self, reader, writer):
        self.connections.add(writer)
        self.open += 1
        upstream = None
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                if upstream is None:
                    upstream = await asyncio.open_connection("127.0.0.1", self.server_port, limit=1 << 24)
                if not await self._exchange(head, reader, writer, *upstream):
                    break
        except (asyncio.IncompleteReadError, ConnectionError, OSError):
            pass
        finally:
            self.open -= 1
            self.connections.discard(writer)
            for one in [writer] + ([upstream[1]] if upstream else []):
                one.close()

    async def _exchange(self, head, reader, writer, up_reader, up_writer):
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ", 2)
        body = await reader.readexactly(self._length(head))
        name = self._name(method, target)
        is_watch = "watch=" in target
        if target.startswith("/proxy/"):
            if target == "/proxy/calm":
                self.faults = Faults()
            await self._reply(writer, 200, {"calls": self.calls, "faults": self.injected, "open": self.open - 1})  # not this one
            return True
        self.open -= is_watch
        try:
            return await self._pass_on(name, method, is_watch, head + body, writer, up_reader, up_writer)
        finally:
            self.open += is_watch

    async def _pass_on(self, name, method, is_watch, request, writer, up_reader, up_writer):
        self.calls[name] += 1
        fault = self._draw(name, method, is_watch)
        if fault in (409, 410, 429, 500):
            await self._answer(writer, fault)
            return True
        up_writer.write(request)
        await up_writer.drain()
        answer = await up_reader.readuntil(b"\r\n\r\n")
        if fault == "lost":  # done, but nobody knows
            await self._read_body(answer, method, up_reader, None)
            return False
        writer.write(answer)
        limit = self.random.uniform(0.2, self.faults.cut) if is_watch and self.faults.cut else None
        try:
            await asyncio.wait_for(self._read_body(answer, method, up_reader, writer), limit)
        except asyncio.TimeoutError:
            self.injected["cut"] += 1
            writer.transport.abort()
            return False
        return b"connection: close" not in answer.lower()

    async def _read_body(self, head, method, reader, writer):
        lower = head.lower()
        if b"transfer-encoding: chunked" in lower:
            while True:
                size = await reader.readuntil(b"\r\n")
                data = await reader.readexactly(int(size.split(b";")[0], 16) + 2)
                if writer:
                    writer.write(size + data)
                    await writer.drain()
                if int(size.split(b";")[0], 16) == 0:
                    return
        remaining = self._length(head)
        while remaining:
            data = await reader.readexactly(min(remaining, CHUNK))
            remaining -= len(data)
            if writer:
                writer.write(data)
                await writer.drain()
        if writer:
            await writer.drain()

    async def _answer(self, writer, code):
        reasons = {409: "Conflict", 410: "Expired", 429: "TooManyRequests", 500: "InternalError"}
        await self._reply(writer, code, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
                                         "code": code, "reason": reasons[code], "message": f"injected {code}"})

    @staticmethod
    async def _reply(writer, code, value):
        body = json.dumps(value).encode()
        retry = "Retry-After: 1\r\n" if code == 429 else ""
        writer.write(f"HTTP/1.1 {code} {http.HTTPStatus(code).phrase}\r\nContent-Type: application/json\r\n{retry}"
                     f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()

    # ---- what a request is, and what becomes of it

    @staticmethod
    def _length(head):
        for line in head.split(b"\r\n")[1:]:
            if line.lower().startswith(b"content-length:"):
                return int(line.split(b":")[1])
        return 0

    @staticmethod
    def _name(method, target):
        """GET pods, PATCH pods/status, POST pods/binding."""
        parts = target.split("?")[0].strip("/").split("/")
        parts = parts[2:] if parts[0] == "api" else parts[3:]
        if parts[:1] == ["namespaces"] and len(parts) > 2:
            parts = parts[2:]
        return method + " " + "/".join(parts[:1] + parts[2:])

    def _draw(self, name, method, is_watch):
        faults = self.faults
        if " leases" in name and not faults.leases:
            return None
        drawn = self.random.uniform(0, 100)
        kinds = [(410, faults.expired)] if is_watch else [(429, faults.busy), (500, faults.broken)]
        if method not in ("GET",):
            kinds += [(409, faults.conflict), ("lost", faults.lost)]
        for kind, share in kinds:
            if drawn < share:
                self.injected[str(kind)] += 1
                return kind
            drawn -= share
        return None


if __name__ == "__main__":
    proxy = Proxy(int(sys.argv[1]), int(sys.argv[2]))
    proxy.faults = Faults(**json.loads(sys.argv[3]))
    print(proxy.start().port, flush=True)
    threading.Event().wait()
