"""A project's folder that an agent has prepared against whoever looks at its changes."""

import os
import shutil
import subprocess
import tempfile
import unittest

from scratch import Machine, wait_until


class HostileFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        self.machine = Machine('[projects.shop]\npath = "%s"\nagent = "shell"\nsnapshot = true' % folder)
        self.addCleanup(self.machine.close)
        git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.org"]
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
            subprocess.run([*git, *words], check=True)
        self.machine.start_daemon()
        self.machine.start_web()
        self.token = self.machine.pair("operator")

    def run_job(self, task):
        job = self.machine.dispatch(self.token, task, "shop")
        path = "/v1/jobs/" + job
        wait_until(lambda: self.machine.ask("GET", path, token=self.token).json()["state"] == "completed", "ended")
        return path

    def test_a_git_filter_that_hangs_is_ended(self):
        seconds = "%d" % (10**6 + os.getpid())
        path = self.run_job("echo '* filter=slow' > .gitattributes; git config filter.slow.clean 'sleep %s'; echo a > a"
                            % seconds)
        reply = self.machine.ask("GET", path + "/changes", token=self.token)
        self.assertEqual((reply.status, reply.code()), (503, "diff_too_long"))
        wait_until(lambda: not running_with("sleep", seconds), "no filter runs on")

    def test_a_git_hook_does_not_run(self):
        path = self.run_job("for name in fsmonitor post-index-change; do "
                            "printf '#!/bin/sh\\ntouch %s/pwned\\n' > .git/hooks/$name; chmod +x .git/hooks/$name; "
                            "done; git config core.fsmonitor .git/hooks/fsmonitor; "
                            "git config diff.external .git/hooks/fsmonitor; echo a > a" % self.machine.home)
        for accept in ("application/json", "text/x-diff"):
            reply = self.machine.ask("GET", path + "/changes", token=self.token, headers={"Accept": accept})
            self.assertEqual(reply.status, 200, reply.body)
        self.assertFalse(os.path.exists(self.machine.home + "/pwned"))


def running_with(*words):
    """Processes with this command line."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid) as file:
                found += [pid] if file.read().split("\0")[:-1] == list(words) else []
        except OSError:
            pass  # it has ended
    return found


if __name__ == "__main__":
    unittest.main()
