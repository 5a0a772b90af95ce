"""A user's machine in a scratch folder: a home, a project `demo`, a daemon and luzia-web. Used by the tests beside it,
which speak HTTP as strangers do: with Python's standard library alone."""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import uuid

BIN = os.environ["LUZIA_BIN"]  # folder of the build with tools/
LUZIA = BIN + "/tools/luzia/luzia"
WEB = BIN + "/tools/luzia-web/luzia-web"
QUERY = BIN + "/tools/luzia-query/luzia-query"
PATIENCE_S = 60


def wait_until(true, what):
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        value = true()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("not within %d s: %s" % (PATIENCE_S, what))


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)

    def code(self):
        """The code of a problem document."""
        assert self.headers["Content-Type"] == "application/problem+json", self.body
        return self.json()["code"]


class Page:
    def __init__(self, half, cookie):
        self.half, self.cookie = half, cookie


class Machine:
    """Programs of a scratch home. close() ends them all."""

    def __init__(self, config=""):
        self.home = tempfile.mkdtemp(prefix="luzia-web-")
        self.store = self.home + "/store"
        os.makedirs(self.home + "/demo")
        os.makedirs(self.home + "/other")
        os.makedirs(self.home + "/.config/luzia")
        with open(self.home + "/.config/luzia/luzia.toml", "w") as file:
            file.write(
                '[store]\npath = "%s"\n[jobs]\nroot = "%s/jobs"\n[projects.demo]\npath = "%s/demo"\nagent = "shell"\n'
                '[projects.other]\npath = "%s/other"\nagent = "shell"\n%s\n'
                % (self.store, self.home, self.home, self.home, config)
            )
        self.environment = {
            "HOME": self.home,
            "XDG_RUNTIME_DIR": self.home,
            "PATH": os.path.dirname(LUZIA) + ":/usr/bin:/bin",
            "LANG": "C.UTF-8",
        }
        self.web = None
        self.port = 0

    def run(self, *words):
        return subprocess.run(
            [LUZIA, *words], env=self.environment, capture_output=True, text=True, cwd=self.home + "/demo"
        )

    def luzia(self, *words, ok=True):
        done = self.run(*words)
        assert not ok or done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout.strip()

    def query(self, *words):
        return subprocess.check_output([QUERY, *words, "--store", self.store], env=self.environment, text=True)

    def start_web(self, *options, listen=None):
        self.log = open(self.home + "/web.log", "ab")
        listen = listen or "127.0.0.1:%d" % self.port
        self.web = subprocess.Popen(
            [WEB, "--store", self.store, "--listen", listen, *options],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )
        state = self.store + ".web.json"

        def listening():
            assert self.web.poll() is None, self.web_log()
            try:
                with open(state) as file:
                    read = json.load(file)
            except (FileNotFoundError, ValueError):
                return None
            return read if read["pid"] == self.web.pid else None

        self.url = wait_until(listening, "luzia-web listens")["url"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def stop_web(self, how=signal.SIGTERM):
        self.web.send_signal(how)
        code = self.web.wait(PATIENCE_S)
        self.log.close()
        return code

    def web_log(self):
        with open(self.home + "/web.log") as file:
            return file.read()

    def start_daemon(self):
        self.luzia("daemon", "start")

    def kill_daemon(self):
        pid = json.loads(self.luzia("daemon", "status", "--json"))["pid"]
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not os.path.exists("/proc/%d" % pid) or open("/proc/%d/stat" % pid).read().split()[2] == "Z",
                   "the daemon is gone")

    def pair(self, role="operator", name="test", *projects):
        words = ["web", "pair", "--role", role, "--name", name, "--json"]
        for project in projects:
            words += ["--project", project]
        code = json.loads(self.luzia(*words))["code"]
        reply = self.ask("POST", "/v1/pair", {"code": code})
        assert reply.status == 201, reply.body
        return reply.json()["token"]

    def pair_page(self, role):
        """A page's half of a token and its cookie."""
        code = json.loads(self.luzia("web", "pair", "--role", role, "--json"))["code"]
        reply = self.ask("POST", "/v1/pair", {"code": code})
        assert reply.status == 201, reply.body
        return Page(reply.json()["page"], reply.headers["Set-Cookie"].split(";")[0])

    def ask(self, method, path, body=None, token=None, key=None, headers=None):
        """A request as urllib sends it; errors are replies too."""
        all_headers = dict(headers or {})
        if body is not None:
            all_headers["Content-Type"] = "application/json"
        if token is not None:
            all_headers["Authorization"] = "Bearer " + token
        if key is not None:
            all_headers["Idempotency-Key"] = key
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=all_headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return Reply(answer.status, answer.headers, answer.read().decode())
        except urllib.error.HTTPError as error:
            return Reply(error.code, error.headers, error.read().decode())

    def ask_as(self, user, requests):
        """The statuses of requests [path, body or None, headers] that another account of the machine sends. Needs root,
        for the kernel tells luzia-web who connects."""
        program = """
import json, sys, urllib.error, urllib.request
for url, body, headers in json.load(sys.stdin):
    data = None if body is None else json.dumps(body).encode()
    try:
        print(urllib.request.urlopen(urllib.request.Request(url, data, headers)).status)
    except urllib.error.HTTPError as error:
        print(error.code)
"""
        asked = [[self.url + path, body, {"Content-Type": "application/json", **headers}]
                 for path, body, headers in requests]
        done = subprocess.run(["/usr/bin/python3", "-B", "-c", program], input=json.dumps(asked), cwd="/", env={},
                              user=user, group=user, extra_groups=[], capture_output=True, text=True, check=True)
        return [int(line) for line in done.stdout.split()]

    def code(self):
        return json.loads(self.luzia("web", "pair", "--json"))["code"]

    def raw(self, text, timeout=PATIENCE_S):
        """Sends bytes and returns all that comes until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(text if isinstance(text, bytes) else text.encode())
            received = b""
            try:
                while piece := connection.recv(65536):
                    received += piece
            except ConnectionResetError:
                pass
            return received.decode(errors="replace")

    def dispatch(self, token, task, project="demo", **fields):
        reply = self.ask("POST", "/v1/jobs", {"project": project, "task": task, **fields}, token, str(uuid.uuid4()))
        assert reply.status == 201, reply.body
        return reply.json()["id"]

    def close(self):
        if self.web is not None and self.web.poll() is None:
            self.stop_web()
        # Jobs outlive the daemon: those that ask would wait without end.
        live = json.loads(self.luzia("jobs", "--json", ok=False) or "{}").get("jobs", [])
        if live:
            ids = [job["id"] for job in live]
            self.luzia("cancel", "--grace", "0s", *ids, ok=False)
            self.luzia("wait", "--timeout", "20s", *ids, ok=False)
        self.luzia("daemon", "stop", ok=False)
        shutil.rmtree(self.home, ignore_errors=True)


class Stream:
    """Reads server-sent events: (id, object) each."""

    def __init__(self, machine, token, since=None, last=None, query=""):
        headers = {"Authorization": "Bearer " + token, "Accept": "text/event-stream"}
        if last is not None:
            headers["Last-Event-ID"] = str(last)
        self.connection = http.client.HTTPConnection("127.0.0.1", machine.port, timeout=PATIENCE_S)
        place = "" if since is None else "since=%d" % since
        self.connection.request("GET", "/v1/events?%s%s" % (place, query), headers=headers)
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, (self.answer.status, self.answer.read())

    def next(self):
        """None: the stream has ended."""
        place, data = None, None
        while True:
            try:
                line = self.answer.readline()
            except (http.client.IncompleteRead, ConnectionError, ValueError):
                return None
            if not line:
                return None
            line = line.decode().rstrip("\n")
            if line.startswith("id: "):
                place = int(line[4:])
            elif line.startswith("data: "):
                data = json.loads(line[6:])
            elif not line and data is not None:
                return place, data

    def close(self):
        self.connection.close()


class MachineTest(unittest.TestCase):
    """One machine for all tests of the class."""

    config = ""
    web_options = ()

    @classmethod
    def setUpClass(cls):
        cls.machine = Machine(cls.config)
        try:
            cls.machine.start_daemon()
            cls.machine.start_web(*cls.web_options)
        except BaseException:
            cls.machine.close()
            raise

    @classmethod
    def tearDownClass(cls):
        cls.machine.close()
