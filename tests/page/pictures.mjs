// Draws the pictures of tools/docs/web.md from a store with real jobs. Words: the folder to write them to.
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runs, Trial, until } from './trial.mjs';

const folder = process.argv[2];
const trial = new Trial();
const program = process.env.LUZIA ?? 'luzia';

/// An executable of a project, which a task names.
function script(project, name, text) {
  const path = join(trial.home, project, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

/// The agent plays a recorded run of Claude Code.
const kTasks = {
  'Use an f-string in greet()': 'claude-s1',
  'Which checks fail here?': 'claude-s3',
};

function prepare() {
  const choices = Object.entries(kTasks).map(([task, run]) => `*"${task}"*) cat ${runs}/${run}.jsonl ;;`);
  script('shop', '../claude.sh', `case $(cat "$1") in\n${choices.join('\n')}\nesac`);
  writeFileSync(
    join(trial.home, '.config/luzia/luzia.toml'),
    `
[queue]
max_running = 5
[projects.shop]
path = "${trial.home}/shop"
[projects.api]
path = "${trial.home}/api"
[agents.claude]
command = ["${trial.home}/claude.sh", "{task_file}"]
output = "claude-stream-json"
stdin = "null"
`,
  );
  const deploy = '"Deploy version 2.4 to production?" --options yes,no --timeout 30m --default no';
  script('shop', 'deploy', `"${program}" ask ${deploy}`);
  script('api', 'name-it', `"${program}" ask "Which name should the new column have?" --timeout 2h`);
  script('shop', 'push', `"${program}" gate release "Push the tag v2.4 to the server"`);
  const lines = 'printf "\\033]9;4;1;$((n * 12))\\007[$n/8] migrating orders, part $n\\n"';
  script('api', 'migrate', `for n in 1 2 3 4 5; do ${lines}; sleep 0.1; done; sleep 600`);
  script('shop', 'lint', 'echo "linting 214 files"; sleep 600');
  script('api', 'report', 'echo "ModuleNotFoundError: No module named \'requests\'"; exit 1');
}

async function fill() {
  const [edit] = Object.keys(kTasks).map((task) => trial.dispatch('shop', task, '--agent', 'claude'));
  trial.shell('api', './report');
  await until('three jobs have ended', () => trial.json('jobs', '--all').jobs.every((job) => job.ended_at));
  trial.shell('shop', './deploy', '--priority', '8');
  trial.shell('api', './name-it');
  trial.shell('shop', './push');
  const migration = trial.shell('api', './migrate', '--tag', 'release');
  trial.shell('shop', './lint');
  trial.shell('shop', 'npm run build', '--after', migration);
  trial.shell('api', 'make docs');
  await until('the jobs ask and run', () => {
    const { questions, approvals } = trial.json('inbox');
    const working = trial.json('jobs', '--state', 'running').jobs;
    return questions.length === 2 && approvals.length === 1 && working.some((job) => job.progress?.current_step === 5);
  });
  return edit;
}

async function draw(name, where, wait, { act, device, ...look }) {
  const page = await trial.device({ ...look, pair: ['--role', 'admin', '--person', 'ana', '--name', device] });
  await trial.go(page, where);
  await page.waitForSelector(wait);
  await act?.(page);
  await page.screenshot({ path: join(folder, `web-${name}.png`) });
  await page.context().close();
}

try {
  prepare();
  trial.begin();
  const edit = await fill();
  await draw('now', '', '.card', { width: 1200, height: 600, device: 'laptop' });
  const act = (page) => page.locator('.tool > summary', { hasText: 'Edit' }).click();
  await draw('job', `jobs/${edit}`, '.tool', { width: 1200, height: 680, colorScheme: 'dark', device: 'desktop', act });
  await draw('phone', 'ask', '.card', { width: 375, height: 720, device: 'phone' });
} finally {
  await trial.end();
}
