// The fleet on Machine: its machines as of when they were seen, their jobs, only read, and a silent one.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { program, Trial, until } from './trial.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const postgres = join(process.env.LUZIA_SOURCE ?? resolve(here, '../..'), 'tools/dev/postgres');
const beside = (path) => join(dirname(program), path);
const fleet = ['luzia-fleet', '../luzia-fleet/luzia-fleet'].map(beside).find((path) => existsSync(path));
const skip = fleet ? false : 'built without luzia-fleet';
let trial, far, folder, page, database;

before(async () => {
  if (skip) return;
  trial = new Trial();
  far = new Trial();
  folder = mkdtempSync(join(tmpdir(), 'luzia-fleet-'));
  database = execFileSync(postgres, ['start', folder], { encoding: 'utf8' }).trim().split('\n').at(-1);
  for (const words of [
    ['--machine', 'near', '--machine', 'away'],
    ['--reader', 'luzia-near', '--projects', '*'],
  ])
    execFileSync(fleet, ['init', '--url', database, ...words]);
  for (const [machine, site] of [
    [trial, 'near'],
    [far, 'away'],
  ])
    appendFileSync(
      join(machine.home, '.config/luzia/luzia.toml'),
      `[fleet]\nurl = "host=${folder} user=luzia-${site} dbname=postgres"\nsite = "${site}"\n`,
    );
  far.luzia('daemon', 'start');
  trial.begin();
  page = await trial.device();
});
after(async () => {
  if (skip) return;
  await trial.end();
  await far.end();
  execFileSync(postgres, ['stop', folder]);
  rmSync(folder, { recursive: true });
});

const row = (text) => page.locator('.fleet-jobs .job-row', { hasText: text });

test('JobsOfTheFleetAreReadWhereTheyAreNot', { skip }, async () => {
  trial.shell('shop', 'echo near; sleep 600');
  far.shell('shop', 'echo away; sleep 600');
  await trial.go(page, 'machine');
  await page.getByRole('heading', { name: /^Fleet/ }).waitFor({ timeout: 60_000 });
  await row('echo away').locator('.on-machine', { hasText: 'away' }).waitFor({ timeout: 15_000 });
  await row('echo near').waitFor();
  assert.equal(await page.locator('.fleet-jobs .job-row.old').count(), 0);
  await row('echo away').click();
  await page.locator('.fleet-job', { hasText: 'Its output and events are on away.' }).waitFor();
  assert.equal(await page.locator('.fleet-job button').count(), 0, 'it is only read');
  await page.locator('.fleet-site', { hasText: 'away' }).click();
  await row('echo near').waitFor({ state: 'detached', timeout: 15_000 });
  await row('echo away').waitFor();
  await page.locator('.fleet-site', { hasText: 'away' }).click();
  await row('echo near').waitFor({ timeout: 15_000 });
});

test('ASilentMachineIsUnreachableAndItsRowsAreGrey', { skip }, async () => {
  far.luzia('daemon', 'stop');
  execFileSync('psql', ['-d', database, '-c', "UPDATE luzia.sites SET last_seen = now() - interval '3 min' WHERE site = 'away'"]);
  await page.locator('.fleet-jobs .job-row.old', { hasText: 'echo away' }).waitFor({ timeout: 30_000 });
  await page.locator('.fleet-jobs .job-row:not(.old)', { hasText: 'echo near' }).waitFor();
  await until('the machine is named', async () =>
    /unreachable, seen/.test(await page.locator('.fleet-site.old').allInnerTexts().then(String)), 60_000);
  assert.deepEqual(page.problems, []);
});
