/** Finds the lines of files that findings are about, in a JSON file or in a folder of rules. */
import { readFile, stat } from 'node:fs/promises';
import { basename, relative } from 'node:path';
import { filesOfRuleSet, rulesFileOf } from '../../platform/loader/rule-set-folder.js';
import { listIdOf, parseTermList } from '../../platform/loader/term-list.js';
import type { Finding } from '../../review/lint/finding.js';

/** A value in a JSON text: its offset, and the values in it by name or index. */
interface Located {
  readonly value: unknown;
  readonly at: number;
  readonly inside: ReadonlyMap<string | number, Located>;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Returns the positions of the values in a text that is valid JSON. */
function locate(text: string): Located {
  const tokens = [...text.matchAll(token)];
  let next = 0;
  const read = (): Located => {
    const { 0: first, index: at } = tokens[next++]!;
    const inside = new Map<string | number, Located>();
    if (first !== '{' && first !== '[') return { value: JSON.parse(first), at, inside };
    for (let position = 0; !/[}\]]/.test(tokens[next]![0]) || tokens[next]![0].length > 1; position++) {
      const name = first === '[' ? position : (JSON.parse(tokens[next]![0]) as string);
      if (first === '{') next += 2;
      inside.set(name, read());
      if (tokens[next]![0] === ',') next++;
    }
    next++;
    return { value: undefined, at, inside };
  };
  return read();
}

/**
 * Returns the element of an array with an `id`. A condition without an id has its position as id,
 * counted from 1.
 */
function withId(all: Located | undefined, id: string | number): Located | undefined {
  const values = [...(all?.inside.values() ?? [])];
  const found = values.find(({ inside }) => inside.get('id')?.value === id);
  return found ?? (typeof id === 'number' ? values[id - 1] : undefined);
}

const lineAt = (text: string, at: number) => text.slice(0, at).split('\n').length;

/** Returns a function from findings to lines, for the rules at a path: `lists/spam.txt:12`. */
export async function placesInFiles(path: string): Promise<(finding: Finding) => string | undefined> {
  const kind = await stat(path);
  const isFolder = kind.isDirectory();
  // A pipe can be read only once.
  if (!isFolder && !kind.isFile()) return () => undefined;
  const main = isFolder ? rulesFileOf(path) : path;
  const text = await readFile(main, 'utf8');
  const root = locate(text.replace(/^\ufeff/, ' '));
  const nameOf = (file: string) => (isFolder ? relative(path, file) : basename(file));
  const lists = new Map<string, { readonly file: string; readonly text: string; readonly lines: readonly number[] }>();
  for (const file of isFolder ? await filesOfRuleSet(path) : []) {
    if (!file.endsWith('.txt')) continue;
    const terms = await readFile(file, 'utf8');
    lists.set(listIdOf(basename(file)), { file, text: terms, lines: parseTermList(terms, file).lines });
  }
  return ({ id, ruleId, conditionId, listId, index, term, pattern }) => {
    const isInList = listId !== undefined && (conditionId === undefined || term !== undefined || pattern !== undefined);
    const list = isInList ? lists.get(listId) : undefined;
    if (list !== undefined) {
      const line = index === undefined ? 1 : lineAt(list.text, list.lines[index] ?? 0);
      return `${nameOf(list.file)}:${line}`;
    }
    const owner = isInList ? withId(root.inside.get('lists'), listId) : undefined;
    const rule = ruleId === undefined ? undefined : withId(root.inside.get('rules'), ruleId);
    const condition = conditionId === undefined ? undefined : withId(rule?.inside.get('conditions'), conditionId);
    const values = owner?.inside.get('searchTerms') ?? condition?.inside.get('value') ?? rule?.inside.get('filters');
    const found = (index === undefined ? undefined : values?.inside.get(index)) ?? owner ?? condition ?? rule;
    return found === undefined || id === 'stops-nothing' ? undefined : `${nameOf(main)}:${lineAt(text, found.at)}`;
  };
}
