"""Pushes to devices, against a push service that decrypts them as a browser does."""

import json
import os
import queue
import signal
import stat
import subprocess
import threading
import time
import unittest
import urllib.request
import uuid

from scratch import LUZIA, PATIENCE_S, Machine, Stream, wait_until


class Service:
    """push_service.mjs. `next()`: the pushes that it got, in order."""

    def __init__(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "push_service.mjs")
        self.program = subprocess.Popen(["node", script], stdout=subprocess.PIPE, text=True)
        self.keys = json.loads(self.program.stdout.readline())
        self.url = self.keys["url"]
        self.got = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        for line in self.program.stdout:
            self.got.put(json.loads(line))

    def next(self):
        return self.got.get(timeout=PATIENCE_S)

    def answer(self, status, held=False, **headers):
        body = json.dumps({"status": status, "headers": headers, "held": held}).encode()
        urllib.request.urlopen(urllib.request.Request(self.url + "/answer", data=body), timeout=PATIENCE_S).close()

    def close(self):
        self.program.kill()
        self.program.wait()
        self.program.stdout.close()


class Push(unittest.TestCase):
    """One push service and one machine for each test: each says of what it is notified."""

    def setUp(self):
        self.service = Service()
        self.addCleanup(self.service.close)
        self.machine = Machine('[web]\npush_services = ["%s"]\npush_dwell = "0s"\n' % self.service.url)
        self.addCleanup(self.machine.close)
        self.machine.start_daemon()
        self.machine.start_web()
        self.token = self.machine.pair("operator", "phone")

    def post(self, path, body=None, token=None):
        return self.machine.ask("POST", path, body or {}, token or self.token, str(uuid.uuid4()))

    def subscribe(self, token=None, path="/p", **more):
        body = {"endpoint": self.service.url + path, "p256dh": self.service.keys["p256dh"],
                "auth": self.service.keys["auth"], **more}
        return self.post("/v1/push/subscribe", body, token)

    def subscribed(self, **more):
        reply = self.subscribe(**more)
        self.assertEqual(reply.status, 200, reply.body)

    def state(self, token=None):
        reply = self.machine.ask("GET", "/v1/push", token=token or self.token)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def question(self, text, project="demo"):
        """The job, once it has asked."""
        job = self.machine.luzia("dispatch", project, "%s ask '%s' --options yes,no" % (LUZIA, text))
        wait_until(lambda: job in [event["stream"][4:] for event in self.records("QuestionAsked")], "asked: " + text)
        return job

    def records(self, kind):
        lines = self.machine.luzia("events", "--json", "--since", "0").splitlines()
        return [event for event in map(json.loads, lines) if event["type"] == kind]

    def next_about_a_job(self):
        """The machine may raise alerts of its own meanwhile."""
        while True:
            push = self.service.next()
            if ": job " in push["text"]["title"]:
                return push

    def assert_pushed(self, body):
        push = self.service.next()
        self.assertNotIn("wrong", push)
        self.assertEqual(push["text"]["body"], body)
        return push

    def test_a_question_arrives_encrypted_and_signed(self):
        self.assertFalse(self.state()["subscribed"])
        self.subscribed()
        self.question("Deploy <b>where</b>?")
        push = self.assert_pushed("Deploy <b>where</b>?")
        self.assertEqual(push["text"]["title"], "demo: question asked")
        self.assertEqual(push["text"]["url"], "/#/ask")
        self.assertEqual((push["path"], push["urgency"]), ("/p", "high"))
        self.assertEqual(len(push["topic"]), 32)
        sender = push["sender"]
        self.assertEqual(sender["aud"], self.service.url)
        self.assertEqual(sender["key"], self.state()["key"])
        self.assertTrue(time.time() < sender["exp"] <= time.time() + 24 * 3600)
        self.assertRegex(sender["sub"], "^https://")
        state = wait_until(lambda: self.state()["delivered"] == 1 and self.state(), "the delivery is recorded")
        self.assertEqual((state["subscribed"], state["kinds"]), (True, ["asks"]))
        self.assertEqual(state["service"], self.service.url)
        mode = os.stat(self.machine.store + "/push.key").st_mode
        self.assertEqual(stat.S_IMODE(mode), 0o600)

    def test_no_key_and_no_endpoint_is_shown(self):
        self.subscribed(path="/s3cret")
        self.assertEqual(len(self.records("PushSubscribed")), 1)
        shown = self.machine.luzia("events", "--json", "--since", "0") + self.machine.luzia("web", "devices", "--json")
        shown += self.machine.luzia("hooks", "--json") + json.dumps(self.state())
        for secret in ("s3cret", self.service.keys["auth"], self.service.keys["p256dh"]):
            self.assertNotIn(secret, shown)

    def test_each_device_gets_its_kinds_and_projects(self):
        narrow = self.machine.pair("viewer", "tablet", "other")
        self.subscribed(path="/phone", kinds=["failures"])
        self.subscribed(path="/tablet", kinds=["failures"], token=narrow)
        self.machine.luzia("dispatch", "demo", "exit 3")
        self.assertEqual(self.next_about_a_job()["path"], "/phone")
        self.machine.luzia("dispatch", "other", "exit 3")
        self.assertEqual({self.next_about_a_job()["path"] for _ in range(2)}, {"/phone", "/tablet"})
        self.subscribed(path="/phone", kinds=["ends"])
        job = self.machine.luzia("dispatch", "demo", "true")
        push = self.next_about_a_job()
        self.assertEqual((push["path"], push["text"]["url"]), ("/phone", "/#/jobs/" + job))

    def test_only_the_own_device_is_subscribed(self):
        other = self.machine.pair("viewer", "other")
        self.subscribed(token=other)
        self.assertTrue(self.state(other)["subscribed"])
        self.assertFalse(self.state()["subscribed"])
        self.assertEqual(self.post("/v1/push/unsubscribe").status, 200)
        self.assertTrue(self.state(other)["subscribed"])
        self.assertEqual(self.machine.ask("GET", "/v1/push").status, 401)

    def test_an_endpoint_inside_is_refused(self):
        for endpoint in ("http://127.0.0.1:1/x", "https://10.0.0.1/x", "https://localhost/x", "https://a.internal/x",
                         "http://push.example/x", self.service.url + "1/x"):
            reply = self.subscribe(endpoint=endpoint)
            self.assertEqual(reply.code(), "bad_push_endpoint", endpoint)
        for body in ({"p256dh": "!"}, {"auth": "AAAA"}, {"kinds": ["all"]}, {"endpoint": ""},
                     {"endpoint": "https://push.example/" + "a" * 3000}):
            self.assertIn(self.subscribe(**body).code(), ("bad_push", "bad_field"), body)
        self.assertFalse(self.state()["subscribed"])

    def test_a_sample_says_how_it_went(self):
        none = self.post("/v1/push/test")
        self.assertEqual((none.status, none.code()), (409, "no_push"))
        self.subscribed()
        sample = self.post("/v1/push/test")
        self.assertEqual((sample.status, sample.json()["delivered"]), (200, True), sample.body)
        self.assertEqual(self.service.next()["text"]["url"], "/#/machine")
        self.service.answer(500)
        failed = self.post("/v1/push/test").json()
        self.assertFalse(failed["delivered"])
        self.assertIn("HTTP status 500", failed["message"])

    def test_a_subscription_that_is_gone_ends(self):
        self.subscribed()
        self.service.answer(410)
        self.question("Gone?")
        self.service.next()
        state = wait_until(lambda: not self.state()["subscribed"] and self.state(), "the subscription ends")
        self.assertIn("410", state["ended"])
        given_up = [each["data"] for each in self.records("HookDelivered") if each["data"]["outcome"] == "given_up"]
        self.assertIn("410", given_up[0]["detail"])
        self.assertEqual(len(self.records("PushEnded")), 1)
        self.service.answer(201)
        self.question("Before?")
        self.subscribed()
        self.question("After?")
        self.assert_pushed("After?")

    def test_a_failure_is_shown_with_its_time_until_the_next(self):
        self.subscribed()
        device = self.machine.ask("GET", "/v1/me", token=self.token).json()["device"]

        def failures():
            hooks = self.machine.ask("GET", "/v1/machine", token=self.token).json()["hooks"]
            return [hook for hook in hooks
                    if hook["name"] in ("push/" + device, "push/" + device + "/urgent") and hook["last_failure"]]

        self.assertEqual(failures(), [])
        self.service.answer(400)
        before = time.time()
        self.question("Lost?")
        self.service.next()
        failed = wait_until(failures, "the failure is shown")[0]
        self.assertIn("400", failed["last_failure"])
        self.assertTrue(before * 1e6 - 1e6 < failed["last_failed_us"] <= time.time() * 1e6 + 1e6)
        self.service.answer(201)
        self.question("Told?")
        sent = lambda: [hook for hook in failures() if hook["last_us"] > hook["last_failed_us"]]
        later = wait_until(sent, "one is sent")
        self.assertEqual(later[0]["last_failed_us"], failed["last_failed_us"])
        listed = self.machine.ask("GET", "/v1/devices", token=self.token).json()["devices"]
        self.assertEqual([each["push"]["kinds"] for each in listed if each["id"] == device], [["asks"]])
        narrow = self.machine.pair("operator", "narrow", "demo")
        self.assertEqual(self.machine.ask("GET", "/v1/machine", token=narrow).json()["hooks"], [])

    def test_a_busy_service_is_asked_again_when_it_says(self):
        self.subscribed()
        self.service.answer(429, **{"Retry-After": "3"})
        self.question("Busy?")
        first = self.assert_pushed("Busy?")
        began = time.monotonic()
        self.service.answer(201)
        again = self.assert_pushed("Busy?")
        self.assertGreater(time.monotonic() - began, 2)
        self.assertEqual(first["text"]["tag"], again["text"]["tag"])
        self.assertEqual(first["topic"], again["topic"])

    def test_a_revoked_device_gets_nothing(self):
        keeper = self.machine.pair("operator", "keeper")
        self.subscribed(path="/lost")
        self.subscribed(path="/kept", token=keeper)
        self.machine.luzia("web", "revoke", "phone")
        self.question("Who hears?")
        self.assertEqual(self.service.next()["path"], "/kept")
        wait_until(lambda: self.state(keeper)["delivered"] == 1, "the delivery is recorded")
        self.assertTrue(self.service.got.empty())

    def test_a_subscription_makes_the_key_that_it_needs(self):
        key = self.machine.store + "/push.key"
        self.assertFalse(os.path.exists(key))
        self.subscribed()
        self.assertTrue(self.post("/v1/push/test").json()["delivered"])
        backup = self.machine.home + "/backup"
        self.machine.query("backup", backup)
        with open(key) as own, open(backup + "/push.key") as copied:
            self.assertEqual(own.read(), copied.read())
        os.remove(key)
        self.assertIn("push.key", self.post("/v1/push/test").json()["message"])
        self.subscribed()
        self.assertTrue(self.post("/v1/push/test").json()["delivered"])

    def test_it_needs_neither_the_server_nor_the_same_daemon(self):
        self.subscribed()
        self.machine.stop_web()
        self.question("Without a server?")
        self.assert_pushed("Without a server?")
        self.machine.kill_daemon()
        self.machine.start_daemon()
        self.question("After the crash?")
        tags = []
        while not tags or tags[-1][0] != "After the crash?":  # the first may be sent again, as the same notification
            push = self.service.next()
            tags.append((push["text"]["body"], push["text"]["tag"]))
        self.assertLessEqual(len({tag for body, tag in tags if body == "Without a server?"}), 1)

    def test_none_is_sent_while_its_person_looks(self):
        self.subscribed()
        self.assertEqual(self.outcome_of_a_question(), "delivered")
        stream = Stream(self.machine, self.token, since=0, query="&seen=1")
        wait_until(lambda: self.outcome_of_a_question() == "suppressed", "the daemon knows that somebody looks")
        stream.close()
        wait_until(lambda: self.outcome_of_a_question() == "delivered", "the daemon knows that nobody does")
        hidden = Stream(self.machine, self.token, since=0, query="&seen=0")
        self.assertEqual(self.outcome_of_a_question(), "delivered")
        hidden.close()

    def outcome_of_a_question(self, project="demo"):
        job = self.question("Seen?", project)

        def record():
            asked = [each["position"] for each in self.records("QuestionAsked") if each["stream"] == "job/" + job]
            return [each for each in self.records("HookDelivered") if each["data"]["position"] in asked]

        outcome = wait_until(record, "the outcome is recorded")[0]["data"]["outcome"]
        self.machine.luzia("cancel", job)
        return outcome

    def test_looking_at_one_project_silences_no_other(self):
        narrow = self.machine.pair("viewer", "tablet", "other")
        self.subscribed()
        stream = Stream(self.machine, narrow, since=0, query="&seen=1")
        wait_until(lambda: self.outcome_of_a_question("other") == "suppressed", "the daemon knows that somebody looks")
        self.assertEqual(self.outcome_of_a_question("demo"), "delivered")
        stream.close()

    def test_samples_are_few(self):
        self.subscribed()
        self.service.answer(201, held=True)
        first = []
        thread = threading.Thread(target=lambda: first.append(self.post("/v1/push/test")))
        thread.start()
        self.service.next()
        self.assertEqual(self.post("/v1/push/test").code(), "too_many_samples")
        self.service.answer(201)
        thread.join()
        self.assertTrue(first[0].json()["delivered"])
        replies = [self.post("/v1/push/test") for _ in range(10)]
        self.assertEqual([reply.status for reply in replies], [200] * 9 + [409])

    def test_a_browser_that_is_paired_anew_hears_for_one_device(self):
        self.subscribed(path="/browser")
        anew = self.machine.pair("viewer", "anew", "other")
        self.subscribed(path="/browser", token=anew)
        before = self.state()
        self.assertEqual((before["subscribed"], before["ended"]), (False, "its browser is now device anew"))
        self.question("Who is there?")
        self.question("And here?", "other")
        self.assert_pushed("And here?")

    def test_what_waited_is_not_sent_to_a_revoked_device(self):
        at_once = 8  # deliveries
        for number in range(at_once + 1):
            self.subscribed(path="/d%d" % number, token=self.machine.pair("viewer", "d%d" % number))
        self.service.answer(201, held=True)
        self.question("Who waits?")
        begun = {self.service.next()["path"] for _ in range(at_once)}
        (last,) = {"/d%d" % number for number in range(at_once + 1)} - begun
        self.machine.luzia("web", "revoke", last[1:])
        self.service.answer(201)
        self.question("And now?")
        self.assertEqual({self.service.next()["path"] for _ in range(at_once)}, begun)

    def test_a_damaged_key_is_said_and_nothing_changes(self):
        self.machine.stop_web(signal.SIGKILL)
        with open(self.machine.store + "/push.key", "w") as file:
            file.write("no key\n")
        self.machine.start_web()
        reply = self.machine.ask("GET", "/v1/push", token=self.token)
        self.assertEqual(reply.code(), "bad_push_key_file")
        with open(self.machine.store + "/push.key") as file:
            self.assertEqual(file.read(), "no key\n")


if __name__ == "__main__":
    unittest.main()
