// A store whose pictures are the same in each run: its jobs run one after the other, and what differs between runs
// (ids, times, folders, accounts) is replaced by fixed text of the same shape before a picture is taken.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { program, runs, Trial, until } from './trial.mjs';

const fonts = '/usr/share/fonts/truetype/dejavu';
const faces = ['DejaVuSans', 'DejaVuSans-Bold', 'DejaVuSansMono', 'DejaVuSansMono-Bold'];

/// The fonts of Debian's fonts-dejavu-core alone, whatever else this machine has, without hinting.
function fontSettings() {
  for (const face of faces)
    if (!existsSync(`${fonts}/${face}.ttf`)) throw new Error(`no ${face}.ttf in ${fonts}: install fonts-dejavu-core`);
  const accept = faces.map((face) => `<glob>${fonts}/${face}.ttf</glob>`).join('');
  const prefer = (family, face) => `<alias><family>${family}</family><prefer><family>${face}</family></prefer></alias>`;
  const edit = (name, value) => `<edit name="${name}" mode="assign">${value}</edit>`;
  return `<?xml version="1.0"?><fontconfig><dir>${fonts}</dir>
<selectfont><rejectfont><glob>/*</glob></rejectfont><acceptfont>${accept}</acceptfont></selectfont>
${prefer('system-ui', 'DejaVu Sans')}${prefer('sans-serif', 'DejaVu Sans')}
${prefer('ui-monospace', 'DejaVu Sans Mono')}${prefer('monospace', 'DejaVu Sans Mono')}
<match target="font">${edit('hintstyle', '<const>hintnone</const>')}${edit('rgba', '<const>none</const>')}</match>
</fontconfig>`;
}

export class FixedTrial extends Trial {
  constructor() {
    super();
    const file = join(this.home, 'fonts.conf');
    writeFileSync(file, fontSettings());
    this.browserEnvironment = { FONTCONFIG_FILE: file };
    if (program.includes('/')) this.environment.PATH = `${dirname(program)}:${this.environment.PATH}`;
  }

  /// An executable of a project, which a task names.
  script(project, name, text) {
    const path = join(this.home, project, name);
    writeFileSync(path, `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
  }

  async ended(job) {
    await until('it has ended', () => this.json('job', job).ended_at);
    return job;
  }

  /// One job after the other, so that lists have one order; their ids by what they are.
  async fill() {
    this.script('api', 'report', `echo "ModuleNotFoundError: No module named 'requests'"; exit 1`);
    this.script('api', 'verify', `for n in $(seq 40); do printf '\\033[1;32mok\\033[0m case %d\\n' $n; done`);
    this.script('shop', 'deploy', 'luzia ask "Deploy version 2.4?" --options yes,no --timeout 30m --default no');
    this.script('api', 'name-it', 'luzia ask "Which name should the new column have?"');
    this.script('api', 'pick', 'luzia ask "Which suites should run?" --options unit,browser,load --multi');
    this.script('shop', 'push', 'luzia gate deploy "Push the tag v2.4 to the server"');
    this.script('api', 'migrate', `printf '\\033]9;4;1;60\\007[3/5] migrating orders\\n'; sleep 3600`);
    this.script('shop', 'docs', 'echo no such theme; exit 2');
    const jobs = {};
    jobs.failed = await this.ended(this.shell('api', './report'));
    jobs.output = await this.ended(this.shell('api', './verify'));
    jobs.files = await this.ended(this.dispatch('shop', 'edit', '--agent', 'editor'));
    jobs.todo = await this.ended(this.dispatch('shop', 'claude-s2-todowrite', '--agent', 'replay', '--tag', 'release'));
    jobs.agent = await this.ended(this.dispatch('shop', 'claude-s3', '--agent', 'replay'));
    jobs.flow = await this.flow('./docs', 'needs = ["build"]');
    this.shell('api', './migrate', '--tag', 'release');
    for (const [count, [project, task]] of [
      ['shop', './deploy'],
      ['api', './name-it'],
      ['api', './pick'],
      ['shop', './push'],
    ].entries()) {
      this.shell(project, task);
      await until('it asks', () => {
        const { questions, approvals } = this.json('inbox');
        return questions.length + approvals.length > count + 1;
      });
    }
    await until('it runs', () => this.json('jobs', '--state', 'running').jobs[0]?.progress?.percent === 60);
    this.luzia('pause', '--project', 'api');
    this.shell('api', 'make docs');
    return jobs;
  }

  /// Replaces what no two runs have in common, in the document as it stands; how often it had to.
  settle(page) {
    return page.evaluate(
      ([home, account]) => {
        let count = 0;
        const digits = (text) => text.replace(/\d/g, '1');
        const rules = [
          [home, '/home/ada'],
          [new RegExp(`\\b${account}\\b`, 'g'), 'ada'],
          [/\b1[0-9a-z]{12}\b/g, '1qxd6rw600bq5'],
          [/\b\d{4}-\d\d-\d\d\b|\b\d\d:\d\d(:\d\d(\.\d+)?)?\b/g, digits],
          [/\b\d+ (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/g, '11 Nov'],
          [/<?\b\d+(\.\d+)?( ms|s|m|h)( \d\d[sm])?(?!\w)/g, '2m'],
          [/\b\d+(\.\d+)? MiB\b/g, '2.0 MiB'],
          [/\bpid \d+/g, 'pid 100'],
          [/#\d+\b/g, '#1'],
        ];
        const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
          const { data } = walk.currentNode;
          const fixed = rules.reduce((text, [what, by]) => text.replaceAll(what, by), data);
          if (fixed === data) continue;
          walk.currentNode.data = fixed;
          ++count;
        }
        return count;
      },
      [this.home, userInfo().username],
    );
  }
}
