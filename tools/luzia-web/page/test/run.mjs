// Bundles each *.test.ts beside this file, and runs them with node's test runner.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'luzia-page-'));
const names = readdirSync(here).filter((name) => name.endsWith('.test.ts'));
await build({
  entryPoints: names.map((name) => join(here, name)),
  outdir: out,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
  // What modules touch of a browser while they are loaded.
  banner: {
    js: 'globalThis.location ??= { hash: "", origin: "http://127.0.0.1" }; globalThis.addEventListener ??= () => {};',
  },
});
const run = spawnSync(process.execPath, ['--test', ...names.map((name) => join(out, name.replace('.ts', '.mjs')))], {
  stdio: 'inherit',
});
rmSync(out, { recursive: true, force: true });
process.exit(run.status ?? 1);
