"""Short reads that are sent again, and many at the same time."""

import concurrent.futures
import unittest

from scratch import MachineTest, wait_until


class Reads(MachineTest):
    def setUp(self):
        self.token = self.machine.pair("operator", self.id().rsplit(".", 1)[1][:40])

    def get(self, path, token=None):
        return self.machine.ask("GET", path, token=token or self.token)

    def ids(self, path):
        return [job["id"] for job in self.get(path).json()["jobs"]]

    def test_a_repeated_read_shows_what_happened_since(self):
        job = self.machine.dispatch(self.token, "sleep 1")
        states = []

        def ended():
            states.append(self.get("/v1/jobs/" + job).json()["state"])
            return states[-1] == "completed"

        wait_until(ended, "ended")
        self.assertGreater(len(states), 2)
        again = [self.get("/v1/jobs/" + job).body for _ in range(3)]
        self.assertEqual(len(set(again)), 1)

    def test_a_read_that_asks_something_else_each_time_is_right_each_time(self):
        path, jobs = "/v1/jobs?since=1h&all=1&tag=moving", []
        for _ in range(4):
            jobs.insert(0, self.machine.dispatch(self.token, "true", tags=["moving"]))
            self.assertEqual(self.ids(path), jobs)

    def test_a_read_of_nothing_is_refused_each_time(self):
        for _ in range(3):
            self.assertEqual(self.get("/v1/jobs/1qx3adnc00ke8").code(), "no_such_job")

    def test_devices_and_reads_at_the_same_time_get_their_own_answers(self):
        jobs = [self.machine.dispatch(self.token, "true") for _ in range(4)]
        tokens = [self.token, self.machine.pair()]
        asked = [(job, token) for job in jobs for token in tokens] * 10
        with concurrent.futures.ThreadPoolExecutor(8) as readers:
            found = list(readers.map(lambda each: self.get("/v1/jobs/" + each[0], each[1]).json()["id"], asked))
        self.assertEqual(found, [job for job, _ in asked])


if __name__ == "__main__":
    unittest.main()
