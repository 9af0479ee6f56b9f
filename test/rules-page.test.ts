/**
 * docs/rules.md: its example works, and its tables have every field and value that the code has.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { issueSeverities } from '../src/engine/compile/issue.js';
import { createEngine, type Message } from '../src/index.js';
import { keywordListSchema } from '../src/platform/contract/keyword-list.js';
import { conditionSchema, filterSchema, ruleSchema } from '../src/platform/contract/rule.js';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const page = read('docs/rules.md');
const [example, filter, exceptions, mentions] = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, json]) =>
  JSON.parse(json!),
);

/** Every name in backticks in the first cell of rows under a heading. */
const firstCells = (heading: string): string[] => {
  const section = page.split(/^## /m).find((part) => part.startsWith(heading))!;
  const cells = section.split('\n').flatMap((line) => /^\| ([^|]*`[^|]*)\|/.exec(line)?.[1] ?? []);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
};

describe('docs/rules.md', () => {
  it('has the recipe of the cases about links', () => {
    const { ruleSets, semantics } = JSON.parse(read('fixtures/cases/links.json'));
    expect(exceptions).toEqual({ ...ruleSets['links but ours'], semantics });
    const verdict = (text: string) => createEngine(exceptions).decide(text);
    expect(verdict('see https://help.example.com/x')).toBe('allow');
    for (const text of ['example.com.example.org', 'example.net/example.com', 'example.com@example.net']) {
      expect([text, verdict(text)]).toEqual([text, 'blockMessage']);
    }
  });

  it('lets mentions of the platform past a rule for telephone numbers', () => {
    const engine = createEngine(mentions);
    expect(engine.issues).toEqual([]);
    const verdicts = (text: string) => [engine.decide(text), createEngine(mentions, { exceptions: [] }).decide(text)];
    expect(verdicts('hi <@uid:9876543210>!')).toEqual(['allow', 'blockMessage']);
    for (const text of ['9876543210', '<@uid:9876543210> 1234567890', '<@uid:ana, call 9876543210>']) {
      expect([text, ...verdicts(text)]).toEqual([text, 'blockMessage', 'blockMessage']);
    }
  });

  const engine = createEngine(example);

  it('has an example without issues, which does what the page says', () => {
    expect(engine.issues).toEqual([]);
    const from = (role: string): Message =>
      ({
        sender: 'ann',
        data: { text: 'Free  money!', entities: { sender: { entity: { uid: 'ann', role } } } },
      }) as never;
    const filtered = createEngine({ ...example, rules: [{ ...example.rules[0], filters: [filter] }] });
    expect(engine.decide(from('admin'))).toBe('blockMessage');
    expect(filtered.issues).toEqual([]);
    expect([filtered.decide(from('member')), filtered.decide(from('admin'))]).toEqual(['blockMessage', 'allow']);
    const found = engine.explain({ ...from('member'), data: { ...from('member').data, text: 'send 20 EUR' } }, [
      { operand: 'image', labels: { violence: 81 } },
    ]);
    expect(found.matched[0]?.conditions.map(({ conditionId }) => conditionId)).toEqual([2, 3]);
  });

  it('lists every field of rules, conditions and keyword lists', () => {
    const forPeople = ['description', 'createdAt', 'updatedAt', 'default'];
    const fieldsOf = ({ shape }: { shape: object }) => Object.keys(shape).filter((name) => !forPeople.includes(name));
    expect(firstCells('Fields of a rule')).toEqual(expect.arrayContaining(fieldsOf(ruleSchema)));
    for (const field of fieldsOf(conditionSchema)) expect(page).toContain(`\`${field}\``);
    expect(firstCells('Fields of a keyword list')).toEqual(expect.arrayContaining(fieldsOf(keywordListSchema)));
    for (const field of fieldsOf(filterSchema)) expect(page).toContain(`\`${field}\``);
  });

  it('lists every operator of filters, and each of them compiles', () => {
    const source = read('src/engine/compile/filter.ts');
    const operators = [...source.matchAll(/^ {2}'?([\w ]+)'?: \{ test: /gm)].map(([, name]) => name!);
    expect(operators.length).toBeGreaterThan(8);
    expect(firstCells('Filters')).toEqual(expect.arrayContaining(operators));
  });

  it('lists every code of issues with its severity', () => {
    const severities: Readonly<Record<string, string>> = issueSeverities;
    expect(firstCells('Issues').sort()).toEqual(Object.keys(severities).sort());
    for (const row of page.split('\n').filter((line) => /\| (error|warning) \|/.test(line))) {
      for (const [, code] of row.split('|')[1]!.matchAll(/`([^`]+)`/g)) {
        expect([code, row.includes('| warning |') ? 'warning' : 'error']).toEqual([code, severities[code!]]);
      }
    }
  });
});
