"""Schedules over HTTP."""

import json
import unittest
import uuid
from urllib.parse import quote

from scratch import MachineTest, wait_until

YEARLY = """[[schedules]]
name = "%s"
project = "demo"
task = "while [ ! -e year-over ]; do sleep 0.05; done"
cron = "@yearly"
%s
"""


class Schedules(MachineTest):
    config = YEARLY % ("each year", "") + YEARLY % ("waits", 'overlap = "queue"')

    def setUp(self):
        self.name = self.id().rsplit(".", 1)[1][:40]
        self.token = self.machine.pair("operator", self.name)
        wait_until(lambda: len(self.listed()) == 2, "the daemon has read its schedules")

    def act(self, name, verb, token=None, key=None, **body):
        path = "/v1/schedules/%s/%s" % (quote(name), verb)
        return self.machine.ask("POST", path, body, token or self.token, key or str(uuid.uuid4()))

    def get(self, path, token=None):
        reply = self.machine.ask("GET", path, token=token or self.token)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def listed(self, query="", token=None):
        return {row["name"]: row for row in self.get("/v1/schedules" + query, token)["schedules"]}

    def job_becomes(self, job, state):
        wait_until(lambda: self.get("/v1/jobs/" + job)["state"] == state, job + " is " + state)

    def test_one_runs_pauses_and_resumes(self):
        key = str(uuid.uuid4())
        replies = [self.act("each year", "run", key=key) for _ in range(3)]
        self.assertEqual([reply.status for reply in replies], [200] * 3, replies[0].body)
        job = replies[0].json()["ids"][0]
        self.assertEqual([reply.json()["ids"] for reply in replies], [[job]] * 3)
        self.job_becomes(job, "running")
        row = self.listed()["each year"]
        self.assertEqual((row["last_job"], row["last_state"], row["agent"]), (job, "running", "shell"))
        self.assertEqual([each["id"] for each in self.get("/v1/jobs?schedule=each%20year")["jobs"]], [job])
        busy = self.act("each year", "run")
        self.assertEqual((busy.status, busy.code()), (409, "schedule_busy"))
        first = self.act("waits", "run").json()["ids"]
        self.assertEqual(self.act("waits", "run").json()["ids"], [], "it waits for the last one")
        self.assertTrue(self.listed()["waits"]["waiting_at"])

        before = self.get("/v1/schedules")["position"]
        self.assertEqual(self.act("each year", "pause", note="until the release").status, 200)
        row = self.listed()["each year"]
        self.assertEqual((row["next_at"], row["pause_note"]), (None, "until the release"))
        self.assertTrue(row["paused_by"].endswith(" at " + self.name), row)
        self.assertIsNone(self.listed("?at=%d" % before)["each year"]["paused_at"], "as it was then")
        self.assertEqual(self.act("each year", "resume").status, 200)
        self.assertTrue(self.listed()["each year"]["next_at"])
        events = self.get("/v1/events?since=%d" % before)["events"]
        for kind in ("SchedulePaused", "ScheduleResumed"):
            told = [event["actor"]["device"] for event in events if event["type"] == kind]
            self.assertEqual(told, [self.name], "the log names the device")

        open(self.machine.home + "/demo/year-over", "w").close()
        wait_until(lambda: self.listed()["waits"]["runs"] == 2, "the one that waited is dispatched")
        for ended in [job, first[0], self.listed()["waits"]["last_job"]]:
            self.job_becomes(ended, "completed")
        printed = json.loads(self.machine.luzia("schedule", "list", "--all", "--json"))["schedules"]
        self.assertEqual(list(self.listed("?all=1").values()), printed)

    def test_only_who_may_acts_on_them(self):
        viewer, narrow = self.machine.pair("viewer", "sv"), self.machine.pair("operator", "sn", "other")
        for verb in ("run", "pause", "resume"):
            refused = self.act("each year", verb, viewer)
            self.assertEqual((refused.status, refused.code()), (403, "device_not_allowed"))
            for name, token in (("each year", narrow), ("each yaer", None), ("..", None)):
                hidden = self.act(name, verb, token)
                self.assertEqual(hidden.status, 404, (name, hidden.body))
        self.assertEqual(self.listed(token=narrow), {})
        self.assertEqual(len(self.listed(token=viewer)), 2)
        self.assertEqual(self.act("each year", "pause", note="x" * 5000).code(), "text_too_long")
        self.assertIsNone(self.listed()["each year"]["paused_at"])


if __name__ == "__main__":
    unittest.main()
