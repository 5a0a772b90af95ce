"""Words in outputs and tasks, and what was learned, over HTTP."""

import http.client
import json
import os
import signal
import threading
import time
import unittest
from urllib.parse import quote, urlencode

from scratch import MachineTest, wait_until


class Search(MachineTest):
    def setUp(self):
        self.token = self.machine.pair("viewer", self.id().rsplit(".", 1)[1][:40])
        self.admin = self.machine.pair("admin", "admin")

    def get(self, path, token=None, **query):
        words = "?" + urlencode(query) if query else ""
        reply = self.machine.ask("GET", path + words, token=token or self.token)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def refused(self, path):
        reply = self.machine.ask("GET", path, token=self.token)
        return reply.status, reply.code()

    def run_job(self, task, project="demo"):
        job = self.machine.dispatch(self.admin, task, project)
        wait_until(lambda: self.get("/v1/jobs/" + job)["state"] == "completed", job)
        return job

    def find(self, job, **query):
        return self.get("/v1/jobs/%s/output/find" % job, **query)

    def search_outputs(self, token=None, **query):
        """All jobs with such lines, by as many requests as it takes."""
        jobs, path = [], "/v1/search/outputs?" + urlencode(query)
        while path:
            reply = self.machine.ask("GET", path, token=token or self.token)
            self.assertEqual(reply.status, 200, reply.body)
            jobs += reply.json()["jobs"]
            link = reply.headers["Link"]
            path = link[1:link.index(">")] if link else None
        return jobs

    def test_lines_are_found_in_both_directions(self):
        job = self.run_job("for n in 1 2 3; do echo begin $n Needle $n end; echo other; done")
        found = self.find(job, words="needle")
        self.assertEqual((len(found["lines"]), found["count"], found["over"]), (3, 3, True))
        first = found["lines"][0]
        self.assertEqual((first["before"], first["words"], first["after"]), ("begin 1 ", "Needle", " 1 end"))
        at = first["offset"]
        piece = self.machine.ask("GET", "/v1/jobs/%s/output?from=%d&limit=6" % (job, at), token=self.token)
        self.assertEqual(piece.body, "Needle")
        following = self.find(job, words="needle", limit=1, **{"from": first["end"]})["lines"]
        self.assertEqual([line["offset"] for line in following], [found["lines"][1]["offset"]])
        last = self.find(job, words="needle", limit=1, direction="previous")["lines"][0]
        self.assertEqual(last["offset"], found["lines"][2]["offset"])
        before = self.find(job, words="needle", limit=9, direction="previous", **{"from": last["offset"]})
        self.assertEqual([line["offset"] for line in before["lines"]],
                         [line["offset"] for line in reversed(found["lines"][:2])])
        self.assertEqual(self.find(job, words="needle", limit=0)["count"], 3)
        self.assertEqual(self.find(job, words="nowhere")["lines"], [])
        self.assertEqual(self.find(job, words="exit:0")["lines"], [], "what luzia-run adds is no output")

    def test_any_text_is_found_and_is_harmless(self):
        job = self.run_job(r"printf '\033[31mr\303\266t <b>&\377\033[0m \302\256\n'")
        line = self.find(job, words="röt <b>&")["lines"][0]
        self.assertEqual((line["before"], line["words"]), ("", "röt <b>&"))
        self.assertNotIn("\x1b", line["before"] + line["after"])
        self.assertEqual(self.find(job, words="®")["count"], 1)
        signs = 'a+b &c=d//../e;f%25g "x" #?'
        job = self.run_job("printf '%s\\n' '" + signs + "'")
        self.assertEqual(self.find(job, words=signs)["lines"][0]["words"], signs)
        self.assertEqual([found["id"] for found in self.search_outputs(words=signs)], [job])

    def test_a_large_output_is_searched_in_bounded_requests(self):
        job = self.run_job("yes 'a line of text that goes on and on' | head -c 400000000; echo the needle; "
                           "yes b | head -c 1000000")
        place, requests, begun = 0, 0, time.monotonic()
        while True:
            asked = time.monotonic()
            found = self.find(job, words="needle", limit=1, **{"from": place})
            requests += 1
            self.assertLess(time.monotonic() - asked, 5, "one request has a bound")
            if found["lines"] or found["over"]:
                break
            self.assertGreater(found["reached"], place)
            place = found["reached"]
        self.assertEqual([line["offset"] for line in found["lines"]], [400000004])
        self.assertLess(time.monotonic() - begun, 20)

    def test_an_output_that_grows_is_searched_on(self):
        gate = self.machine.home + "/gate"
        job = self.machine.dispatch(self.admin, "echo one nee; printf 'two nee'; "
                                    "while [ ! -e %s ]; do sleep .05; done; echo dle three" % gate)
        wait_until(lambda: self.find(job, words="two")["count"] == 1, "the output begins")
        first = self.find(job, words="needle")
        self.assertEqual((first["count"], first["over"]), (0, True))
        open(gate, "w").close()
        wait_until(lambda: self.get("/v1/jobs/" + job)["state"] == "completed", "the end")
        rest = self.find(job, words="needle", **{"from": first["reached"]})
        self.assertEqual([line["words"] for line in rest["lines"]], ["needle"])

    def test_attempts_have_their_own_output(self):
        job = self.machine.dispatch(self.admin, 'echo "attempt is $LUZIA_ATTEMPT"; [ $LUZIA_ATTEMPT = 2 ]', retries=1)
        wait_until(lambda: self.get("/v1/jobs/" + job)["state"] in ("completed", "failed"), "the end")
        if self.get("/v1/jobs/" + job)["attempts"] == 1:  # no code is retriable by itself
            reply = self.machine.ask("POST", "/v1/jobs/%s/retry" % job, {}, self.admin, "retry-" + job)
            self.assertEqual(reply.status, 200, reply.body)
            wait_until(lambda: self.get("/v1/jobs/" + job)["state"] == "completed", "the second attempt")
        self.assertEqual(self.find(job, words="attempt is 1")["count"], 0)
        self.assertEqual(self.find(job, words="attempt is 1", attempt=1)["count"], 1)
        self.assertEqual(self.refused("/v1/jobs/%s/output/find?words=a&attempt=9" % job), (404, "no_such_attempt"))

    def test_searches_keep_no_other_request_waiting(self):
        path = "/v1/jobs/%s/output/find?words=needle" % self.run_job("echo needle")
        busy = [self.machine.pair("viewer", "busy%d" % number) for number in range(2)]
        daemon = json.loads(self.machine.luzia("daemon", "status", "--json"))["pid"]
        for token in (*busy, self.token):
            self.get("/v1/projects", token)  # the server knows the devices for some seconds
        os.kill(daemon, signal.SIGSTOP)
        try:
            searches = [threading.Thread(target=self.machine.ask, args=("GET", path, None, token))
                        for token in busy for _ in range(3)]
            for search in searches:
                search.start()
            began = time.monotonic()
            for _ in range(50):
                self.get("/v1/projects")
            self.assertLess(time.monotonic() - began, 4)
        finally:
            os.kill(daemon, signal.SIGCONT)
            for search in searches:
                search.join()

    def test_mistakes_are_told(self):
        job = self.run_job("echo x")
        address = "/v1/jobs/%s/output/find" % job
        for query, code in (("", "bad_words"), ("?words=", "bad_words"), ("?words=" + "a" * 257, "bad_words"),
                            ("?words=a%0Ab", "bad_request_line"), ("?words=a&direction=up", "bad_value"),
                            ("?words=a&limit=1001", "bad_value"), ("?words=a&from=-5", "bad_value"),
                            ("?words=a&words=b", "repeated_parameter")):
            self.assertEqual(self.refused(address + query), (400, code), query)
        self.assertEqual(self.refused("/v1/jobs/0000000000000/output/find?words=a"), (404, "no_such_job"))
        for query, code in (("", "bad_words"), ("?words=a&cursor=nonsense", "bad_cursor"),
                            ("?words=a&cursor=a@b@c", "bad_cursor"), ("?words=a&ended-since=1h", "cannot_filter"),
                            ("?words=a&limit=0", "bad_value"),
                            ("?words=a&state=nonsense", "bad_value")):
            self.assertEqual(self.refused("/v1/search/outputs" + query), (400, code), query)
        self.assertEqual(self.refused("/v1/search/tasks?words=%20"), (400, "bad_words"))

    def test_outputs_of_all_jobs_are_searched(self):
        old = self.run_job("echo pebble one; echo pebble two; echo pebble three; echo pebble four")
        new = self.run_job("echo a PEBBLE")
        found = self.search_outputs(words="pebble")
        self.assertEqual([job["id"] for job in found], [new, old])
        self.assertEqual([line["words"] for line in found[0]["lines"]], ["PEBBLE"])
        self.assertEqual((len(found[1]["lines"]), found[1]["more"]), (3, True))
        self.assertEqual([job["id"] for job in self.search_outputs(words="pebble", limit=1)], [new, old])
        self.assertEqual(self.search_outputs(words="pebble", project="other"), [])
        self.assertEqual(self.search_outputs(words="no such pebble"), [])

    def test_the_past_has_only_what_was_there(self):
        job = self.run_job("echo boulder")
        position = self.get("/v1/jobs?all=1&limit=1")["position"]
        later = self.run_job("echo boulder")
        ids = [each["id"] for each in self.search_outputs(words="boulder", at=position)]
        self.assertIn(job, ids)
        self.assertNotIn(later, ids)
        tasks = [each["id"] for each in self.get("/v1/search/tasks", words="boulder", at=position)["jobs"]]
        self.assertIn(job, tasks)
        self.assertNotIn(later, tasks)

    def test_tasks_are_searched_page_by_page(self):
        wanted = [self.run_job("true Zebra %d" % n) for n in range(3)]
        ids, path = [], "/v1/search/tasks?limit=2&words=" + quote("zebra TRUE")
        while path:
            reply = self.machine.ask("GET", path, token=self.token)
            ids += [job["id"] for job in reply.json()["jobs"]]
            link = reply.headers["Link"]
            path = link[1:link.index(">")] if link else None
        self.assertEqual(ids, list(reversed(wanted)))

    def test_what_was_learned_is_searched_now_and_then(self):
        self.machine.luzia("learn", "solution", "add", "port is in use", "stop the other one", "--project", "demo")
        self.machine.luzia("learn", "fact", "add", "demo", "listens on", "port 3000", "--project", "demo")
        then = self.get("/v1/facts")["position"]
        self.machine.luzia("learn", "fact", "add", "demo", "also uses", "port 4000", "--project", "demo")
        self.machine.luzia("todo", "add", "close the port", "--project", "demo")
        self.assertEqual([row["problem"] for row in self.get("/v1/solutions", words="ports")["solutions"]],
                         ["port is in use"])
        self.assertEqual(len(self.get("/v1/facts", words="port")["facts"]), 2)
        known = self.get("/v1/facts", words="PORT", at=then)["facts"]
        self.assertEqual([row["object"] for row in known], ["port 3000"])
        known = self.get("/v1/solutions", words="use stop", at=then)["solutions"]
        self.assertEqual([row["problem"] for row in known], ["port is in use"])
        self.assertEqual(self.get("/v1/solutions", words="elsewhere", at=then)["solutions"], [])
        for path, words in (("/v1/facts", ["learn", "fact", "list"]), ("/v1/todos", ["todo", "list"]),
                            ("/v1/solutions", ["learn", "solution", "list"])):
            printed, answered = json.loads(self.machine.luzia(*words, "--json")), self.get(path)
            for both in (printed, answered):
                both.pop("position", None)
            self.assertEqual(answered, printed, path)

    def test_a_device_finds_only_what_it_may_see(self):
        narrow = self.machine.pair("viewer", "narrow", "demo")
        ours, theirs = self.run_job("echo granite ours"), self.run_job("echo granite theirs", "other")
        hidden = self.machine.ask("GET", "/v1/jobs/%s/output/find?words=granite" % theirs, token=narrow)
        self.assertEqual((hidden.status, hidden.code()), (404, "no_such_job"))
        self.assertEqual([job["id"] for job in self.search_outputs(narrow, words="granite")], [ours])
        self.assertEqual([job["id"] for job in self.get("/v1/search/tasks", narrow, words="granite")["jobs"]], [ours])
        self.machine.luzia("learn", "fact", "add", "granite", "is", "hard", "--project", "other")
        self.assertEqual(self.get("/v1/facts", narrow, words="granite")["facts"], [])
        self.assertEqual(len(self.get("/v1/facts", words="granite")["facts"]), 1)
        for path in ("/v1/search/outputs?words=a", "/v1/jobs/%s/output/find?words=a" % ours, "/v1/todos"):
            self.assertEqual(self.machine.ask("GET", path).status, 401, path)

    def test_many_searches_at_once_leave_the_server_answering(self):
        job = self.run_job("yes 'nothing here' | head -c 200000000")
        address = "/v1/jobs/%s/output/find?limit=0&words=needle" % job
        connections = []
        for _ in range(8):
            connection = http.client.HTTPConnection("127.0.0.1", self.machine.port, timeout=60)
            connection.request("GET", address, headers={"Authorization": "Bearer " + self.token})
            connections.append(connection)
        for connection in connections[:4]:
            connection.close()  # the client has gone: its search ends, and nothing else does
        for connection in connections[4:]:
            reply = connection.getresponse()
            self.assertIn(reply.status, (200, 429, 503))
            reply.read()
        begun = time.monotonic()
        self.assertEqual(self.get("/v1/jobs/" + job)["state"], "completed")
        self.assertLess(time.monotonic() - begun, 10)


if __name__ == "__main__":
    unittest.main()
