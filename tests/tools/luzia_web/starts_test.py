"""How luzia-web starts: nowhere unsafe, once for a store, with its daemon's configuration, and with TLS."""

import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest

from scratch import LUZIA, PATIENCE_S, WEB, Machine, wait_until


class Starts(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()
        self.machine.start_daemon()

    def tearDown(self):
        self.machine.close()

    def refused(self, *options):
        done = subprocess.run([WEB, "--store", self.machine.store, *options],
                              env=self.machine.environment, capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def test_it_refuses_to_start_where_others_could_listen_in(self):
        for options in (["--listen", "0.0.0.0:0"], ["--listen", "[::]:0"], ["--listen", "192.0.2.1:0"],
                        ["--listen", "127.0.0.1:0", "--tls-cert", "/none"],
                        ["--listen", "example.org:80"], ["--nonsense"]):
            code, words = self.refused(*options)
            self.assertEqual(code, 2, options)
            self.assertEqual(len([line for line in words.splitlines() if line.startswith("luzia-web:")]), 1, words)

    def test_it_reads_the_configuration_of_its_daemon(self):
        machine, file = self.machine, self.machine.home + "/elsewhere.toml"
        machine.luzia("daemon", "stop")
        with open(file, "w") as config:
            config.write('[projects.elsewhere]\npath = "%s/demo"\n[web]\nenabled = true\nlisten = "127.0.0.1:0"\n'
                         % machine.home)
        machine.luzia("daemon", "start", "--config", file)
        machine.url = wait_until(lambda: self.running("--config", file), "the daemon starts luzia-web")
        token = machine.pair("viewer")
        names = [project["name"] for project in machine.ask("GET", "/v1/projects", token=token).json()["projects"]]
        self.assertIn("elsewhere", names)

    def running(self, *options):
        """The address of the running luzia-web; None: none runs."""
        status = json.loads(self.machine.luzia("web", "status", "--json", *options, ok=False))
        return status["url"] if status["running"] else None

    def test_a_program_of_that_name_and_number_is_not_believed(self):
        # luzia-web was killed, and its number is that of a program that somebody else has named so.
        if os.geteuid() != 0:
            self.skipTest("needs root, to be somebody else")
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        os.chmod(folder, 0o755)
        shutil.copy("/bin/sleep", folder + "/luzia-web")
        other = subprocess.Popen([folder + "/luzia-web", "300"], user=65534)
        try:
            state = {"pid": other.pid, "url": "http://127.0.0.1:1", "started": "2026-01-01T00:00:00Z"}
            with open(self.machine.store + ".web.json", "w") as file:
                json.dump(state, file)
            os.chmod(self.machine.store + ".web.json", 0o600)
            self.assertIsNone(self.running())
            self.assertIn("does not run", self.said("web", "stop"))
            self.assertIsNone(other.poll())
        finally:
            other.kill()
            other.wait()

    def said(self, *words):
        return subprocess.run([LUZIA, *words], env=self.machine.environment, capture_output=True, text=True).stderr

    def test_only_one_runs_for_a_store(self):
        self.machine.start_web()
        code, words = self.refused("--listen", "127.0.0.1:0")
        self.assertEqual(code, 4, words)

    def test_stopping_the_daemon_says_that_it_stays(self):
        self.machine.start_web()
        self.assertIn("luzia-web still runs, at " + self.machine.url, self.said("daemon", "stop"))
        self.machine.start_daemon()
        self.machine.stop_web()
        self.assertNotIn("luzia-web", self.said("daemon", "stop"))

    def test_a_phone_is_told_how_to_reach_it(self):
        self.machine.start_web()
        self.assertIn("no phone reaches this address", self.said("web", "pair"))

    def test_a_used_port_is_said(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            code, words = self.refused("--listen", "127.0.0.1:%d" % server.getsockname()[1])
        self.assertEqual(code, 5, words)
        self.assertIn("listening on 127.0.0.1", words)

    def test_tls_is_spoken_with_a_certificate(self):
        folder = self.machine.home
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
                        "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"], check=True, capture_output=True)
        self.machine.start_web("--tls-cert", folder + "/cert.pem", "--tls-key", folder + "/key.pem")
        self.assertTrue(self.machine.url.startswith("https://"))
        import ssl
        import urllib.request
        context = ssl.create_default_context(cafile=folder + "/cert.pem")
        with urllib.request.urlopen(self.machine.url + "/healthz", context=context) as answer:
            self.assertEqual(answer.read(), b"ok\n")


if __name__ == "__main__":
    unittest.main()
