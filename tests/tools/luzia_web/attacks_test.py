"""Attacks that have broken servers like this one, as an attacker would try them. Each names what it is about."""

import base64
import json
import os
import re
import resource
import socket
import threading
import time
import unittest
import uuid

from scratch import PATIENCE_S, Machine, MachineTest, Stream, wait_until

KEY = base64.b64encode(b"0123456789abcdef").decode()


def bytes_unread(connections):
    """What the server has not read of these connections."""
    ports = {"%04X" % connection.getsockname()[1] for connection in connections}
    with open("/proc/net/tcp") as file:
        lines = [line.split() for line in file.readlines()[1:]]
    return sum(int(line[4].split(":")[1], 16) for line in lines if line[2].split(":")[1] in ports)


class Attacks(MachineTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.token = cls.machine.pair("operator", "victim")
        # What a browser with the victim's page sends.
        page = cls.machine.pair_page("operator")
        cls.cookie = page.cookie
        cls.browser = ["Cookie: " + page.cookie, "Luzia-Page: " + page.half]

    def host(self):
        return "localhost:%d" % self.machine.port

    def request(self, line, headers=(), body=b"", host=None):
        text = "%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n" % (line, host or self.host())
        return (text + "".join(header + "\r\n" for header in headers) + "\r\n").encode() + body

    def status(self, *request, **more):
        """The status of the answer to a raw request; 0: none came."""
        answer = self.machine.raw(self.request(*request, **more))
        found = re.match(r"HTTP/1.1 (\d+) ", answer)
        return int(found.group(1)) if found else 0

    def jobs(self):
        return self.machine.ask("GET", "/v1/jobs?all=1&limit=1000", token=self.token).json()["jobs"]

    def assert_serves(self):
        self.assertEqual(self.machine.ask("GET", "/v1/me", token=self.token).status, 200)

    def test_dns_rebinding_gets_no_answer(self):
        for host in ("attacker.example", "attacker.example:%d" % self.machine.port, "localhost.attacker.example"):
            self.assertEqual(self.status("GET /v1/jobs", self.browser, host=host), 421, host)
            self.assertEqual(self.status("GET /", host=host), 421, host)
        self.assertEqual(self.status("GET /v1/jobs", self.browser), 200)

    def test_two_hosts_are_none(self):
        self.assertEqual(self.status("GET /v1/me", ["Host: attacker.example", *self.browser]), 421)

    def test_a_page_of_another_site_changes_nothing(self):
        body = json.dumps({"project": "demo", "task": "touch pwned"}).encode()
        length = "Content-Length: %d" % len(body)
        before = len(self.jobs())
        for headers in (
            ["Origin: http://attacker.example", "Content-Type: application/json"],
            ["Origin: null", "Content-Type: application/json"],
            ["Origin: http://localhost:1", "Content-Type: application/json"],
            ["Sec-Fetch-Site: cross-site", "Content-Type: application/json"],
            ["Sec-Fetch-Site: same-site", "Content-Type: application/json"],
        ):
            all_headers = [*headers, length, *self.browser, "Idempotency-Key: a"]
            status = self.status("POST /v1/jobs", all_headers, body)
            self.assertEqual(status, 403, headers)
        # A form needs no permission of the other site; its types are no JSON.
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
            headers = ["Content-Type: " + kind, length, *self.browser, "Idempotency-Key: a"]
            self.assertEqual(self.status("POST /v1/jobs", headers, body), 415, kind)
        self.assertEqual(len(self.jobs()), before)

    def test_no_other_site_is_allowed_by_headers(self):
        for line, headers in (("GET /v1/jobs", ["Origin: http://attacker.example"]),
                              ("OPTIONS /v1/jobs", ["Origin: null", "Access-Control-Request-Method: POST"])):
            answer = self.machine.raw(self.request(line, [*headers, *self.browser]))
            self.assertNotIn("access-control-allow", answer.lower())
            self.assertNotIn(" 200 ", answer.split("\r\n")[0])

    def test_a_stream_opens_for_no_other_site(self):
        for header in ("Origin: http://attacker.example", "Origin: null", "Sec-Fetch-Site: cross-site"):
            headers = ["Accept: text/event-stream", *self.browser, header]
            self.assertEqual(self.status("GET /v1/events", headers), 403, header)

    def test_no_upgrade_gets_past_the_door(self):
        for upgrade in ("websocket", "h2c", "tls/1.0"):
            for path in ("/", "/v1/live", "/v1/events"):
                answer = self.machine.raw(
                    "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: %s\r\n"
                    "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
                    "Origin: http://attacker.example\r\n%s\r\n\r\n"
                    % (path, self.host(), upgrade, KEY, "\r\n".join(self.browser)))
                self.assertNotIn(" 101 ", answer, upgrade + path)
        self.assert_serves()

    def test_nothing_is_told_without_a_token(self):
        routes = json.loads(self.machine.ask("GET", "/v1/openapi.json").body)["paths"]
        for path, methods in routes.items():
            for method, operation in methods.items():
                path = re.sub(r"\{\w+\}", "x", path)
                if operation.get("security") == []:
                    continue
                body = {} if method == "post" else None
                replies = []

                def answered():  # 429: strangers have asked too much, and their budget fills again
                    replies.append(self.machine.ask(method.upper(), path, body, key="k"))
                    return replies[-1].status != 429

                wait_until(answered, path)
                self.assertEqual(replies[-1].status, 401, path)
                for reply in replies:
                    self.assertNotIn("demo", reply.body)

    def test_another_user_of_the_machine_gets_nothing(self):
        # From the loopback address, as any process of the machine may connect; with every header but a token.
        headers = ["Origin: http://" + self.host(), "Sec-Fetch-Site: same-origin"]
        self.assertEqual(self.status("GET /v1/jobs", headers), 401)
        self.assertEqual(self.status("GET /v1/jobs", [*headers, "Authorization: Bearer " + "a" * 43]), 401)
        self.assertEqual(os.stat(self.machine.store + ".web.json").st_mode & 0o777, 0o600)

    def test_a_token_in_the_address_is_refused_and_not_logged(self):
        for name in ("token", "access_token", "code"):
            self.assertEqual(self.status("GET /v1/jobs?%s=%s" % (name, self.token)), 400, name)
        self.assertEqual(self.status("GET /v1/" + self.token), 404)
        with open("/proc/%d/cmdline" % self.machine.web.pid) as file:
            self.assertNotIn(self.token, file.read())
        log = self.machine.web_log()
        with open(self.machine.store + "/luziad.log") as file:
            log += file.read()
        self.assertNotIn(self.token, log)
        self.assertNotIn(self.cookie, log)
        self.assertNotIn(self.browser[1], log)

    def test_the_cookie_is_out_of_reach_of_scripts_and_sites(self):
        code = json.loads(self.machine.luzia("web", "pair", "--json"))["code"]

        def paired():  # requests without a token may have been too many just before
            reply = self.machine.ask("POST", "/v1/pair", {"code": code})
            return reply.status == 201 and reply

        cookie = wait_until(paired, "it is paired").headers["Set-Cookie"]
        for word in ("HttpOnly", "SameSite=Strict", "Path=/"):
            self.assertIn(word, cookie)

    def test_a_server_at_another_port_gets_no_token(self):
        # Cookies belong to a host: the victim's browser sends ours to any server of the machine that a page leads to.
        for headers in (["Cookie: " + self.cookie], self.browser[1:],
                        ["Cookie: " + self.cookie, "Luzia-Page: " + self.machine.pair_page("viewer").half],
                        ["Authorization: Bearer " + self.cookie.split("=")[1]]):
            self.assertIn(self.status("GET /v1/jobs", headers), (401, 429), headers)
        self.assertEqual(self.status("GET /v1/jobs", self.browser), 200)

    def test_pages_embed_and_load_nothing_of_others(self):
        answer = self.machine.ask("GET", "/healthz")
        policy = answer.headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")

    def test_output_of_an_agent_is_no_page(self):
        job = self.machine.dispatch(self.token, "echo '<script>alert(1)</script>'")
        path = "/v1/jobs/" + job
        wait_until(lambda: self.machine.ask("GET", path, token=self.token).json()["state"] == "completed", "ended")
        reply = self.machine.ask("GET", "/v1/jobs/%s/output" % job, token=self.token)
        self.assertEqual(reply.headers["Content-Type"], "text/plain; charset=utf-8")
        self.assertIn("<script>", reply.body)

    def test_a_body_of_a_gigabyte_is_not_read(self):
        for more in (["Authorization: Bearer " + self.token], []):
            headers = [*more, "Content-Type: application/json", "Content-Length: 1073741824", "Idempotency-Key: big"]
            with socket.create_connection(("127.0.0.1", self.machine.port), timeout=PATIENCE_S) as connection:
                connection.sendall(self.request("POST /v1/jobs", headers))
                answer = connection.recv(65536).decode()
                self.assertIn(" 413 ", answer.split("\r\n")[0])
                sent = 0
                with self.assertRaises(OSError):
                    while sent < 1 << 30:
                        sent += connection.send(b"x" * 65536)
        self.assertLess(memory_of(self.machine.web.pid), 300 << 20)
        self.assert_serves()

    def test_bodies_that_nobody_wants_stay_unread(self):
        head = self.request("POST /v1/jobs", ["Content-Type: application/json", "Content-Length: 1073741824"])
        senders, opened, began = [None] * 16, 0, time.monotonic()
        while time.monotonic() < began + 2:
            for at, sender in enumerate(senders):
                if sender is None:
                    senders[at] = socket.create_connection(("127.0.0.1", self.machine.port), PATIENCE_S)
                    senders[at].sendall(head)
                    senders[at].setblocking(False)
                    opened += 1
                    continue
                try:
                    sender.send(b"x" * 65536)
                except BlockingIOError:
                    pass
                except OSError:
                    sender.close()
                    senders[at] = None
                    continue
                try:
                    ended = sender.recv(65536) == b""
                except BlockingIOError:
                    continue
                except OSError:
                    ended = True
                if ended:
                    sender.close()
                    senders[at] = None
            time.sleep(0.005)
        # A connection stays open for a second, on the server's side too, in which little of it is read.
        self.assertLess(opened, len(senders) * (time.monotonic() - began + 2))
        self.assertGreater(bytes_unread([sender for sender in senders if sender]), len(senders) << 10)
        self.assert_serves()
        for sender in senders:
            if sender:
                sender.close()

    def test_a_refused_body_that_is_sent_first_is_answered(self):
        headers = ["Content-Type: application/json", "Content-Length: 500000"]
        self.assertEqual(self.status("POST /v1/jobs", headers, b"x" * 500000), 413)

    def test_bodies_without_a_length_are_refused(self):
        chunked = ["Transfer-Encoding: chunked", "Content-Type: application/json"]
        self.assertEqual(self.status("POST /v1/pair", chunked, b"2\r\n{}\r\n0\r\n\r\n"), 411)
        both = [*chunked, "Content-Length: 2"]
        self.assertEqual(self.status("POST /v1/pair", both, b"{}"), 411)
        twice = ["Content-Type: application/json", "Content-Length: 2", "Content-Length: 3"]
        self.assertEqual(self.status("POST /v1/pair", twice, b"{}x"), 411)

    def test_a_smuggled_request_is_not_answered_twice(self):
        inner = "{}GET /v1/me HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n" % (self.host(), "\r\n".join(self.browser))
        body = inner.encode()
        answer = self.machine.raw(self.request("GET /healthz", ["Content-Length: 2"], body))
        self.assertEqual(answer.count("HTTP/1.1 "), 1)

    def test_a_line_break_in_an_address_ends_no_line(self):
        for address in ("/v1/me%0AAuthorization:%20Bearer%20" + self.token, "/v1/jobs?project=demo%0Ax", "/healthz%0D",
                        "/healthz%0D%0A%0D%0AGET%20/v1/me"):
            answer = self.machine.raw("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (address, self.host()))
            self.assertEqual(answer.count("HTTP/1.1 "), 1, answer)
            self.assertIn("bad_request_line", answer)

    def test_requests_in_a_row_are_answered_in_order(self):
        one = "GET /v1/me HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n" % (self.host(), self.token)
        health = "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n" % self.host()
        last = self.request("GET /v1/nothing").decode()
        answer = self.machine.raw(one + health + one + health + last)
        self.assertEqual(re.findall(r"HTTP/1.1 (\d+) ", answer), ["200", "200", "200", "200", "404"])

    def test_reads_in_a_row_are_answered_in_order(self):
        job = self.machine.dispatch(self.token, "true")
        more = "Host: %s\r\nAuthorization: Bearer %s\r\n\r\n" % (self.host(), self.token)
        asked = ["/v1/jobs/" + job, "/v1/jobs/none", "/v1/jobs?limit=1", "/healthz", "/v1/jobs/" + job] * 4
        head = "".join("GET %s HTTP/1.1\r\n%s" % (path, more) for path in asked)
        answer = self.machine.raw(head + self.request("GET /v1/nothing").decode())
        statuses = re.findall(r"HTTP/1.1 (\d+) ", answer)
        self.assertEqual(statuses, ["200", "404", "200", "200", "200"] * 4 + ["404"])

    def test_bodies_that_are_sent_ahead_hang_nothing(self):
        # The library would read them from the wrong place, without end. No token is needed for that.
        host = "Host: %s\r\n" % self.host()
        post = ("POST /v1/jobs HTTP/1.1\r\n%sContent-Type: application/json\r\nIdempotency-Key: ahead\r\n"
                "Content-Length: 2\r\n\r\n{}" % host)
        get = "GET /healthz HTTP/1.1\r\n%s\r\n" % host
        refused = "PUT /v1/jobs HTTP/1.1\r\n%sContent-Length: 2\r\n\r\n{}" % host
        body = get.replace("\r\n\r\n", "\r\nContent-Length: 3\r\n\r\nabc")
        for first, then in ((post, post * 3), (get, post), (post, body), (get, refused), (get * 3, post + get)):
            answer = self.machine.raw(first + then)
            self.assertIn("body_sent_ahead", answer)
            self.assertEqual(answer.count("HTTP/1.1 "), first.count("HTTP/1.1") + 1)
            self.assert_serves()
        # In turn, a connection takes as many bodies as a client likes to send.
        with socket.create_connection(("127.0.0.1", self.machine.port), timeout=PATIENCE_S) as connection:
            for _ in range(3):
                connection.sendall(post.encode())
                self.assertIn(b" 401 ", connection.recv(65536))

    def test_a_stream_that_is_asked_for_with_more_behind_it_costs_nothing(self):
        request = ("GET /v1/events HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n"
                   "Authorization: Bearer %s\r\n\r\n" % (self.host(), self.token)).encode()
        still = [socket.create_connection(("127.0.0.1", self.machine.port), timeout=PATIENCE_S) for _ in range(5)]
        for connection in still:
            connection.sendall(request + b"x" * 1000)
        wait_until(lambda: at_rest(self.machine.web.pid), "the server waits for events")
        self.assert_serves()
        for connection in still:
            connection.close()

    def test_headers_that_others_read_differently_are_refused(self):
        nul = self.request("GET /v1/me", self.browser, host=self.host() + "\0.attacker.example")
        self.assertIn(" 421 ", self.machine.raw(nul).split("\r\n")[0])
        token = ["Authorization: Bearer " + self.token + "\0more"]
        self.assertEqual(self.status("GET /v1/me", token), 401)
        for header in ("Transfer-Encoding : chunked", "Content-Length : 5"):
            headers = [header, "Content-Type: application/json", "Content-Length: 2", "Idempotency-Key: blank"]
            self.assertEqual(self.status("POST /v1/jobs", [*headers, *self.browser], b"{}"), 411, header)

    def test_a_client_that_sends_on_during_a_stream_costs_nothing(self):
        stream = Stream(self.machine, self.token)
        stream.connection.sock.sendall(b"GET / HTTP/1.1\r\n\r\n" * 1000)
        self.machine.dispatch(self.token, "true")
        self.assertIsNotNone(stream.next(), "the stream goes on")
        wait_until(lambda: at_rest(self.machine.web.pid), "the server waits for events")
        stream.close()

    def test_damaged_requests_end_their_connection_alone(self):
        noise = os.urandom(4096)
        for bad in (b"\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", noise, b"GET / HTTP/9.9\r\n\r\n",
                    b"GET http://attacker.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"CONNECT a:1 HTTP/1.1\r\n\r\n",
                    b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a" * (1 << 20) + b"\r\n\r\n",
                    b"GET /" + b"%00" * 20000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"GET /../../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"):
            answer = self.machine.raw(bad + b"\r\n\r\n")
            self.assertNotIn(" 200 ", answer.split("\r\n")[0], bad[:40])
            self.assertNotIn("root:", answer)
        self.assert_serves()


class Floods(MachineTest):
    """They use up budgets of the loopback address: each test has programs of its own."""

    def setUp(self):
        self.machine = Machine()
        self.machine.start_daemon()
        self.machine.start_web()
        self.token = self.machine.pair("operator", "victim")

    def tearDown(self):
        self.machine.close()

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def assert_serves(self):
        self.assertEqual(self.machine.ask("GET", "/v1/me", token=self.token).status, 200)

    def test_ten_thousand_idle_sockets_are_bounded(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 12000), hard))
        idle = []
        try:
            for _ in range(min(10000, hard - 200)):
                idle.append(socket.create_connection(("127.0.0.1", self.machine.port), timeout=PATIENCE_S))
            self.assert_serves()
            files = len(os.listdir("/proc/%d/fd" % self.machine.web.pid))
            self.assertLess(files, 1000)
        finally:
            for connection in idle:
                connection.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    def test_a_flood_of_upgrades_costs_nothing(self):
        upgrade = ("GET /v1/live HTTP/1.1\r\nHost: localhost:%d\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                   "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n" % (self.machine.port, KEY)).encode()
        files = lambda: len(os.listdir("/proc/%d/fd" % self.machine.web.pid))
        before, memory = files(), memory_of(self.machine.web.pid)
        for _ in range(20):
            flood = [socket.create_connection(("127.0.0.1", self.machine.port), PATIENCE_S) for _ in range(100)]
            for connection in flood:
                connection.sendall(upgrade)
            for connection in flood:
                self.assertNotIn(b" 101 ", connection.recv(4096))
                connection.close()
        self.assert_serves()
        wait_until(lambda: files() <= before + 8, "their connections are closed")
        self.assertLess(memory_of(self.machine.web.pid) - memory, 32 << 20)

    def test_a_stream_that_opens_while_its_device_is_revoked_ends(self):
        for n in range(15):
            name = "lost-%d" % n
            token = self.machine.pair("viewer", name)
            code = []
            opening = [threading.Thread(target=lambda: code.append(self.stream_of(token)), daemon=True)
                       for _ in range(8)]
            for thread in opening[:4]:
                thread.start()
            revoking = threading.Thread(target=self.machine.luzia, args=("web", "revoke", name))
            revoking.start()
            for thread in opening[4:]:
                thread.start()
            for thread in [*opening, revoking]:
                thread.join(PATIENCE_S)
            self.assertEqual(code, ["ended"] * len(opening))

    def stream_of(self, token):
        """Reads a stream until it ends."""
        try:
            stream = Stream(self.machine, token)
            while stream.next() is not None:
                pass
            stream.close()
        except (AssertionError, OSError) as refused:
            return "ended" if re.search("40[13]|429|reset", str(refused)) else str(refused)
        return "ended"

    def test_bodies_that_do_not_come_keep_nobody_out(self):
        # Another user of the machine: all connections that the loopback address may have.
        still = []
        for _ in range(512):
            connection = socket.create_connection(("127.0.0.1", self.machine.port), timeout=PATIENCE_S)
            connection.sendall(b"POST /v1/pair HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               b"Content-Length: 4000\r\n\r\n{")
            still.append(connection)
        wait_until(lambda: bytes_unread(still) == 0, "the server has read all requests")
        for _ in range(5):
            self.assert_serves()
        for connection in still:
            connection.close()

    def test_slow_requests_end(self):
        def drip(first, rest):
            with socket.create_connection(("127.0.0.1", self.machine.port), timeout=PATIENCE_S) as connection:
                connection.sendall(first)
                try:
                    while True:
                        connection.sendall(rest)
                        connection.settimeout(0.5)
                        try:
                            if not connection.recv(4096):
                                return True
                        except socket.timeout:
                            pass
                except OSError:
                    return True

        host = b"Host: localhost\r\n"
        slow = [
            (b"GET / HTTP/1.1\r\n" + host, b"X: y\r\n"),
            (b"POST /v1/pair HTTP/1.1\r\n" + host +
             b"Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n", b" "),
        ]
        ended = []
        threads = [threading.Thread(target=lambda pair=pair: ended.append(drip(*pair))) for pair in slow * 20]
        for thread in threads:
            thread.start()
        self.assert_serves()
        for thread in threads:
            thread.join(PATIENCE_S)
        self.assertEqual(ended, [True] * len(threads))

    def test_a_head_in_pieces_is_answered(self):
        # Three times, so that the pause of one request does not last into the next.
        head = ("GET /v1/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n" % self.token).encode()
        with socket.create_connection(("127.0.0.1", self.machine.port), timeout=PATIENCE_S) as connection:
            for size in (20, 40, len(head)):
                for at in range(0, len(head), size):
                    connection.sendall(head[at:at + size])
                    time.sleep(0.3 if size < len(head) else 0)
                self.assertIn(b" 200 ", connection.recv(65536))

    def test_clients_with_slow_heads_are_read_seldom(self):
        slow = [socket.create_connection(("127.0.0.1", self.machine.port), PATIENCE_S) for _ in range(300)]
        for connection in slow:
            connection.sendall(b"GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\nX-Filler: ")

        def most_are_unread():
            for connection in slow:
                connection.sendall(b"x")
            time.sleep(0.1)
            return bytes_unread(slow) > len(slow) // 2

        wait_until(most_are_unread, "the server leaves them alone")
        self.assert_serves()
        for connection in slow:
            connection.close()

    def test_a_reader_that_does_not_read_costs_no_memory(self):
        position = self.machine.ask("GET", "/v1/events?limit=1", token=self.token).json()["position"]
        request = ("GET /v1/events?since=%d HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                   "Authorization: Bearer %s\r\n\r\n" % (position, self.token)).encode()
        still = [socket.create_connection(("127.0.0.1", self.machine.port)) for _ in range(10)]
        for connection in still:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(request)
        before = memory_of(self.machine.web.pid)
        jobs = [{"project": "demo", "task": "true #" + "x" * 500} for _ in range(1000)]
        for _ in range(5):
            reply = self.machine.ask("POST", "/v1/batch", {"jobs": jobs}, self.token, str(uuid.uuid4()))
            self.assertEqual(reply.status, 201, reply.body)
        self.assert_serves()
        self.assertLess(memory_of(self.machine.web.pid) - before, 100 << 20)
        for connection in still:
            connection.close()

    def test_large_answers_that_nobody_reads_are_bounded(self):
        job = self.machine.dispatch(self.token, "head -c 2000000 /dev/zero | tr '\\0' x")
        self.machine.luzia("wait", job)
        request = ("GET /v1/jobs/%s/output?limit=1048576 HTTP/1.1\r\nHost: localhost\r\n"
                   "Authorization: Bearer %s\r\n\r\n" % (job, self.token)).encode()
        still = []
        for _ in range(120):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", self.machine.port))
            connection.sendall(request)
            still.append(connection)
            wait_until(lambda: self.head_of(connection), "it is answered")
        self.assertLess(memory_of(self.machine.web.pid), 300 << 20)
        self.assertIn(b" 503 ", b"".join(self.head_of(each) for each in still))
        self.assert_serves()
        for connection in still:
            connection.close()

    def head_of(self, connection):
        """The beginning of what came, left unread."""
        try:
            return connection.recv(64, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return b""

    def test_one_device_opens_a_bounded_number_of_streams(self):
        streams = []
        with self.assertRaises(AssertionError) as refused:
            for _ in range(40):
                streams.append(Stream(self.machine, self.token))
        self.assertIn("429", str(refused.exception))
        self.assertGreaterEqual(len(streams), 8)
        for stream in streams:
            stream.close()


class BehindAProxy(MachineTest):
    web_options = ("--behind-proxy", "--host", "luzia.example")

    def ask_from(self, *forwarded, token=None):
        lines = ["X-Forwarded-For: " + each for each in forwarded]
        if token is not None:
            lines.append("Authorization: Bearer " + token)
        answer = self.machine.raw("GET /v1/me HTTP/1.1\r\nHost: luzia.example\r\nConnection: close\r\n%s\r\n\r\n"
                                  % "\r\n".join(lines))
        return int(answer.split(" ", 2)[1])

    def address_of(self, name):
        devices = json.loads(self.machine.luzia("web", "devices", "--json"))["devices"]
        return [device["address"] for device in devices if device["name"] == name][0]

    def test_the_address_is_the_one_that_the_proxy_has_seen(self):
        token = self.machine.pair("viewer", "far")
        for forwarded in (["203.0.113.9"], ["10.6.6.6, 203.0.113.10"], ["10.6.6.6", "203.0.113.11"]):
            self.assertEqual(self.ask_from(*forwarded, token=token), 200)
            wait_until(lambda: self.address_of("far") == forwarded[-1].split(", ")[-1], forwarded)
        self.assertEqual(self.ask_from("<script>", token=token), 200)
        self.assertNotIn("script", self.address_of("far"))

    def test_one_who_guesses_locks_out_nobody_else(self):
        statuses = [self.ask_from("198.51.100.1", token="%043d" % n) for n in range(10)]
        self.assertIn(429, statuses)
        self.assertEqual(self.ask_from("198.51.100.2", token="%043d" % 99), 401)

    def test_the_cookie_is_of_this_host_alone(self):
        self.assertTrue(self.machine.pair_page("viewer").cookie.startswith("__Host-"))


def memory_of(pid):
    with open("/proc/%d/status" % pid) as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024


def threads_of(pid):
    """The state of each thread, how often it was switched to, and how long it has run."""
    found = []
    for thread in sorted(os.listdir("/proc/%d/task" % pid)):
        with open("/proc/%d/task/%s/stat" % (pid, thread)) as file:
            state = file.read().rsplit(")", 1)[1].split()[0]
        with open("/proc/%d/task/%s/schedstat" % (pid, thread)) as file:
            found.append((state, file.read()))
    return found


def at_rest(pid):
    """Whether all threads sleep, and none has run between two looks: one that spins never does."""
    before = threads_of(pid)
    time.sleep(0.05)
    return threads_of(pid) == before and {state for state, _ in before} == {"S"}


if __name__ == "__main__":
    unittest.main()
