"""A collector of traces that keeps what it is sent: collector.py PORT_FILE OUTPUT. Each POST to /v1/traces becomes a line."""

import http.server
import json
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(sys.argv[2], "a", encoding="utf-8") as out:
            print(json.dumps({"path": self.path, "type": self.headers["Content-Type"], "body": json.loads(body)}), file=out)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1], "w", encoding="utf-8") as port:
    print(server.server_port, file=port)
server.serve_forever()
