"""The fleet over HTTP: rows of all its machines, from a real database, for the owner's devices alone."""

import os
import shutil
import subprocess
import tempfile
import unittest

from scratch import BIN, Machine, MachineTest, wait_until

FLEET = BIN + "/tools/luzia-fleet/luzia-fleet"
POSTGRES = os.path.dirname(os.path.abspath(__file__)) + "/../../../tools/dev/postgres"


class Fleet(MachineTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="luzia-fleet-")
        cls.database = subprocess.check_output([POSTGRES, "start", cls.folder], text=True).splitlines()[-1]
        for words in (["--machine", "near", "--machine", "far"], ["--reader", "luzia-near", "--projects", "*"]):
            subprocess.check_call([FLEET, "init", "--url", cls.database, *words], stdout=subprocess.DEVNULL)
        config = '[fleet]\nurl = "host=%s user=luzia-%s dbname=postgres"\nsite = "%s"\n'
        cls.far = Machine(config % (cls.folder, "far", "far"))
        cls.far.start_daemon()
        cls.machine = Machine(config % (cls.folder, "near", "near"))
        cls.machine.start_daemon()
        cls.machine.start_web()

    @classmethod
    def tearDownClass(cls):
        cls.machine.close()
        cls.far.close()
        subprocess.call([POSTGRES, "stop", cls.folder])
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.token = self.machine.pair("admin", self.id().rsplit(".", 1)[1][:40])

    def get(self, path, token=None):
        return self.machine.ask("GET", path, token=token or self.token)

    def rows(self, path):
        reply = self.get(path)
        self.assertEqual(reply.status, 200, reply.body)
        return {row["id"]: row for row in reply.json()["jobs"]}

    def sql(self, command):
        """As the account of the server, which owns its folder."""
        words = ["psql", "-d", self.database, "-c", command]
        subprocess.check_call(words, stdout=subprocess.DEVNULL)

    def test_lists_have_the_rows_of_all_machines(self):
        far = self.far.luzia("dispatch", "demo", "sleep 1000")
        near = self.machine.luzia("dispatch", "demo", "sleep 1000")
        wait_until(lambda: {far, near} <= set(self.rows("/v1/jobs?fleet=1")), "both are mirrored")
        rows = self.rows("/v1/jobs?fleet=1")
        self.assertEqual((rows[far]["machine"], rows[near]["machine"]), ("far", "near"))
        self.assertGreater(rows[far]["as_of_us"], 0)
        self.assertEqual(set(self.rows("/v1/jobs?fleet=1&site=far")) & {far, near}, {far})
        self.assertEqual(self.get("/v1/jobs?fleet=1&site=none").status, 404)
        card = self.get("/v1/jobs/%s?fleet=1" % far).json()
        self.assertEqual((card["task"], card["machine"]), ("sleep 1000", "far"))
        self.assertEqual(self.get("/v1/jobs/" + far).status, 404, "it is not here")
        for view in ("questions", "approvals", "issues"):
            self.assertEqual(len(self.get("/v1/%s?fleet=1" % view).json()["machines"]), 2)
        self.assertEqual(self.get("/v1/jobs?fleet=1&at=1h").status, 400)
        self.assertEqual(self.get("/v1/queue?fleet=1").status, 400)

    def test_sites_are_listed_with_when_they_were_seen(self):
        def sites():
            return {site["site"]: site for site in self.get("/v1/fleet").json()["sites"]}

        self.assertEqual(set(sites()), {"near", "far"})
        wait_until(lambda: not sites()["far"]["unreachable"], "it is seen")
        self.assertGreater(sites()["far"]["as_of_us"], 0)

    def test_silent_site_is_unreachable(self):
        far = self.far.luzia("dispatch", "demo", "sleep 1000")
        wait_until(lambda: far in self.rows("/v1/jobs?fleet=1"), "it is mirrored")
        self.far.luzia("daemon", "stop")

        def silent():
            # Its luzia-fleet may still be about to end.
            self.sql("UPDATE luzia.sites SET last_seen = now() - interval '3 minutes' WHERE site = 'far'")
            list_ = self.get("/v1/jobs?fleet=1").json()
            answered = {each["machine"]: each["answered"] for each in list_["machines"]}
            return list_ if answered == {"near": True, "far": False} else None

        list_ = wait_until(silent, "it is unreachable")
        self.assertIn(far, [row["id"] for row in list_["jobs"]], "its rows stay")
        sites = {site["site"]: site for site in self.get("/v1/fleet").json()["sites"]}
        self.assertTrue(sites["far"]["unreachable"])
        self.far.start_daemon()

    def test_only_the_owners_devices_see_it(self):
        for name, role, projects in (("op", "operator", []), ("one", "admin", ["demo"])):
            token = self.machine.pair(role, name, *projects)
            self.assertEqual(self.get("/v1/fleet", token).json(), {"sites": []})
            reply = self.get("/v1/jobs?fleet=1", token)
            self.assertEqual((reply.status, reply.code()), (403, "device_not_allowed"))
        self.assertEqual(self.machine.ask("GET", "/v1/jobs?fleet=1").status, 401)


if __name__ == "__main__":
    unittest.main()
