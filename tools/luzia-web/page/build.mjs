// Bundles the page into the folder named as the argument (default: dist): files with hashed names, and files.json,
// which lists them for the server as {path, type, file}. Fails if the page outgrows its budget.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const kBudget = 200 * 1024; // bytes, compressed, of all files together
const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, 'dist'));
const kTypes = {
  js: 'text/javascript',
  css: 'text/css',
  html: 'text/html',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
  png: 'image/png',
};

const bundle = await build({
  absWorkingDir: here,
  entryPoints: { app: 'src/main.tsx', style: 'src/style/style.css' },
  bundle: true,
  minify: true,
  write: false,
  outdir: out,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  charset: 'utf8',
});

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 12);
const files = [];
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

function add(path, name, bytes) {
  const type = kTypes[name.split('.').pop()];
  files.push({ path, type: type === kTypes.png ? type : `${type}; charset=utf-8`, file: name });
  writeFileSync(join(out, name), bytes);
  return gzipSync(bytes, { level: 9 }).length;
}

let total = 0;
const names = {};
for (const file of bundle.outputFiles) {
  const [stem, extension] = file.path.split('/').pop().split('.');
  const name = `${stem}.${hash(file.contents)}.${extension}`;
  names[`${stem}.${extension}`] = name;
  total += add(`/${name}`, name, file.contents);
}
for (const name of ['icon.svg', 'icon-192.png', 'icon-512.png', 'manifest.webmanifest']) {
  total += add(`/${name}`, name, readFileSync(join(here, 'static', name)));
}
const fill = (text) => text.replaceAll(/\{\{(.+?)\}\}/g, (_, name) => names[name]);
const index = fill(readFileSync(join(here, 'static/index.html'), 'utf8'));
total += add('/', 'index.html', Buffer.from(index));
const worker = fill(readFileSync(join(here, 'static/sw.js'), 'utf8')).replace('VERSION', hash(index));
total += add('/sw.js', 'sw.js', Buffer.from(worker));

writeFileSync(join(out, 'files.json'), `${JSON.stringify(files, null, 1)}\n`);
console.log(`${files.length} files, ${(total / 1024).toFixed(1)} KiB compressed`);
if (total > kBudget) {
  console.error(`the page has ${total} bytes compressed, more than ${kBudget}`);
  process.exit(1);
}
