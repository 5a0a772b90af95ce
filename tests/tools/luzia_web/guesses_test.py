"""Attackers who guess codes and tokens, and who would keep others out by guessing."""

import json
import os
import socket
import unittest

from scratch import Machine, MachineTest, wait_until

EVE, BOB = 61001, 61002  # accounts without a name


class Guesses(unittest.TestCase):
    """They use up budgets: each test has programs of its own."""

    def setUp(self):
        self.machine = Machine()
        self.addCleanup(self.machine.close)
        self.machine.start_daemon()
        self.machine.start_web()
        self.token = self.machine.pair("operator", "victim")

    def assert_serves(self):
        self.assertEqual(self.machine.ask("GET", "/v1/me", token=self.token).status, 200)

    def test_an_account_that_guesses_codes_locks_out_itself_alone(self):
        if os.geteuid() != 0:
            return  # only root becomes another user
        guesses = [["/v1/pair", {"code": "AAAA-%04d" % n}, {}] for n in range(12)]
        self.assertEqual(self.machine.ask_as(EVE, guesses), [403] * 4 + [429] * 8)
        self.assertEqual(self.machine.ask_as(EVE, [["/v1/pair", {"code": self.machine.code()}, {}]]), [429],
                         "even the right code does not help the one who guesses")
        self.assertEqual(self.machine.ask_as(BOB, [["/v1/pair", {"code": self.machine.code()}, {}]]), [201])
        self.machine.pair("viewer", "phone")
        self.assert_serves()

    def test_an_account_that_guesses_from_many_loopback_addresses_is_one(self):
        if os.geteuid() != 0:
            return  # only root becomes another user
        statuses = []
        for n in range(2, 8):
            with socket.socket() as eve:
                os.fchown(eve.fileno(), EVE, EVE)  # the account of a socket is the owner of its inode
                eve.bind(("127.0.0.%d" % n, 0))
                eve.connect(("127.0.0.1", self.machine.port))
                body = json.dumps({"code": "AAAA-%04d" % n}).encode()
                eve.sendall(b"POST /v1/pair HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\n"
                            b"Content-Length: %d\r\n\r\n%s" % (self.machine.port, len(body), body))
                statuses.append(int(eve.recv(4096).split(b" ")[1]))
        self.assertEqual(statuses, [403] * 4 + [429] * 2)

    def test_another_account_gets_nothing_by_loopback(self):
        if os.geteuid() != 0:
            return  # only root becomes another user
        paths = ["/v1/jobs", "/v1/overview", "/v1/events", "/v1/devices", "/v1/machine", "/metrics"]
        self.assertEqual(self.machine.ask_as(EVE, [[path, None, {}] for path in paths]), [401] * len(paths))

    def test_what_runs_as_the_owner_keeps_the_owner_out_of_nothing(self):
        for n in range(12):
            self.assertEqual(self.machine.ask("POST", "/v1/pair", {"code": "AAAA-%04d" % n}).status, 403)
            self.assertEqual(self.machine.ask("GET", "/v1/jobs", token="%043d" % n).status, 401)
        self.machine.pair("viewer", "phone")
        self.machine.stop_web()  # it knows no token any more
        self.machine.start_web()
        for n in range(12):
            self.assertEqual(self.machine.ask("GET", "/v1/jobs", token="%043d" % n).status, 401)
        self.assert_serves()

    def test_a_code_whose_first_half_was_seen_ends_by_guesses_and_no_other(self):
        seen, other = self.machine.code(), self.machine.code()
        wrong = [half for half in ("00%02d" % n for n in range(9)) if half != seen[5:]][:5]
        for half in wrong:
            self.assertEqual(self.machine.ask("POST", "/v1/pair", {"code": seen[:5] + half}).code(), "wrong_code")
        self.assertEqual(self.machine.ask("POST", "/v1/pair", {"code": seen}).code(), "wrong_code")
        for code in (other, self.machine.code()):
            self.assertEqual(self.machine.ask("POST", "/v1/pair", {"code": code}).status, 201)

    def test_more_codes_than_are_kept_leave_the_newest_to_work(self):
        codes = [self.machine.code() for _ in range(20)]
        self.assertEqual(self.machine.ask("POST", "/v1/pair", {"code": codes[0]}).code(), "wrong_code")
        self.assertEqual(self.machine.ask("POST", "/v1/pair", {"code": codes[-1]}).status, 201)

    def test_an_account_that_guesses_tokens_locks_out_itself_alone(self):
        if os.geteuid() != 0:
            return  # only root becomes another user
        guesses = [["/v1/jobs", None, {"Authorization": "Bearer %043d" % n}] for n in range(20)]
        self.assertEqual(set(self.machine.ask_as(EVE, guesses)), {401, 429})
        self.machine.stop_web()  # what it knew of good tokens is lost
        self.machine.start_web()
        self.assertIn(429, self.machine.ask_as(EVE, guesses))
        self.assert_serves()


class GuessesBehindAProxy(MachineTest):
    web_options = ("--behind-proxy", "--host", "luzia.example")

    def pair_from(self, forwarded, code):
        body = json.dumps({"code": code})
        answer = self.machine.raw("POST /v1/pair HTTP/1.1\r\nHost: luzia.example\r\nConnection: close\r\n"
                                  "Content-Type: application/json\r\nContent-Length: %d\r\nX-Forwarded-For: %s\r\n\r\n"
                                  "%s" % (len(body), forwarded, body))
        return int(answer.split(" ", 2)[1])

    def ask_from(self, forwarded, token):
        answer = self.machine.raw("GET /v1/me HTTP/1.1\r\nHost: luzia.example\r\nConnection: close\r\n"
                                  "X-Forwarded-For: %s\r\nAuthorization: Bearer %s\r\n\r\n" % (forwarded, token))
        return int(answer.split(" ", 2)[1])

    def test_a_revoked_token_is_a_guess(self):
        token = self.machine.pair("viewer", "lost")
        self.assertEqual(self.ask_from("198.51.100.200", token), 200)
        self.machine.luzia("web", "revoke", "lost")
        wait_until(lambda: self.ask_from("198.51.100.200", token) == 401, "the token is refused")
        self.assertIn(429, [self.ask_from("198.51.100.200", token) for _ in range(20)])
        self.assertEqual(self.ask_from("198.51.100.201", token), 401)

    def test_many_addresses_that_guess_codes_keep_nobody_out(self):
        code = self.machine.code()
        for address in range(1, 21):
            statuses = [self.pair_from("198.51.100.%d" % address, "AAAA-%04d" % n) for n in range(5)]
            self.assertEqual(statuses, [403] * 4 + [429], address)
        self.assertEqual(self.pair_from("198.51.100.1", code), 429)
        self.assertEqual(self.pair_from("203.0.113.50", code), 201, "a code lives on whatever others guess")
        self.assertEqual(self.pair_from("203.0.113.50", self.machine.code()), 201)

    def test_an_account_that_forges_an_address_does_not_lock_it_out(self):
        if os.geteuid() != 0:
            return  # only root becomes another user
        phone = "203.0.113.77"
        guesses = [["/v1/pair", {"code": "AAAA-%04d" % n}, {"Host": "luzia.example", "X-Forwarded-For": phone}]
                   for n in range(6)]
        self.assertEqual(self.machine.ask_as(EVE, guesses), [403] * 4 + [429] * 2)
        self.assertEqual(self.pair_from(phone, self.machine.code()), 201)


if __name__ == "__main__":
    unittest.main()
