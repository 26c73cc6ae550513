// Writes the built files as one pack, which the program has inside: a list (path, type, tag, length plain and
// compressed, each behind a tab), an empty line, then the bytes in the same order. src/api/pages reads it.
import {createHash} from 'node:crypto';
import {readFileSync, readdirSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';

const folder = new URL('../../build/dashboard/', import.meta.url).pathname;
const site = join(folder, 'site');
const types = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

// What is built in from others asks for its notice to go along.
const builtIn = ['svelte', 'openapi-fetch', 'uplot', 'clsx', 'esm-env'];
const notices = builtIn.map((name) => {
  const home = new URL(`../node_modules/${name}/`, import.meta.url).pathname;
  const file = readdirSync(home).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} has no license file`);
  return `${name} ${JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version}\n\n${readFileSync(join(home, file), 'utf8').trim()}\n`;
});
writeFileSync(join(site, 'assets', 'licenses.txt'), notices.join('\n' + '-'.repeat(72) + '\n\n'));

const paths = [...readdirSync(site).filter((name) => name.includes('.')), ...readdirSync(join(site, 'assets')).map((name) => `assets/${name}`)].sort();
const list = ['carillon pages 1'];
const bytes = [];
// What the first page loads: what its HTML names, and what that imports before it runs.
const firstLoad = new Set([...readFileSync(join(site, 'index.html'), 'utf8').matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1]));
for (const path of firstLoad) {
  if (!path.endsWith('.js')) continue;
  for (const match of readFileSync(join(site, path), 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) firstLoad.add(`assets/${match[1]}`);
}
let script = 0;
let scripts = 0;
for (const path of paths) {
  const type = types[path.split('.').pop()];
  if (!type) throw new Error(`${path}: what is this?`);
  const plain = readFileSync(join(site, path));
  const gzip = gzipSync(plain, {level: 9});
  const tag = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  list.push([path, type, tag, plain.length, gzip.length].join('\t'));
  bytes.push(plain, gzip);
  if (firstLoad.has(path)) script += gzip.length;
  if (/\.(js|css)$/.test(path)) scripts += gzip.length;
}
const pack = Buffer.concat([Buffer.from(`${list.join('\n')}\n\n`), ...bytes]);
writeFileSync(join(folder, 'pages.pack.new'), pack);
renameSync(join(folder, 'pages.pack.new'), join(folder, 'pages.pack'));

const budget = 75 * 1000;
console.log(`first load ${(script / 1000).toFixed(1)} kB gzip of ${budget / 1000} kB, all pages ${(scripts / 1000).toFixed(1)} kB, ${paths.length} files, pack ${(pack.length / 1000).toFixed(0)} kB`);
if (script > budget) {
  console.error('the first load is above its budget');
  process.exit(1);
}
