"""Other machines over HTTP. In the place of ssh, a program runs the line on a machine in a folder."""

import json
import os
import threading
import unittest
import uuid

from scratch import LUZIA, Machine, MachineTest, wait_until

# Its destination is the folder of the machine; "cut" in it: nobody answers; "slow": not before that is gone.
SSH = """#!/bin/sh
for word; do far=$line; line=$word; done
far=%s/$far
[ ! -e $far/cut ] || { echo "ssh: no route to host" >&2; exit 255; }
echo >> $far/calls
while [ -e $far/slow ]; do sleep 0.05; done
exec env -i HOME=$far PATH=%s:/usr/bin:/bin LANG=C.UTF-8 /bin/sh -c "$line"
"""


class Machines(MachineTest):
    config = '[machines.far]\nssh = "far"\nlabels = ["big"]\n'

    @classmethod
    def setUpClass(cls):
        cls.far = Machine()
        cls.far.start_daemon()
        cls.machine = Machine(cls.config)
        home, tools = cls.machine.home, os.path.dirname(LUZIA)
        os.symlink(cls.far.home, home + "/far")
        os.makedirs(home + "/bin")
        with open(home + "/bin/ssh", "w") as file:
            file.write(SSH % (home, tools))
        os.chmod(home + "/bin/ssh", 0o755)
        cls.machine.environment["PATH"] = home + "/bin:" + cls.machine.environment["PATH"]
        cls.machine.start_daemon()
        cls.machine.start_web()

    @classmethod
    def tearDownClass(cls):
        cls.machine.close()
        cls.far.close()

    def setUp(self):
        self.token = self.machine.pair("operator", self.id().rsplit(".", 1)[1][:40])

    def tearDown(self):
        for name in ("/cut", "/slow"):
            if os.path.exists(self.far.home + name):
                os.unlink(self.far.home + name)

    def calls(self):
        path = self.far.home + "/calls"
        if not os.path.exists(path):
            return 0
        with open(path) as file:
            return len(file.readlines())

    def get(self, path, token=None):
        reply = self.machine.ask("GET", path, token=token or self.token)
        self.assertEqual(reply.status, 200, reply.body)
        return reply

    def asking(self):
        """A job of the other machine, and its question."""
        job = self.far.luzia("dispatch", "demo", LUZIA + " ask 'Where to?' --options here,there > heard")
        questions = wait_until(
            lambda: [each for each in json.loads(self.far.luzia("questions", "--json"))["questions"]
                     if each["job"] == job], "it asks")
        return job, questions[0]["id"]

    def answer(self, question, token=None, key=None, **body):
        path = "/v1/questions/%s/answer" % question
        return self.machine.ask("POST", path, body, token or self.token, key or str(uuid.uuid4()))

    def test_lists_have_the_rows_of_all_machines(self):
        far = self.far.luzia("dispatch", "demo", "sleep 1000")
        near = self.machine.luzia("dispatch", "demo", "sleep 1000")
        rows = {row["id"]: row for row in self.get("/v1/jobs?machines=1").json()["jobs"]}
        self.assertEqual((rows[far]["machine"], rows[near]["machine"]), ("far", "local"))
        here = [row["id"] for row in self.get("/v1/jobs").json()["jobs"]]
        self.assertIn(near, here)
        self.assertNotIn(far, here)
        reply = self.get("/v1/overview?machines=true")
        self.assertIn(far, [row["id"] for row in reply.json()["working"]])
        self.assertEqual({each["machine"]: each["answered"] for each in reply.json()["machines"]},
                         {"local": True, "far": True})
        self.assertIsNone(reply.headers["ETag"], "other logs go on, too")
        self.assertIsNone(reply.headers["Luzia-Position"])
        for view in ("questions", "approvals", "issues"):
            self.assertEqual(len(self.get("/v1/%s?machines=1" % view).json()["machines"]), 2)
        self.assertEqual(self.machine.ask("GET", "/v1/queue?machines=1", token=self.token).status, 400)
        self.assertEqual(self.machine.ask("GET", "/v1/jobs?machines=1&cursor=5", token=self.token).status, 400)

    def test_one_connection_is_kept(self):
        self.get("/v1/jobs?machines=1")
        before = self.calls()
        for _ in range(5):
            self.get("/v1/jobs?machines=1")
        self.assertEqual(self.calls(), before)

    def test_machines_are_listed_without_asking_them(self):
        self.get("/v1/jobs?machines=1")
        far, = self.get("/v1/machines").json()["machines"]
        self.assertEqual((far["name"], far["ssh"], far["labels"], far["connected"]), ("far", "far", ["big"], True))
        self.assertTrue(far["version"])

    def test_machine_that_is_away_costs_its_rows_alone(self):
        far = self.far.luzia("dispatch", "demo", "sleep 1000")
        near = self.machine.luzia("dispatch", "demo", "sleep 1000")
        self.get("/v1/jobs?machines=1")
        open(self.far.home + "/cut", "w").close()
        self.far.kill_daemon()  # the connection that is kept ends
        wait_until(lambda: not self.answers(), "it does not answer")
        rows = {row["id"]: row for row in self.get("/v1/jobs?machines=1").json()["jobs"]}
        self.assertIn(near, rows)
        self.assertGreater(rows[far]["as_of_us"], 0, "the last known row")
        os.unlink(self.far.home + "/cut")
        wait_until(self.answers, "it is back")

    def answers(self):
        machines = self.get("/v1/jobs?machines=1").json()["machines"]
        return next(each["answered"] for each in machines if each["machine"] == "far")

    def test_an_answer_reaches_the_machine_that_asks(self):
        job, question = self.asking()
        row = next(each for each in self.get("/v1/questions?machines=1").json()["questions"]
                   if each["id"] == question)
        self.assertEqual(row["machine"], "far")
        self.assertEqual(self.answer(question, job=job, answer="there").status, 404, "it is not here")
        self.assertEqual(self.answer(question, machine="far", answer="there").code(), "bad_field")
        self.assertEqual(self.answer(question, machine="nowhere", job=job, answer="there").code(), "no_such_machine")
        key = str(uuid.uuid4())
        replies = [self.answer(question, key=key, machine="far", job=job, answer="there") for _ in range(2)]
        self.assertEqual([reply.status for reply in replies], [200, 200], replies[0].body)
        self.assertEqual([reply.json()["repeated"] for reply in replies], [False, True])
        self.assertIsNone(replies[0].headers["Luzia-Position"], "it is another log's")
        self.far.luzia("wait", job)
        with open(self.far.home + "/demo/heard") as file:
            self.assertEqual(file.read(), "there\n")

    def test_what_a_device_still_wants_when_it_is_revoked_is_not_done(self):
        job, question = self.asking()
        lost = self.machine.pair("operator", "lost")
        device = self.machine.ask("GET", "/v1/me", token=lost).json()["device"]
        before, replies = self.calls(), {}
        open(self.far.home + "/slow", "w").close()

        def send(name):
            replies[name] = self.answer(name, lost, machine="far", job=job, answer="there")

        threads = [threading.Thread(target=send, args=(name,)) for name in ("q-none", "q-neither", question)]
        for thread in threads[:2]:
            thread.start()
        wait_until(lambda: self.calls() == before + 2, "both of its turns are taken")
        threads[2].start()
        self.machine.luzia("web", "revoke", device)
        os.unlink(self.far.home + "/slow")
        for thread in threads:
            thread.join()
        self.assertEqual((replies[question].status, replies[question].code()), (401, "device_unknown"))
        self.assertEqual(self.calls(), before + 2)
        self.far.luzia("answer", question, "here")

    def test_who_sees_some_projects_sees_no_other_machine(self):
        token = self.machine.pair("operator", "narrow", "demo")
        self.assertEqual(self.get("/v1/machines", token).json()["machines"], [])
        reply = self.machine.ask("GET", "/v1/jobs?machines=1", token=token)
        self.assertEqual((reply.status, reply.code()), (403, "device_not_allowed"))
        job, question = self.asking()
        self.assertEqual(self.answer(question, token, machine="far", job=job, answer="there").status, 403)
        viewer = self.machine.pair("viewer", "looks")
        self.get("/v1/jobs?machines=1", viewer)
        self.assertEqual(self.answer(question, viewer, machine="far", job=job, answer="there").status, 403)
        self.far.luzia("answer", question, "here")


if __name__ == "__main__":
    unittest.main()
