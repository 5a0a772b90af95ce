"""The agents, how they find the model server, and a place with a daemon where one of their jobs runs."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60  # for one step
ANSWER = "blue"


class Trouble(Exception):
    pass


class NotOffered(Exception):
    pass


def patch(file, text):
    return f"*** Begin Patch\n*** Add File: {file}\n+{text}\n*** End Patch\n"


def writes(tool, file_key, text_key):
    return lambda file, text: {"name": tool, "arguments": {file_key: file, text_key: text}}


def runs(tool, **others):
    return lambda command: {"name": tool, "arguments": {"command": command, **others}}


AGENTS = {
    "claude": {"package": "@anthropic-ai/claude-code", "write": writes("Write", "file_path", "content"),
               "run": runs("Bash", description="Write")},
    "codex": {"package": "@openai/codex",
              "write": lambda file, text: {"name": "apply_patch", "arguments": patch(file, text)},
              "run": lambda command: {"name": "exec_command", "arguments": {"cmd": command}}},
    "gemini": {"package": "@google/gemini-cli", "server": "mcp_luzia_",
               "write": writes("write_file", "file_path", "content"),
               "run": runs("run_shell_command", is_background=False)},
    "opencode": {"package": "opencode-ai", "server": "luzia_", "write": writes("write", "filePath", "content"),
                 "run": runs("bash", description="Write")},
    "qwen": {"package": "@qwen-code/qwen-code", "write": writes("write_file", "file_path", "content"),
             "run": runs("run_shell_command", is_background=False)},
    "copilot": {"package": "@github/copilot", "server": "luzia-", "limit": 402,
                "write": writes("create", "path", "file_text"), "run": runs("bash", description="Write")},
}


def settings(url):
    """Files below the home and variables by which the agents find the model server."""
    codex = f"""model = "gpt-5.5"
model_provider = "local"
check_for_update_on_startup = false
[model_providers.local]
name = "local"
base_url = "{url}/v1"
env_key = "CODEX_API_KEY"
wire_api = "responses"
"""
    model = {"name": "model-1", "limit": {"context": 200000, "output": 32000}}
    provider = {"options": {"baseURL": url + "/v1", "apiKey": "none"}, "models": {"model-1": model}}
    opencode = {"autoupdate": False, "share": "disabled", "model": "anthropic/model-1",
                "small_model": "anthropic/model-1", "provider": {"anthropic": provider}}
    gemini = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
              "general": {"enableAutoUpdate": False}}
    files = {".codex/config.toml": codex, ".config/opencode/opencode.json": json.dumps(opencode),
             ".gemini/settings.json": json.dumps(gemini)}
    variables = {"ANTHROPIC_BASE_URL": url, "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-none", "CODEX_API_KEY": "none",
                 "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                 "GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_MODEL": "gemini-2.5-pro",
                 "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url + "/v1", "OPENAI_MODEL": "model-1",
                 "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
                 "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": url + "/v1", "COPILOT_MODEL": "model-1"}
    return files, variables


def why(row):
    return row["outcome_text"] or row["last_line"] or row["reason_text"]


def processes_of(job):
    """Processes that carry the job's variable."""
    found = []
    for each in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"LUZIA_JOB_ID={job}".encode() in (each / "environ").read_bytes():
                found.append(each.name)
        except OSError:
            pass  # it has ended
    return found


class Place:
    """A project, a store, a daemon and a model server for one case of one agent."""

    def __init__(self, luzia, packages, agent, sandbox):
        self.luzia_program, self.agent, self.sandbox, self.job = luzia, agent, sandbox, None
        # Codex makes no programs of its own below $TMPDIR, which is /tmp inside.
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="luzia-agents-", dir="/var/tmp"))
        self.project = self.root / "project"
        self.home = self.root / "home"
        self.script = self.root / "model"
        for folder in (self.project, self.home, self.script):
            folder.mkdir()
        self.play([])
        self.model = subprocess.Popen([sys.executable, HERE / "model.py", self.script], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        self.files, variables = settings(f"http://127.0.0.1:{self.model.stdout.readline().strip()}")
        self.write_settings()
        # The packages may lie below /tmp, which is private inside. A strict sandbox shows the agent's by itself.
        shown = f'sandbox_read = ["{packages}"]\n' if sandbox == "project" else ""
        lines = [f'[jobs]\nsandbox = "{sandbox}"\n{shown}[projects.demo]\npath = "{self.project}"\nsnapshot = false',
                 f"[agents.{agent}.env]",
                 f'HOME = "{self.home}"', *(f'{name} = "{value}"' for name, value in variables.items())]
        (self.root / "luzia.toml").write_text("\n".join(lines) + "\n")
        self.environment = {**os.environ, "HOME": str(self.home), "XDG_STATE_HOME": str(self.root / "state"),
                            "LUZIA_CONFIG": str(self.root / "luzia.toml"), "LUZIA_STORE": str(self.root / "store"),
                            "PATH": f"{packages}/node_modules/.bin:{os.environ['PATH']}"}

    def write_settings(self):
        for name, text in self.files.items():
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_text(text)

    def configure(self, text):
        with (self.root / "luzia.toml").open("a") as out:
            out.write(text)

    def init(self):
        """Where the agent reads what luzia init enters without asking a person at a terminal first."""
        at = ["--user"] if self.agent in ("codex", "copilot", "qwen") else ["--project", str(self.project)]
        self.luzia("init", self.agent, *at, "--yes")
        if self.agent == "codex":  # in place of a person who trusts the hook with /hooks
            self.configure('[agents.codex]\ncommand = ["codex", "exec", "--skip-git-repo-check", "{permissions}", '
                           '"--dangerously-bypass-hook-trust", "--json", "-"]\n')

    def ask_by_hook(self):
        """A person decides about each edit: by a gate and the agent's hook, as luzia init enters it."""
        self.configure('[projects.demo.gates]\nWrite = "ask"\nEdit = "ask"\n')
        self.init()

    def play(self, turns):
        (self.script / "turns.json").write_text(json.dumps(turns))

    def close(self):
        if self.job:  # a job outlives its daemon
            self.luzia("cancel", self.job, "--grace", "1s", check=False)
            begun = time.monotonic()
            while processes_of(self.job) and time.monotonic() - begun < SECONDS:
                time.sleep(0.05)
        self.luzia("daemon", "stop", check=False)
        self.model.kill()
        self.model.wait()
        shutil.rmtree(self.root, ignore_errors=True)

    def luzia(self, *words, check=True):
        done = subprocess.run([self.luzia_program, *words], env=self.environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=SECONDS)
        if check and done.returncode != 0:
            raise Trouble(f"luzia {words[0]}: {(done.stderr or done.stdout).strip().splitlines()[:1]}")
        return done.stdout

    def dispatch(self, *options):
        job = self.luzia("dispatch", "demo", "--agent", self.agent, *options, "Do the task").split()[0]
        (self.script / "job_dir.new").write_text(self.row(job)["dir"])
        (self.script / "job_dir.new").rename(self.script / "job_dir")
        self.job = job
        return job

    def row(self, job):
        return json.loads(self.luzia("job", job, "--json"))

    def until(self, job, what, holds):
        """The row once `holds(row)`; a job that ends before is trouble."""
        begun = time.monotonic()
        while time.monotonic() - begun < SECONDS:
            row = self.row(job)
            if holds(row):
                return row
            if row["state"] in ("completed", "failed", "killed", "timed_out", "lost"):
                raise Trouble(f"{row['state']} instead of {what}: {why(row)}")
            time.sleep(0.05)
        raise Trouble(f"{row['state']} after {SECONDS} s, not {what}")

    def ended(self, job, state):
        row = self.until(job, state, lambda row: row["state"] in ("completed", "failed", "killed", "parked"))
        if row["state"] != state:
            raise Trouble(f"{row['state']}, not {state}: {why(row)}")
        return row

    def asked(self, number):
        """Waits until the model has got that request, and returns it."""
        file = self.script / f"request.{number}"
        begun = time.monotonic()
        while not file.exists():
            if time.monotonic() - begun > SECONDS:
                raise Trouble(f"the model got no request {number}")
            time.sleep(0.02)
        return file.read_text()

    def file(self, name="made"):
        path = self.project / name
        return path.read_text().strip() if path.exists() else None


def results(request):
    """What a request tells the model about its calls, whichever interface it is for."""
    found = []

    def look(part, inside):
        if isinstance(part, str) and inside:
            found.append(part)
        for each in part if isinstance(part, list) else []:
            look(each, inside)
        if isinstance(part, dict):
            is_result = (str(part.get("type", "")).endswith(("tool_result", "call_output")) or
                         part.get("role") == "tool" or "functionResponse" in part)
            for each in part.values():
                look(each, inside or is_result)

    look(json.loads(request), False)
    return "\n".join(found)


def check(holds, why):
    if not holds:
        raise Trouble(why)


def edit_turns(place_of_file, agent):
    call = AGENTS[agent]["write"](place_of_file, "text")
    return [{"text": "I write first.", "usage": [1000, 900, 40], "calls": [call]},
            {"text": "Done.", "usage": [1200, 1000, 60]}]


def made(place):
    return str(place.project / "made")
