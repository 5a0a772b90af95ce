// Other machines: their rows beside those of this one, answers that go there, and one that does not answer. In the
// place of ssh, a program runs the line on a machine in a folder.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, appendFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { program, Trial, until } from './trial.mjs';

const trial = new Trial();
const far = new Trial();
let page;

before(async () => {
  const bin = join(trial.home, 'bin');
  mkdirSync(bin);
  symlinkSync(far.home, join(trial.home, 'web1'));
  writeFileSync(
    join(bin, 'ssh'),
    `#!/bin/sh
for word; do far=$line; line=$word; done
far=${trial.home}/$far
[ ! -e $far/cut ] || { echo "ssh: no route to host" >&2; exit 255; }
exec env -i HOME=$far LUZIA_STORE=$far/store PATH=${dirname(program)}:/usr/bin:/bin /bin/sh -c "$line"
`,
  );
  chmodSync(join(bin, 'ssh'), 0o755);
  appendFileSync(join(trial.home, '.config/luzia/luzia.toml'), '[machines.web1]\nssh = "web1"\n');
  trial.environment.PATH = `${bin}:${trial.environment.PATH}`;
  far.luzia('daemon', 'start');
  trial.begin();
  page = await trial.device();
});
after(async () => {
  await trial.end();
  await far.end();
});

test('RowsOfAnotherMachineNameIt', async () => {
  trial.shell('shop', 'echo near; sleep 600');
  far.shell('shop', 'echo far; sleep 600');
  await trial.go(page, '');
  const row = page.locator('.now-running .job-row', { hasText: 'echo far' });
  await row.locator('.on-machine', { hasText: 'web1' }).waitFor({ timeout: 15_000 });
  assert.equal(await page.locator('.now-running .job-row', { hasText: 'echo near' }).locator('.on-machine').count(), 0);
  await trial.go(page, 'jobs');
  await page.locator('.elsewhere .job-row', { hasText: 'echo far' }).waitFor({ timeout: 15_000 });
  await trial.go(page, 'machine');
  await page.getByRole('heading', { name: 'Other machines' }).waitFor();
});

test('AnAnswerGoesToTheMachineThatAsks', async () => {
  const job = far.shell('shop', `${program} ask 'Deploy where?' --options staging,production > heard`);
  await trial.go(page, 'ask');
  const card = page.locator('.card.ask', { hasText: 'Deploy where?' });
  await card.locator('.on-machine', { hasText: 'web1' }).waitFor({ timeout: 15_000 });
  await page.waitForTimeout(300); // a card that has just moved takes no click
  await card.getByRole('button', { name: 'production' }).click();
  await until('it is answered there', () => far.json('job', job).state === 'completed');
  assert.equal(readFileSync(join(far.home, 'shop/heard'), 'utf8'), 'production\n');
});

test('AMachineThatDoesNotAnswerIsNamedAndItsRowsAreOld', async () => {
  await trial.go(page, '');
  await page.locator('.now-running .on-machine').first().waitFor({ timeout: 15_000 });
  writeFileSync(join(far.home, 'cut'), '');
  far.kill(far.json('daemon', 'status').pid);
  await page.locator('.notice', { hasText: 'web1 does not answer' }).waitFor({ timeout: 30_000 });
  await page.locator('.now-running .job-row.old', { hasText: 'echo far' }).waitFor();
  await page.locator('.now-running .job-row:not(.old)', { hasText: 'echo near' }).waitFor();
  rmSync(join(far.home, 'cut'));
  await page.locator('.notice', { hasText: 'web1 does not answer' }).waitFor({ state: 'detached', timeout: 90_000 });
  assert.deepEqual(page.problems, []);
});
