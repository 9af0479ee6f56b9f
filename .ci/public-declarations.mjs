/**
 * Before packing (`prepack`): removes from dist/ the declarations that none of the entries of `package.json` leads to. They would be a fifth of the
 * package, and a list of them by hand goes stale with every type that becomes public.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The values of `types` in the conditions of an entry. */
const typesOf = (entry) =>
  typeof entry !== 'object'
    ? []
    : Object.entries(entry).flatMap(([key, value]) => (key === 'types' ? [join(root, value)] : typesOf(value)));

const reached = new Set();
const follow = (file) => {
  if (reached.has(file)) return;
  reached.add(file);
  for (const [, specifier] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport\(?)\s*['"](\.[^'"]+)\.js['"]/g)) {
    follow(resolve(dirname(file), `${specifier}.d.ts`));
  }
};
typesOf(exports).forEach(follow);

for (const name of readdirSync(join(root, 'dist'), { recursive: true })) {
  const file = join(root, 'dist', name);
  if (name.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
}
