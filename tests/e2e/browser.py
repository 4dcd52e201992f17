"""A real browser for tests: Debian's chromium without a window, driven through chromedriver (WebDriver over HTTP)."""

import base64
import http.client
import json
import shutil
import subprocess
import time

import drill


def is_there():
    return bool(shutil.which("chromium") and shutil.which("chromedriver"))


class Browser:
    """One window. size: width and height of the page."""

    def __init__(self, size=(1280, 800), is_dark=False):
        self.port = drill.free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}", "--silent"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.session = ""
        drill.until("chromedriver", self.is_up)
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1"]
        if is_dark:
            flags.append("--blink-settings=preferredColorScheme=0")
        always = {"browserName": "chrome", "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": flags},
                  "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = "/session/" + self.call("POST", "/session", {"capabilities": {"alwaysMatch": always}})["sessionId"]
        self.cdp("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def is_up(self):
        try:
            return self.call("GET", "/status")["ready"]
        except (OSError, http.client.HTTPException):
            return False

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=drill.PATIENCE)
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"})
        value = json.loads(connection.getresponse().read())["value"]
        connection.close()
        if isinstance(value, dict) and "error" in value:
            raise RuntimeError(f"{path}: {value['error']}: {value['message'][:300]}")
        return value

    def cdp(self, command, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def run(self, script, *arguments):
        """What the script returns; it runs in the page."""
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.innerText", selector)

    def press(self, key):
        """A key by its name, to the element with the focus."""
        code = {"Enter": 13, "ArrowRight": 39, "ArrowDown": 40, "Escape": 27, "Tab": 9}.get(key, 0)
        for kind in ["rawKeyDown", "keyUp"]:
            self.cdp("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def log(self):
        """Errors that the page caused, violations of its Content-Security-Policy among them."""
        return [entry for entry in self.call("POST", self.session + "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def picture(self, path):
        time.sleep(0.3)  # the last frame
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
