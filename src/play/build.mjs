/**
 * Makes dist/play/index.html, or index.html in the folder of its argument: the page of `sluice play` in one file, with its style, script, worker and the demo in it. Everything comes from
 * this tree. The policy names the script and the style by their digests, so that nothing else runs.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { bundledMessages } from '../../dist/platform/service/bundled-messages.js';

const here = new URL('./', import.meta.url);
const root = new URL('../../', here);
const read = (path, base = root) => readFileSync(new URL(path, base), 'utf8');
const mostMessages = 3_000;

const packages = ['preact', 're2js', '@noble/hashes', 'zod'];
const licences = [
  ...packages.map((name) => [name, read(`node_modules/${name}/LICENSE`)]),
  ['Unicode data', read('src/engine/match/unicode-license.txt')],
  ['stopwords-iso', read('fixtures/everyday/README.md').match(/^The MIT License.*?(?=\n## )/ms)[0]],
]
  .map(([name, text]) => `${name}\n\n${text.trim()}`)
  .join('\n\n\n');

/** Bundles a module as a script that can stand inside of HTML. */
async function bundle(entry) {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [fileURLToPath(new URL(entry, here))],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    target: 'es2023',
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    define: { 'import.meta.url': '""' },
  });
  return outputFiles[0].text.trim().replace(/<(?=\/script|!--|script)/gi, '\\x3c');
}

const differences = (numbers) => numbers.map((number, index) => number - (numbers[index - 1] ?? 0));

/** Packs the demo as `worker/demo.ts` unpacks it: every n-th text message, by columns. */
function packDemo() {
  const texts = [...bundledMessages()].filter(
    ({ category, data }) => category === 'message' && typeof data?.text === 'string',
  );
  const chosen = Array.from(
    { length: mostMessages },
    (_, index) => texts[Math.floor((index * texts.length) / mostMessages)],
  );
  const senders = [...new Set(chosen.map(({ sender }) => sender))];
  const messages = {
    id: differences(chosen.map(({ id }) => Number(id))),
    senders,
    sender: chosen.map(({ sender }) => senders.indexOf(sender)),
    time: differences(chosen.map(({ sentAt }) => sentAt)),
    category: chosen.map(({ category }) => category),
    type: chosen.map(({ type }) => type),
    text: chosen.map(({ data }) => data.text),
  };
  const rules = {
    rules: JSON.parse(read('fixtures/data/rules.json')),
    lists: JSON.parse(read('fixtures/data/lists.json')),
  };
  return gzipSync(JSON.stringify({ rules, messages }), { level: 9 }).toString('base64');
}

const digestOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const script = await bundle('page/main.tsx');
const style = read('page/style.css', here)
  .replace(/\s*\n\s*/g, '\n')
  .trim();
const policy = [
  "default-src 'none'",
  `script-src ${digestOf(script)}`,
  'worker-src blob:',
  `style-src ${digestOf(style)}`,
  'img-src data:',
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const parts = {
  POLICY: policy,
  STYLE: style,
  DEMO: packDemo(),
  WORKER: await bundle('worker/main.ts'),
  SCRIPT: script,
};
const html = read('page/index.html', here)
  .replace(/POLICY|STYLE|DEMO|WORKER|SCRIPT/g, (name) => parts[name])
  .replace('<html', `<!--\n${licences.replaceAll('--', '- -')}\n-->\n<html`);
const [folder] = process.argv.slice(2);
const target = folder === undefined ? new URL('dist/play/', root) : pathToFileURL(`${folder}/`);
mkdirSync(target, { recursive: true });
writeFileSync(new URL('index.html', target), html);
const kB = (bytes) => `${Math.round(bytes / 1000)} kB`;
console.log(
  `${fileURLToPath(new URL('index.html', target))}: ${kB(Buffer.byteLength(html))}, gzipped ${kB(gzipSync(html, { level: 9 }).length)}`,
);
