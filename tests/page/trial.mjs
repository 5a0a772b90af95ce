// A store with jobs in every state, its luziad and luzia-web, and a paired browser. One trial for each test file.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
export const runs = join(process.env.LUZIA_SOURCE ?? resolve(here, '../..'), 'tests/adapters/agents/runs');
export const program = process.env.LUZIA ?? 'luzia';

/// Waits until `check` returns something true, and returns it.
export async function until(what, check, ms = 20_000) {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((done) => setTimeout(done, 50))) {
    const value = await check();
    if (value) return value;
  }
  throw new Error(`not within ${ms} ms: ${what}`);
}

export class Trial {
  constructor() {
    this.home = mkdtempSync(join(tmpdir(), 'luzia-page-'));
    this.environment = {
      PATH: process.env.PATH,
      HOME: this.home,
      LUZIA_STORE: join(this.home, 'store'),
      XDG_RUNTIME_DIR: '',
    };
    for (const project of ['shop', 'api']) mkdirSync(join(this.home, project));
    mkdirSync(join(this.home, '.config/luzia'), { recursive: true });
    this.git('init', '-q');
    writeFileSync(join(this.home, 'shop/a.ts'), 'export const a = 1;\nexport const b = 2;\n');
    this.git('add', '.');
    this.git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', 'commit', '-qm', 'first');
    writeFileSync(join(this.home, 'edit.sh'), 'echo "<b>new</b>" > new.txt; sed -i "s/b = 2/b = 3/" a.ts\n');
    writeFileSync(join(this.home, 'replay.sh'), `cat ${runs}/$(head -1 "$1").jsonl\n`);
    writeFileSync(
      join(this.home, '.config/luzia/luzia.toml'),
      `
[queue]
max_running = 20
[projects.shop]
path = "${this.home}/shop"
[projects.shop.gates]
deploy = "ask"
[projects.api]
path = "${this.home}/api"
[agents.replay]
command = ["sh", "${this.home}/replay.sh", "{task_file}"]
output = "auto"
stdin = "null"
[agents.editor]
command = ["sh", "${this.home}/edit.sh"]
stdin = "null"
[agents.listener]
command = ["sh", "-c", "cat > $LUZIA_JOB_DIR/heard; . ${this.home}/edit.sh"]
[agents.waiter]
command = ["sh", "-c", "sed -i 's/b = 3/b = 4/; s/b = 2/b = 4/' a.ts; echo edited; sleep 600"]
stdin = "null"
`,
    );
  }

  git(...words) {
    execFileSync('git', ['-C', join(this.home, 'shop'), ...words], { env: this.environment });
  }

  luzia(...words) {
    return execFileSync(program, words, {
      env: this.environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  json(...words) {
    return JSON.parse(this.luzia(...words, '--json'));
  }

  dispatch(project, task, ...more) {
    return this.luzia('dispatch', project, task, ...more);
  }

  shell(project, command, ...more) {
    return this.dispatch(project, command, '--agent', 'shell', ...more);
  }

  /// Ends the daemon or the server as a crash does; until it is gone, whoever starts another one finds it running.
  kill(pid) {
    const stat = () => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8');
      } catch {
        return ') Z'; // nobody had to collect it
      }
    };
    process.kill(pid, 'SIGKILL');
    while (!/\) [ZX]/.test(stat())) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }

  begin() {
    this.luzia('daemon', 'start');
    this.startWeb();
  }

  startWeb(listen = '127.0.0.1:0') {
    this.url = this.json('web', 'start', '--listen', listen).url.replace(/\/$/, '');
    return this.url;
  }

  get webPid() {
    return JSON.parse(readFileSync(`${this.environment.LUZIA_STORE}.web.json`, 'utf8')).pid;
  }

  code(...words) {
    return this.json('web', 'pair', ...words).code;
  }

  async browser() {
    this.chromium ??= await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: process.getuid() === 0 ? ['--no-sandbox'] : [],
      env: { ...process.env, ...this.browserEnvironment },
    });
    return this.chromium;
  }

  /// A browser of its own with cookies of its own, paired. `page.problems`: what went wrong in it. `clock`: of its own.
  async device({ width = 1280, height = 800, pair = ['--role', 'admin'], clock, ...look } = {}) {
    const narrow = width < 600;
    const context = await (
      await this.browser()
    ).newContext({
      viewport: { width, height },
      hasTouch: narrow,
      isMobile: narrow,
      reducedMotion: 'reduce',
      serviceWorkers: process.env.PAGE ? 'block' : 'allow',
      ...look,
    });
    await this.replacePage(context);
    const page = await context.newPage();
    if (clock) await page.clock.install(); // it goes on as usual, and can be set
    page.problems = [];
    page.on('pageerror', (error) => page.problems.push(String(error)));
    page.on('dialog', (dialog) => (page.problems.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
    page.on('console', (message) => {
      if (/Content Security Policy|Uncaught/.test(message.text())) page.problems.push(message.text());
    });
    await page.goto(`${this.url}/#code=${this.code(...pair)}`);
    await page.waitForSelector('.places');
    return page;
  }

  async closeDevices() {
    for (const context of this.chromium?.contexts() ?? []) await context.close();
  }

  /// PAGE: a folder of `npm run build` whose files the browser gets in place of the ones within luzia-web.
  async replacePage(context) {
    const folder = process.env.PAGE;
    if (!folder) return;
    const policy = (await fetch(this.url)).headers.get('content-security-policy');
    for (const { path, type, file } of JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')))
      await context.route(
        (url) => url.origin === this.url && url.pathname === path,
        (route) =>
          route.fulfill({
            body: readFileSync(join(folder, file)),
            headers: { 'content-type': type, 'content-security-policy': policy },
          }),
      );
  }

  async go(page, where) {
    await page.goto(`${this.url}/#/${where}`);
    await page.waitForSelector('main h1');
    await page.waitForFunction(() => !document.querySelector('main')?.textContent.includes('Reading…'));
  }

  async end() {
    await this.chromium?.close();
    for (const words of [
      ['web', 'stop'],
      ['cancel', '--all', '--yes', '--grace', '0'],
      ['daemon', 'stop'],
    ]) {
      await promisify(execFile)(program, words, { env: this.environment }).catch(() => undefined);
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  /// A flow with a step that is done, one that has failed, one at a gate, and one for a person; its id.
  /// `more`: further lines of the step that fails.
  async flow(docs = 'echo no such theme; exit 2', ...more) {
    const steps = [
      ['build', 'prompt = "echo 214 objects"'],
      ['docs', `prompt = "${docs}"`, ...more],
      ['ship', 'prompt = "echo shipped"', 'needs = ["build"]', 'gate = "release"'],
      ['notes', 'description = "Write the release notes"', 'needs = ["build"]'],
      ['announce', 'prompt = "echo said"', 'needs = ["ship", "notes"]'],
    ];
    const file = join(this.home, 'release.toml');
    const text = steps.map(([name, ...lines]) => `[[steps]]\nname = "${name}"\nagent = "shell"\n${lines.join('\n')}\n`);
    const head = 'project = "shop"\ndescription = "Release 2.1"\nkeep_going = true\n';
    writeFileSync(file, `${head}${text.join('').replace('agent = "shell"\ndescription', 'description')}`);
    const id = this.luzia('flow', 'run', file);
    await until('the flow stands still', () => {
      const states = this.json('flow', 'status', id).steps.map((step) => step.gate_state ?? step.state);
      return states[0] === 'completed' && states[1] === 'failed' && states[2] === 'asked';
    });
    return id;
  }

  /// Jobs in every state; the ids by what they are.
  async fill() {
    const ask = `${program} ask`;
    const jobs = {
      failing: this.shell('api', 'printf "npm ERR! code EACCES\\n::error file=a.cc,line=3::something odd\\n"; exit 3'),
      agent: this.dispatch('shop', 'claude-s3', '--agent', 'replay'),
      todo: this.dispatch('shop', 'claude-s2-todowrite', '--agent', 'replay', '--tag', 'release'),
      edit: this.dispatch('shop', 'edit', '--agent', 'editor'),
      coloured: this.shell('api', 'for n in $(seq 2000); do printf "\\033[1;32mok\\033[0m step %d\\n" $n; done'),
      running: this.shell(
        'shop',
        'for n in $(seq 100); do printf "\\033]9;4;1;%d\\007step %d\\n" $n $n; sleep 1; done',
      ),
      question: this.shell(
        'shop',
        `${ask} 'Deploy where?' --options staging,production --timeout 30m --default staging`,
      ),
      words: this.shell('api', `${ask} 'Which name should the column have?'`),
      several: this.shell('api', `${ask} 'Which ones?' --options red,green,blue --multi`),
      gate: this.shell('shop', `${program} gate deploy`),
    };
    await until('three questions and a gate', () => {
      const inbox = this.json('inbox');
      return inbox.questions.length === 3 && inbox.approvals.length === 1;
    });
    this.luzia('wait', jobs.agent, jobs.todo, jobs.coloured, jobs.edit);
    this.luzia('pause', '--project', 'api');
    jobs.queued = this.shell('api', 'echo later');
    return jobs;
  }
}
