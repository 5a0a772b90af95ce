"""The API as a program of a stranger's kind uses it."""

import concurrent.futures
import http.client
import json
import os
import signal
import socket
import threading
import time
import unittest
import uuid

from scratch import PATIENCE_S, MachineTest, Stream, wait_until


class Api(MachineTest):
    config = '[agents.listener]\ncommand = ["sh", "-c", "cat > heard-$LUZIA_ATTEMPT"]'

    def setUp(self):
        self.token = self.machine.pair("admin", self.id().rsplit(".", 1)[1][:40])

    def get(self, path, **more):
        reply = self.machine.ask("GET", path, token=self.token, **more)
        self.assertEqual(reply.status, 200, reply.body)
        return reply

    def unless_changed(self, reply):
        """Reads all jobs again, if they are not as in the reply."""
        tag = {"If-None-Match": reply.headers["ETag"]}
        return self.machine.ask("GET", "/v1/jobs?all=1", token=self.token, headers=tag)

    def job_becomes(self, job, state):
        return wait_until(lambda: self.get("/v1/jobs/" + job).json()["state"] == state, job + " is " + state)

    def test_a_client_may_ask_fast_on_one_connection(self):
        tokens = [self.machine.pair("viewer", "fast-%d" % number) for number in range(8)]  # each has a budget
        server = http.client.HTTPConnection("127.0.0.1", self.machine.port, timeout=PATIENCE_S)
        for turn in range(4000):
            server.request("GET", "/v1/me", headers={"Authorization": "Bearer " + tokens[turn % 8]})
            reply = server.getresponse()
            reply.read()
            self.assertEqual(reply.status, 200, turn)
        server.close()

    def test_shapes_are_those_of_the_command_line(self):
        job = self.machine.dispatch(self.token, "echo shape", tags=["t"])
        self.job_becomes(job, "completed")
        flow = self.machine.luzia("flow", "create", "demo", "by hand", "--step", "one", "--step", "two:one").strip()
        self.assertIn("begin step one", json.dumps(self.get("/v1/flows/%s/suggestions" % flow).json()))
        unknown = self.machine.ask("GET", "/v1/flows/f-none/suggestions", token=self.token)
        self.assertEqual(unknown.status, 404, unknown.body)
        pages = {
            "/v1/jobs/" + job: ["job", job],
            "/v1/jobs?all=1": ["jobs", "--all"],
            "/v1/jobs?state=completed&tag=t": ["jobs", "--state", "completed", "--tag", "t"],
            "/v1/questions": ["questions"],
            "/v1/approvals": ["approvals"],
            "/v1/flows?all=true": ["flows", "--all"],
            "/v1/flows/" + flow: ["flow", "status", flow],
            "/v1/flows/" + flow + "/suggestions": ["flow", "suggest", flow],
            "/v1/flows/" + flow + "/context?results=1&characters=9": [
                "flow", "context", flow, "--results", "1", "--characters", "9"],
            "/v1/issues": ["issues"],
            "/v1/issues?by=pattern": ["issues", "--by", "pattern"],
            "/v1/stats?by=project": ["stats", "--by", "project"],
            "/v1/cost": ["cost"],
            "/v1/cost?by=day": ["cost", "--by", "day"],
            "/v1/stats?by=person": ["stats", "--by", "person"],
            "/v1/devices": ["web", "devices"],
            "/v1/jobs?model=unknown&all=1": ["jobs", "--all", "--model", "unknown"],
        }
        for path, words in pages.items():
            printed = json.loads(self.machine.luzia(*words, "--json"))
            answered = self.get(path).json()
            for both in (printed, answered):
                both.pop("position", None)
            self.assertEqual(answered, printed, path)

    def test_a_dispatch_is_done_once_however_often_it_is_sent(self):
        key = str(uuid.uuid4())
        body = {"project": "demo", "task": "echo once", "priority": 7}
        replies = [self.machine.ask("POST", "/v1/jobs", body, self.token, key) for _ in range(3)]
        self.assertEqual([reply.status for reply in replies], [201] * 3)
        self.assertEqual(len({reply.json()["id"] for reply in replies}), 1)
        self.assertEqual(replies[0].headers["Location"], "/v1/jobs/" + replies[0].json()["id"])
        other = self.machine.ask("POST", "/v1/jobs", {**body, "task": "echo other"}, self.token, key)
        self.assertEqual(other.status, 409, other.body)

    def test_a_command_without_an_idempotency_key_is_refused(self):
        reply = self.machine.ask("POST", "/v1/jobs", {"project": "demo", "task": "true"}, self.token)
        self.assertEqual((reply.status, reply.code()), (400, "idempotency_key_missing"))

    def test_a_message_reaches_the_agent_once_however_often_it_is_sent(self):
        job = self.machine.dispatch(self.token, "the task", agent="listener")
        self.job_becomes(job, "completed")
        key, path = str(uuid.uuid4()), "/v1/jobs/%s/retry" % job
        said = "app/ä.ts:3\n> let x;\nname it"
        replies = [self.machine.ask("POST", path, {"message": said}, self.token, key) for _ in range(3)]
        self.assertEqual([reply.status for reply in replies], [200] * 3)
        self.assertEqual([reply.json()["repeated"] for reply in replies], [False, True, True])
        self.job_becomes(job, "completed")
        row = self.get("/v1/jobs/" + job).json()
        self.assertEqual((row["message"], row["attempts"]), (said, 2))
        with open(self.machine.home + "/demo/heard-2", encoding="utf-8") as heard:
            self.assertIn(said, heard.read())
        command = self.machine.dispatch(self.token, "true")
        self.job_becomes(command, "completed")
        wrong = {
            "bad_field": [job, ""],
            "message_too_long": [job, "m" * 65537],
            "bad_message": [job, "a\0b"],
            "no_messages": [command, "a"],
        }
        for code, (name, message) in wrong.items():
            reply = self.machine.ask("POST", "/v1/jobs/%s/retry" % name, {"message": message}, self.token,
                                     str(uuid.uuid4()))
            self.assertEqual(reply.code(), code, reply.body)
        self.assertEqual(self.get("/v1/jobs/" + job).json()["attempts"], 2)

    def test_an_agent_is_told_something_once_however_often_it_is_sent(self):
        job = self.machine.dispatch(self.token, "the task", agent="listener")
        self.job_becomes(job, "completed")
        key, path = str(uuid.uuid4()), "/v1/jobs/%s/tell" % job
        body = {"text": "app/ä.ts, line 3:\n> let x;\n\nname it", "files": ["app/ä.ts"], "resume": True}
        replies = [self.machine.ask("POST", path, body, self.token, key) for _ in range(3)]
        self.assertEqual([reply.status for reply in replies], [200] * 3)
        self.assertEqual([reply.json()["repeated"] for reply in replies], [False, True, True])
        self.assertEqual(len({reply.json()["ids"][0] for reply in replies}), 1)
        self.job_becomes(job, "completed")
        row = self.get("/v1/jobs/" + job).json()
        self.assertEqual((len(row["messages"]), row["attempts"]), (1, 2))
        told = row["messages"][0]
        self.assertEqual((told["text"], told["files"], told["channel"]), (body["text"], body["files"], "web"))
        self.assertEqual((told["how"], told["attempt"]), ("prompt", 2))
        self.assertTrue(told["device"] and told["read_at"])
        with open(self.machine.home + "/demo/heard-2", encoding="utf-8") as heard:
            self.assertIn("> > let x;\n>\n> name it\n", heard.read())
        command = self.machine.dispatch(self.token, "true")
        self.job_becomes(command, "completed")
        wrong = {
            "no_message": [job, " "],
            "message_too_long": [job, "m" * 65537],
            "bad_message": [job, "a\0b"],
            "no_messages": [command, "a"],
        }
        for code, (name, text) in wrong.items():
            reply = self.machine.ask("POST", "/v1/jobs/%s/tell" % name, {"text": text}, self.token,
                                     str(uuid.uuid4()))
            self.assertEqual(reply.code(), code, reply.body)
        viewer = self.machine.pair("viewer", "looker")
        refused = self.machine.ask("POST", path, {"text": "a"}, viewer, str(uuid.uuid4()))
        self.assertEqual((refused.status, refused.code()), (403, "device_not_allowed"))
        self.assertEqual(len(self.get("/v1/jobs/" + job).json()["messages"]), 1)

    def test_agents_say_when_they_read_messages(self):
        told = {agent["name"]: agent["told"] for agent in self.get("/v1/agents").json()["agents"]}
        self.assertEqual((told["claude"], told["listener"], told["shell"]), ("at_calls", "in_prompts", None))

    def test_a_question_is_answered_once_and_the_device_is_named(self):
        job = self.machine.dispatch(self.token, "luzia ask 'Where?' --options staging,production")
        question = wait_until(lambda: [q for q in self.get("/v1/questions").json()["questions"] if q["job"] == job],
                              "the question is asked")[0]
        path = "/v1/questions/%s/answer" % question["id"]
        first = self.machine.ask("POST", path, {"answer": "staging"}, self.token, str(uuid.uuid4()))
        self.assertEqual(first.status, 200, first.body)
        second = self.machine.ask("POST", path, {"answer": "production"}, self.token, str(uuid.uuid4()))
        self.assertEqual(second.status, 409, second.body)
        self.job_becomes(job, "completed")
        answered = [e for e in self.get("/v1/jobs/%s/events" % job).json()["events"] if e["type"] == "QuestionAnswered"]
        self.assertEqual(len(answered), 1)
        self.assertIn("device", json.dumps(answered[0]["actor"]))

    def act_on_flow(self, flow, verb, token=None, **body):
        return self.machine.ask("POST", "/v1/flows/%s/%s" % (flow, verb), body, token or self.token, str(uuid.uuid4()))

    def step(self, flow, name):
        return [step for step in self.get("/v1/flows/" + flow).json()["steps"] if step["name"] == name][0]

    def test_a_flow_is_moved_as_by_the_command_line(self):
        flow = self.machine.luzia("flow", "create", "demo", "Release", "--step", "build", "--step", "docs")
        moves = [
            ("start", {"step": "build"}, "in_progress"),
            ("complete", {"step": "build", "output": "3 files"}, "completed"),
            ("reset", {"step": "build", "note": "again"}, "pending"),
            ("fail", {"step": "build", "error": "no disk"}, "failed"),
            ("skip", {"step": "docs"}, "skipped"),
            ("add", {"step": "ship", "needs": ["docs"], "description": "to all"}, "pending"),
        ]
        for verb, body, state in moves:
            reply = self.act_on_flow(flow, verb, **body)
            self.assertEqual((reply.status, reply.json().get("ids")), (200, [flow]), verb + reply.body)
            self.assertEqual(self.step(flow, body["step"])["state"], state, verb)
        self.assertEqual(self.step(flow, "build")["error"], "no disk")
        self.assertEqual(self.act_on_flow(flow, "complete", step="none").code(), "no_such_step")
        self.assertEqual(self.act_on_flow(flow, "complete").code(), "bad_field")
        self.assertEqual(self.act_on_flow(flow, "tag", tags=["a"]).status, 200)
        self.assertEqual(self.get("/v1/flows/" + flow).json()["tags"], ["a"])
        for verb, body in [("untag", {"tags": ["a"]}), ("note", {"key": "k", "value": "v"}), ("pause", {}),
                           ("resume", {}), ("end", {"note": "enough"}), ("reopen", {}), ("end", {}), ("remove", {})]:
            reply = self.act_on_flow(flow, verb, **body)
            self.assertEqual(reply.status, 200, verb + reply.body)
        self.assertNotIn(flow, self.get("/v1/flows?all=1").body)

    def test_a_flow_is_created_once_and_runs(self):
        body = {
            "project": "demo",
            "description": "Build",
            "tags": ["api"],
            "steps": [
                {"name": "one", "prompt": "echo first"},
                {"name": "two", "needs": ["one"], "prompt": "echo second", "timeout_ms": 60000},
            ],
            "follow_ups": [{"text": "tell them"}],
        }
        key = str(uuid.uuid4())
        replies = [self.machine.ask("POST", "/v1/flows", body, self.token, key) for _ in range(3)]
        self.assertEqual([reply.status for reply in replies], [201] * 3, replies[0].body)
        self.assertEqual(len({reply.json()["id"] for reply in replies}), 1)
        flow = replies[0].json()["id"]
        self.assertEqual(replies[0].headers["Location"], "/v1/flows/" + flow)
        wait_until(lambda: self.get("/v1/flows/" + flow).json()["state"] == "completed", "the flow is done")
        known = self.get("/v1/flows/%s/context" % flow).json()
        self.assertEqual(known["completed_steps"], ["one", "two"])
        self.assertEqual([each["output"] for each in known["previous_results"]], ["first", "second"])
        self.assertIn("tell them", self.get("/v1/flows/%s/suggestions" % flow).body)

    def test_a_wrong_flow_is_refused_whole(self):
        step = {"name": "a", "prompt": "true"}
        before = self.get("/v1/flows?all=1").json()["flows"]
        wrong = {
            "unknown_project": {"project": "nowhere", "steps": [step]},
            "unknown_agent": {"project": "demo", "steps": [{**step, "agent": "nobody"}]},
            "unknown_step": {"project": "demo", "steps": [{**step, "needs": ["b"]}]},
            "step_cycle": {"project": "demo", "steps": [{**step, "needs": ["a"]}]},
            "duplicate_step": {"project": "demo", "steps": [step, step]},
            "no_steps": {"project": "demo", "steps": []},
            "bad_step": {"project": "demo", "steps": [{**step, "name": "a/b"}]},
            "bad_tag": {"project": "demo", "steps": [{**step, "tags": ["a\0"]}]},
            "too_many_steps": {"project": "demo", "steps": [{"name": str(i), "agent": "nobody"} for i in range(257)]},
            "too_many_follow_ups": {"project": "demo", "steps": [step], "follow_ups": [{"text": "x"}] * 257},
            "bad_field": {"project": "demo", "steps": [{**step, "permissions": "bypass"}]},
        }
        for code, body in wrong.items():
            reply = self.machine.ask("POST", "/v1/flows", body, self.token, str(uuid.uuid4()))
            self.assertEqual((reply.status, reply.code()), (400, code), reply.body)
        good = {"project": "demo", "steps": [step]}
        viewer = self.machine.pair("viewer", "looks")
        self.assertEqual(self.machine.ask("POST", "/v1/flows", good, viewer, str(uuid.uuid4())).status, 403)
        other = self.machine.pair("operator", "elsewhere", "other")
        reply = self.machine.ask("POST", "/v1/flows", good, other, str(uuid.uuid4()))
        self.assertEqual(reply.code(), "unknown_project", reply.body)
        self.assertEqual(self.get("/v1/flows?all=1").json()["flows"], before)

    def test_a_gate_of_a_flow_is_opened_by_who_may(self):
        file = self.machine.home + "/flow.toml"
        with open(file, "w") as text:
            text.write('description = "Ship"\n[[steps]]\nname = "ship"\nprompt = "true"\ngate = "release"\n')
        flow = self.machine.luzia("flow", "run", file, "--project", "demo")
        gate = wait_until(lambda: [gate for gate in self.get("/v1/approvals").json()["approvals"]
                                   if gate.get("flow") == flow], "the gate is reached")[0]
        self.assertEqual((gate["step"], gate["gate"]), ("ship", "release"))
        viewer, elsewhere = self.machine.pair("viewer", "fv"), self.machine.pair("operator", "fe", "other")
        self.assertEqual(self.act_on_flow(flow, "approve", viewer, step="ship").status, 403)
        self.assertEqual(self.act_on_flow(flow, "approve", elsewhere, step="ship").status, 404)
        self.assertEqual(self.act_on_flow(flow, "approve", step="ship", note="go").status, 200)
        wait_until(lambda: self.get("/v1/flows/" + flow).json()["state"] == "completed", "the flow completes")

    def test_output_is_read_by_ranges(self):
        job = self.machine.dispatch(self.token, "seq 1 1000")
        self.job_becomes(job, "completed")
        size = self.get("/v1/jobs/" + job).json()["output"]["bytes"]
        text = "".join("%d\n" % n for n in range(1, 1001))
        whole = self.get("/v1/jobs/%s/output?limit=100000" % job)
        self.assertTrue(whole.body.startswith(text))
        self.assertEqual(whole.headers["Luzia-Size"], str(size))
        part = self.get("/v1/jobs/%s/output?from=100&limit=50" % job)
        self.assertEqual((part.headers["Luzia-Offset"], part.body), ("100", text[100:150]))
        end = self.get("/v1/jobs/%s/output?from=-20" % job)
        self.assertEqual(end.headers["Luzia-Offset"], str(size - 20))
        self.assertEqual(end.headers["Content-Type"], "text/plain; charset=utf-8")
        self.assertEqual(self.machine.ask("GET", "/v1/jobs/%s/output?from=x" % job, token=self.token).status, 400)

    def test_the_prompt_is_what_the_agent_was_told(self):
        job = self.machine.dispatch(self.token, "tell <b>me</b>", agent="listener")
        self.job_becomes(job, "completed")
        told = self.get("/v1/jobs/%s/prompt" % job)
        with open(self.get("/v1/jobs/" + job).json()["dir"] + "/prompt.txt") as file:
            self.assertEqual(told.body, file.read())
        self.assertIn("tell <b>me</b>", told.body)
        self.assertEqual(told.headers["Content-Type"], "text/plain; charset=utf-8")
        narrow = self.machine.pair("viewer", "narrow", "other")
        self.assertEqual(self.machine.ask("GET", "/v1/jobs/%s/prompt" % job, token=narrow).code(), "no_such_job")

    def test_a_link_in_place_of_a_prompt_leads_nowhere(self):
        secret = self.machine.home + "/secret"
        with open(secret, "w") as file:
            file.write("do not tell")
        job = self.machine.dispatch(self.token, "ln -sf %s $LUZIA_JOB_DIR/prompt.txt" % secret)
        self.job_becomes(job, "completed")
        reply = self.machine.ask("GET", "/v1/jobs/%s/prompt" % job, token=self.token)
        self.assertEqual((reply.status, reply.code()), (404, "no_prompt"))

    def test_an_unchanged_view_answers_not_modified(self):
        self.machine.dispatch(self.token, "true")
        wait_until(lambda: not self.get("/v1/jobs").json()["jobs"], "nothing runs")

        def same():
            first = self.get("/v1/jobs?all=1")
            again = self.unless_changed(first)
            return again.status == 304 and again.body == ""

        wait_until(same, "the log rests")
        before = self.get("/v1/jobs?all=1")
        self.machine.dispatch(self.token, "true")
        after = self.unless_changed(before)
        self.assertEqual(after.status, 200)
        self.assertGreater(int(after.headers["Luzia-Position"]), int(before.headers["Luzia-Position"]))

    def test_lists_lead_to_their_next_page(self):
        wanted = {self.machine.dispatch(self.token, "true", tags=["pages"]) for _ in range(5)}
        path, found = "/v1/jobs?tag=pages&all=1&limit=2", []
        while path:
            reply = self.get(path)
            found += [job["id"] for job in reply.json()["jobs"]]
            link = reply.headers["Link"]
            path = link[1:link.index(">")] if link else None
        self.assertEqual((set(found), len(found)), (wanted, 5))

    def test_the_past_can_be_read(self):
        job = self.machine.dispatch(self.token, "true")
        queued = self.get("/v1/jobs/%s/events" % job).json()["events"][0]["position"]
        self.job_becomes(job, "completed")
        self.assertEqual(self.get("/v1/jobs/%s?at=%d" % (job, queued)).json()["state"], "queued")

    def test_output_of_the_past_ends_where_the_log_knew_it(self):
        job = self.machine.dispatch(self.token, "echo one; while [ ! -e go-on ]; do sleep 0.05; done; echo two")
        path = "/v1/jobs/%s/output" % job
        newest = lambda: self.get("/v1/jobs?limit=1").json()["position"]
        # Without at=, a live job's row has what was read and is not recorded yet.
        knows = lambda at: self.get("/v1/jobs/%s?at=%d" % (job, at)).json()["output"]["bytes"] == 4
        known = wait_until(lambda: next(filter(knows, [newest()]), None), "the first line is recorded")
        queued = self.get("/v1/jobs/%s/events" % job).json()["events"][0]["position"]
        open(self.machine.home + "/demo/go-on", "w").close()
        self.job_becomes(job, "completed")
        os.remove(self.machine.home + "/demo/go-on")
        self.assertTrue(self.get(path).body.startswith("one\ntwo\n"))
        then = self.get("%s?at=%d" % (path, known))
        self.assertEqual((then.body, then.headers["Luzia-Size"]), ("one\n", "4"))
        self.assertEqual(self.get("%s?at=%d&from=-2" % (path, known)).body, "e\n")
        self.assertEqual(self.get("%s?at=%d&from=100" % (path, known)).body, "")
        self.assertEqual(self.get("%s?at=%d" % (path, queued)).body, "", "it had none")
        found = self.get("%s/find?words=o&at=%d" % (path, known)).json()
        self.assertEqual((found["count"], found["size"], found["over"]), (1, 4, True))
        self.assertEqual(self.get("%s/find?words=o&at=%d" % (path, queued)).json()["count"], 0)
        ask = lambda query: self.machine.ask("GET", path + query, token=self.token)
        self.assertEqual(ask("?at=%d" % (queued - 1)).code(), "no_such_job")
        self.assertEqual(ask("?at=%d&attempt=2" % known).code(), "no_such_attempt")
        self.assertEqual(ask("?at=never").status, 400)

    def test_reads_go_on_after_a_kill_of_the_daemon(self):
        for _ in range(3):
            self.get("/v1/jobs?limit=1")
        self.machine.kill_daemon()
        self.machine.start_daemon()
        for _ in range(3):
            self.assertEqual(self.machine.ask("GET", "/v1/jobs?limit=1", token=self.token).status, 200)

    def test_hundreds_of_reads_at_once_are_all_answered(self):
        job = self.machine.dispatch(self.token, "true")
        token = self.machine.pair("viewer", "many")
        request = ("GET /v1/jobs/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
                   % (job, token)).encode()
        self.assertEqual(self.machine.ask("GET", "/v1/jobs/" + job, token=token).status, 200)
        many = [socket.create_connection(("127.0.0.1", self.machine.port), timeout=60) for _ in range(400)]
        for connection in many:
            connection.sendall(request)
        answers = []
        for connection in many:
            answers.append(connection.recv(65536).split(b" ")[1])
            connection.close()
        self.assertEqual(set(answers), {b"200"})

    def test_clients_that_leave_before_the_answer_cost_nothing(self):
        request = ("GET /v1/jobs?all=1&limit=1000 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
                   % self.token).encode()
        for _ in range(200):
            with socket.create_connection(("127.0.0.1", self.machine.port), timeout=60) as connection:
                connection.sendall(request)
        files = lambda: len(os.listdir("/proc/%d/fd" % self.machine.web.pid))
        wait_until(lambda: files() < 100, "their connections are closed")
        self.get("/v1/jobs?limit=1")

    def test_reads_while_the_daemon_ends_are_answered(self):
        statuses, stop = [], threading.Event()

        def read():
            while not stop.wait(0.02):  # within the budget of a device
                statuses.append(self.machine.ask("GET", "/v1/jobs?limit=1", token=self.token).status)
        readers = [threading.Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for _ in range(2):
            self.machine.kill_daemon()
            self.machine.start_daemon()
        stop.set()
        for reader in readers:
            reader.join()
        self.assertLessEqual(set(statuses), {200, 503})
        self.get("/v1/jobs?limit=1")

    def test_a_device_revoked_during_its_reads_reads_no_more(self):
        token = self.machine.pair("viewer", "reads-on")
        statuses = []
        def read():
            while not statuses or statuses[-1] == 200:
                time.sleep(0.005)  # within the budget of a device
                statuses.append(self.machine.ask("GET", "/v1/jobs?limit=1", token=token).status)
        reader = threading.Thread(target=read)
        reader.start()
        wait_until(lambda: len(statuses) > 20, "it reads")
        self.machine.luzia("web", "revoke", "reads-on")
        reader.join(60)
        self.assertEqual(statuses[-1], 401)
        self.assertEqual(self.machine.ask("GET", "/v1/jobs?limit=1", token=token).status, 401)

    def test_reads_in_a_row_use_few_connections(self):
        token = self.machine.pair("viewer", "reader")
        ask = lambda _: self.machine.ask("GET", "/v1/jobs?limit=1", token=token).status
        with concurrent.futures.ThreadPoolExecutor(16) as threads:
            self.assertEqual(set(threads.map(ask, range(300))), {200})
        files = "/proc/%d/fd" % self.machine.web.pid
        sockets = [name for name in os.listdir(files) if os.readlink(files + "/" + name).startswith("socket:")]
        self.assertLess(len(sockets), 100)
        self.machine.luzia("web", "revoke", "reader")
        self.assertEqual(ask(0), 401, "no connection that is kept lets it in")

    def test_events_are_followed_across_a_restart_of_both_programs(self):
        position = self.get("/v1/events?limit=1&since=0").json()["position"]
        seen = []
        stream = Stream(self.machine, self.token, since=position)
        first = self.machine.dispatch(self.token, "echo first")
        while not any(e["type"] == "JobEnded" and first in e["stream"] for _, e in seen):
            seen.append(stream.next())
        self.machine.stop_web(signal.SIGKILL)
        self.machine.kill_daemon()
        second = self.machine.luzia("dispatch", "demo", "echo second")
        self.machine.start_web()
        stream = Stream(self.machine, self.token, last=seen[-1][0])
        while not any(e["type"] == "JobEnded" and second in e["stream"] for _, e in seen):
            seen.append(stream.next())
        stream.close()
        positions = [place for place, _ in seen]
        self.assertEqual(positions, list(range(positions[0], positions[0] + len(positions))), "no gap, nothing twice")
        self.assertEqual(positions[0], position + 1)
        printed = self.machine.luzia("events", "--since", str(position), "--limit", str(len(seen)), "--json")
        self.assertEqual([e for _, e in seen], [json.loads(line) for line in printed.splitlines()])

    def test_a_stream_goes_on_when_the_daemon_comes_back(self):
        stream = Stream(self.machine, self.token)
        self.machine.kill_daemon()
        job = self.machine.luzia("dispatch", "demo", "true")
        while True:
            _, event = stream.next()
            if event["type"] == "JobQueued" and job in event["stream"]:
                break
        stream.close()

    def test_two_hundred_events_reach_every_reader_in_order(self):
        position = self.get("/v1/events?limit=1&since=0").json()["position"]
        batch = {"jobs": [{"project": "demo", "task": "true"} for _ in range(40)]}
        jobs = self.machine.ask("POST", "/v1/batch", batch, self.token, str(uuid.uuid4()))
        self.assertEqual(jobs.status, 201, jobs.body)
        last = jobs.json()["position"]
        readers = [Stream(self.machine, self.token, since=position) for _ in range(8)]
        for reader in readers:
            places = []
            while not places or places[-1] < last:
                places.append(reader.next()[0])
            self.assertEqual(places, list(range(position + 1, position + 1 + len(places))))
            reader.close()

    def test_devices_see_and_do_what_they_were_paired_for(self):
        viewer, narrow = self.machine.pair("viewer", "v"), self.machine.pair("operator", "n", "demo")
        ours, theirs = self.machine.dispatch(self.token, "true"), self.machine.dispatch(self.token, "true", "other")
        self.assertEqual(self.machine.ask("GET", "/v1/jobs/" + ours, token=viewer).status, 200)
        refused = self.machine.ask("POST", "/v1/jobs/%s/retry" % ours, {}, viewer, str(uuid.uuid4()))
        self.assertEqual((refused.status, refused.code()), (403, "device_not_allowed"))
        self.assertEqual(self.machine.ask("GET", "/v1/jobs/" + ours, token=narrow).status, 200)
        for path in ("", "/why", "/output", "/events"):
            hidden = self.machine.ask("GET", "/v1/jobs/%s%s" % (theirs, path), token=narrow)
            self.assertEqual(hidden.status, 404, path + hidden.body)
        listed = self.machine.ask("GET", "/v1/jobs?all=1&limit=1000", token=narrow).json()["jobs"]
        self.assertEqual({job["project"] for job in listed}, {"demo"})
        events = self.machine.ask("GET", "/v1/events?limit=1000", token=narrow).body
        self.assertNotIn(theirs, events)
        body = {"project": "other", "task": "true"}
        no_dispatch = self.machine.ask("POST", "/v1/jobs", body, narrow, str(uuid.uuid4()))
        self.assertGreaterEqual(no_dispatch.status, 400)
        self.assertEqual(self.machine.ask("GET", "/v1/me", token=narrow).json()["projects"], ["demo"])

    def test_open_without_a_desktop_says_what_to_do(self):
        opened = self.machine.run("web", "open")
        self.assertIn("no browser was found (this terminal belongs to no desktop session)", opened.stderr)
        self.assertIn("open the link above", opened.stderr)
        self.assertIn("/#code=", opened.stdout)

    def test_a_revoked_device_is_out_at_once(self):
        token = self.machine.pair("operator", "lost")
        device = self.machine.ask("GET", "/v1/me", token=token).json()["device"]
        stream = Stream(self.machine, token)
        self.machine.luzia("web", "revoke", device)
        while stream.next() is not None:
            pass
        gone = self.machine.ask("GET", "/v1/jobs", token=token)
        self.assertEqual((gone.status, gone.code()), (401, "device_unknown"))

    def test_a_restart_tells_streams_to_resume(self):
        stream = Stream(self.machine, self.token)
        try:
            self.assertEqual(self.machine.stop_web(), 0)
            while stream.next() is not None:
                pass
        finally:
            self.machine.start_web()

    def test_mistakes_are_problem_documents(self):
        cases = [
            ("GET", "/v1/jobs/0000000000000", None, 404, "no_such_job"),
            ("GET", "/v1/jobs?nonsense=1", None, 400, "unknown_parameter"),
            ("GET", "/v1/jobs?state=nonsense", None, 400, "bad_value"),
            ("GET", "/v1/jobs?limit=0", None, 400, "bad_value"),
            ("GET", "/v1/nothing", None, 404, "no_such_route"),
            ("POST", "/v1/me", {}, 405, "bad_method"),
            ("POST", "/v1/jobs", {"project": "nowhere", "task": "x"}, 400, "unknown_project"),
            ("POST", "/v1/jobs", {"task": "x"}, 400, "bad_field"),
            ("POST", "/v1/jobs", {"project": "demo", "task": "x", "callback_url": "http://169.254.169.254/"}, 409,
             "callback_not_allowed"),
            ("POST", "/v1/jobs", {"project": "demo", "task": "x", "sandbox": "tight"}, 400, "bad_sandbox"),
            ("POST", "/v1/jobs", {"project": "demo", "task": "x", "memory_bytes": 5}, 400, "bad_limit"),
            ("POST", "/v1/jobs", {"project": "demo", "task": "x", "cpu_percent": 1000001}, 400, "bad_field"),
            ("POST", "/v1/jobs/0000000000000/cancel", {}, 404, "no_such_job"),
            ("POST", "/v1/questions/none/answer", {"answer": "x"}, 404, "no_such_question"),
        ]
        for method, path, body, status, code in cases:
            reply = self.machine.ask(method, path, body, self.token, str(uuid.uuid4()) if body is not None else None)
            self.assertEqual((reply.status, reply.code()), (status, code), path + reply.body)

    def test_the_server_tells_how_it_is(self):
        self.assertEqual(self.machine.ask("GET", "/healthz").body, "ok\n")
        metrics = self.get("/metrics").body
        self.assertIn('luzia_web_answers_total{status="200"}', metrics)
        self.assertEqual(self.machine.ask("GET", "/metrics").status, 401)
        self.assertEqual(self.get("/v1/projects").json()["projects"][0]["name"], "demo")
        self.assertIn("shell", [agent["name"] for agent in self.get("/v1/agents").json()["agents"]])

    def test_the_machine_is_as_the_kernel_says(self):
        machine = self.get("/v1/machine").json()
        self.assertEqual(machine["daemon"]["pid"], json.loads(self.machine.luzia("daemon", "status", "--json"))["pid"])
        self.assertEqual(machine["cores"], os.sysconf("SC_NPROCESSORS_ONLN"))
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self.assertAlmostEqual(machine["memory_bytes"] / pages, 1, delta=0.01)
        self.assertTrue(0 < machine["memory_available_bytes"] <= machine["memory_bytes"])
        disk = os.statvfs(self.machine.store)
        self.assertEqual(machine["disk_bytes"], disk.f_blocks * disk.f_frsize)
        self.assertTrue(0 <= machine["disk_available_bytes"] <= machine["disk_bytes"])
        self.assertGreaterEqual(machine["load"], 0)
        self.assertEqual(self.machine.ask("GET", "/v1/machine?at=1", token=self.token).code(), "unknown_parameter")

    def test_what_is_configured_for_a_job_is_shown(self):
        project = [each for each in self.get("/v1/projects").json()["projects"] if each["name"] == "demo"][0]
        self.assertEqual((project["sandbox"], project["memory_bytes"], project["verify"]), (None, None, []))
        agent = [each for each in self.get("/v1/agents").json()["agents"] if each["name"] == "shell"][0]
        self.assertEqual((agent["sandbox"], agent["memory_bytes"]), ("off", None))

    def test_a_device_gives_checks_that_prove_the_work(self):
        good = self.machine.dispatch(self.token, "echo made > made", verify=["test -s made"])
        bad = self.machine.dispatch(self.token, "true", verify=["exit 1"])
        self.job_becomes(good, "completed")
        self.assertIs(self.get("/v1/jobs/" + good).json()["verified"], True)
        self.job_becomes(bad, "failed")
        self.assertEqual(self.get("/v1/jobs/" + bad).json()["reason"], "verify_failed")
        empty = {"project": "demo", "task": "true", "verify": [" "]}
        refused = self.machine.ask("POST", "/v1/jobs", empty, self.token, str(uuid.uuid4()))
        self.assertEqual(refused.code(), "bad_verify")

    def test_steps_are_counted_as_by_the_command_line(self):
        steps = [{"name": "built", "prompt": "true"}, {"name": "broken", "prompt": "false", "needs": ["built"]}]
        body = {"project": "demo", "steps": steps}
        flow = self.machine.ask("POST", "/v1/flows", body, self.token, str(uuid.uuid4())).json()["id"]
        wait_until(lambda: self.get("/v1/flows/" + flow).json()["state"] == "failed", "the flow has ended")
        shown = self.get("/v1/steps?project=demo").json()
        self.assertEqual(shown, json.loads(self.machine.luzia("flow", "statistics", "--project", "demo", "--json")))
        rates = {step["step"]: step["completion_rate"] for step in shown["steps"]}
        self.assertEqual((rates["built"], rates["broken"]), (1, 0))
        self.assertEqual(self.get("/v1/steps?project=other").json()["steps"], [])


if __name__ == "__main__":
    unittest.main()
