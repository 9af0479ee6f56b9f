import { readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.js';
import { readRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { runs } from '../support/runs.js';
import { type RunOptions, sluice } from './terminal.js';
import { errorLine, messages, openFiles } from './world.js';

/** `sluice judge` inside this process, to which its input comes as the test cuts it. */

const files = await openFiles();
const engine = createEngine(await readRuleSetFile(files.file('rule-set.json')));

const judge = (args: readonly string[], stdin: NonNullable<RunOptions['stdin']>, options: RunOptions = {}) =>
  sluice(['judge', '--rules', files.file('rule-set.json'), ...args], { stdin, ...options });
const text = ['--in', 'text', '--out', 'verdict'];
const rows = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((row) => JSON.parse(row));

/** Rows that are not a message, by what is wrong with them. */
const badRows: Readonly<Record<string, string | Uint8Array>> = {
  'is empty': '',
  'must be json; at column 1, a value was expected': 'hello',
  'must be json; at column 18, `,` or `}` was expected': '{"data":{"text":1',
  'must be utf-8': Buffer.from('{"data":{"text":"\xff"}}', 'latin1'),
  'has no `data.text`, and has no column for the text': '{"body2":"x"}',
  'must be an object': '42',
  'must be json; at column 2, a string that ends': ' "a',
  'is longer than 64 MiB': Buffer.alloc((64 << 20) + 1, ' '),
};

describe('sluice judge', () => {
  it('gives the decision on each message, as the engine does', async () => {
    const all = messages(40);
    const { code, stdout, stderr } = await judge([], [await readFile(files.file('messages.ndjson'))]);
    expect([code, stderr]).toEqual([0, errorLine]);
    expect(rows(stdout)).toEqual(JSON.parse(JSON.stringify(all.map((message) => engine.explain(message)))));
    const verdicts = await judge(['--out', 'verdict'], [await readFile(files.file('messages.ndjson'))]);
    const lacksAnswer = ({ why }: { readonly why: string }) => why !== 'not-compiled';
    const words = all.map((message) => {
      const { verdict, unevaluated } = engine.explain(message);
      return verdict === 'allow' && unevaluated.some(lacksAnswer) ? 'allow?' : verdict;
    });
    expect(verdicts.stdout).toBe(words.map((word) => `${word}\n`).join(''));
    expect(new Set(words)).toEqual(new Set(['allow', 'allow?', 'blockMessage', 'dropMessage']));
  });

  it('marks an allow whose conditions have no answer, but not for what could not be compiled, which is said at the start', async () => {
    const conditionOf = (category: string, value: string) => [{ operand: 'text', category, value: [value] }];
    const filters = [{ type: 'sender', entity: 'user', operand: 'role', operator: 'equals', value: 'guest' }];
    const rulesOf = async (name: string, ...rules: readonly object[]) => {
      const path = files.file(name);
      const named = rules.map((rule, at) => ({ id: `r${at}`, action: ['blockMessage'], ...rule }));
      await writeFile(path, JSON.stringify({ rules: named, lists: [] }));
      return path;
    };
    const given = ['{"data":{"text":"hello"}}\n{"data":{"text":"damn"}}\n{"type":"text","data":{"text":7}}\n'];
    const verdicts = async (path: string) => {
      const { stdout, stderr } = await sluice(['judge', '--rules', path, '--out', 'verdict'], { stdin: given });
      return { verdicts: stdout.split('\n').slice(0, -1), stderr };
    };
    const words = { conditions: conditionOf('word', 'damn') };
    const scored = { conditions: conditionOf('toxicity', 'toxicity_greaterThan_70') };
    expect(await verdicts(await rulesOf('scored.json', words, scored))).toEqual({
      verdicts: ['allow?', 'blockMessage', 'allow?'],
      stderr: '',
    });
    const broken = await verdicts(await rulesOf('broken.json', words, { conditions: conditionOf('pattern', '(') }));
    expect(broken.verdicts).toEqual(['allow', 'blockMessage', 'allow?']);
    expect(broken.stderr).toContain('1 error in the rules');
    const filtered = await verdicts(await rulesOf('filtered.json', { ...words, filters }));
    expect(filtered).toEqual({ verdicts: ['allow?', 'allow?', 'allow?'], stderr: '' });
  });

  it('takes the scores of files, and rules in shadow', async () => {
    const stdin = [await readFile(files.file('messages.ndjson'))];
    const scored = await judge(['--scores', files.file('scores.json')], stdin);
    const [eighth] = rows(scored.stdout).slice(7);
    expect([eighth.verdict, eighth.matched[0].ruleId]).toEqual(['blockMessage', 'gore']);
    const shadowed = await judge(['--scores', files.file('scores.json'), '--shadow', 'gore'], stdin);
    expect(rows(shadowed.stdout)[7]).toMatchObject({ verdict: 'allow', matched: [{ shadow: true }] });
  });

  it('reads rows of columns as an audit does', async () => {
    const { stdout } = await judge(['--out', 'verdict'], ['{"id":7,"text":"what the heck"}\n{"body":"hello"}\n']);
    expect(stdout).toBe('blockMessage\nallow\n');
  });

  it('takes a JSON string for a text alone', async () => {
    const { stdout } = await judge(['--out', 'verdict'], ['"damn"\n \t"da\\u006dn" \r\n\ufeff"hello"\n""']);
    expect(stdout).toBe('blockMessage\nblockMessage\nallow\nallow\n');
    expect(rows((await judge([], ['"oh \\"damn"\n'])).stdout)).toEqual([engine.explain('oh "damn')]);
  });

  it.each(Object.keys(badRows))('has an error in the place of a row that %s, and goes on', async (fault) => {
    const stdin = ['{"data":{"text":"damn"}}\n', badRows[fault]!, '\n{"data":{"text":"hello"}}'];
    const decisions = await judge([], stdin);
    expect(decisions.code).toBe(0);
    const [before, bad, after, none] = rows(decisions.stdout);
    expect([before.verdict, after.verdict, none]).toEqual(['blockMessage', 'allow', undefined]);
    expect(Object.keys(bad)).toEqual(['error']);
    expect(bad.error).toContain(fault);
    expect((await judge(['--out', 'verdict'], stdin)).stdout).toBe('blockMessage\nerror\nallow\n');
  });

  it('judges each line as a text: empty ones, with a carriage return, with a mark, the last without a newline', async () => {
    const { stdout } = await judge(text, ['\n', 'damn\r\n\ufeffheck\n', Buffer.from([0xff, 0x0a]), '\\ndamn']);
    expect(stdout).toBe('allow\nblockMessage\nblockMessage\nerror\nallow\n');
    const spans = await judge(['--in', 'text'], ['\ufeffdamn it\r\n']);
    expect(rows(spans.stdout)[0].matched[0].conditions[0].matches[0].span).toEqual({ start: 0, end: 4 });
  });

  it('reads the first of values that tabs separate, with escapes', async () => {
    const tsv = ['--in', 'tsv', '--out', 'verdict'];
    const lines = ['damn\tx', 'free\\tmoney', 'free\\nmoney', 'da\\mn', 'da\\\\mn', '', '\\N\tdamn', 'damn\\'];
    expect((await judge(tsv, [lines.join('\n')])).stdout).toBe(
      'blockMessage\ndropMessage\ndropMessage\nblockMessage\nallow\nallow\nallow\nblockMessage\n',
    );
    expect((await judge(tsv, ['damn\r\n\n'])).stdout).toBe('blockMessage\nallow\n');
  });

  it('unescapes what a table of all characters says, and nothing else', async () => {
    const signs = {
      '\\0': '\0',
      '\\a': '\x07',
      '\\b': '\b',
      '\\f': '\f',
      '\\n': '\n',
      '\\r': '\r',
      '\\t': '\t',
      '\\v': '\v',
    };
    const same = { "\\'": "'", '\\"': '"', '\\\\': '\\', '\\/': '/', '\\👩': '👩' };
    for (const [written, read] of Object.entries({ ...signs, ...same })) {
      const pattern = { operand: 'text', category: 'pattern', value: [`^x${escaped(read)}y$`] };
      const ruleSet = { rules: [{ id: 'all', action: 'blockMessage', conditions: [pattern] }], lists: [] };
      await writeFile(files.file('signs.json'), JSON.stringify(ruleSet));
      const args = ['judge', '--rules', files.file('signs.json'), '--in', 'tsv', '--out', 'verdict'];
      const { stdout } = await sluice(args, { stdin: [`x${written}y\n`] });
      expect([written, stdout]).toEqual([written, 'blockMessage\n']);
    }
  });

  it('gives the same bytes however its input is cut', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.constantFrom(
              '',
              '\r',
              'damn',
              '\ufeffdamn',
              'x\tdamn\\n',
              'free\\tmoney',
              '{"data":{"text":"damn"}}',
              '{"text":"é笨蛋"}',
              '{',
            ),
            fc.string({ unit: 'grapheme', maxLength: 8 }).map((line) => line.replaceAll('\n', '')),
          ),
          { maxLength: 12 },
        ),
        fc.array(fc.nat(200), { maxLength: 6 }),
        fc.constantFrom([], ['--out', 'verdict'], ['--in', 'text'], ['--in', 'tsv']),
        fc.boolean(),
        async (lines, cuts, args, isEnded) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join('') + (isEnded ? '' : 'damn'));
          const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
          const cut = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
          const whole = await judge(args, [bytes]);
          expect(await judge(args, cut)).toEqual(whole);
          expect(whole.stdout.split('\n').length - 1).toBe(lines.length + (isEnded ? 0 : 1));
        },
      ),
      { numRuns: runs(30) },
    ));

  it('answers a block of lines before it reads on', async () => {
    let written = '';
    const answered: string[] = [];
    const stdin = async function* () {
      for (const block of ['damn\nhello\n', 'heck\n', 'hello\nhello\ndamn\nhe', 'llo\n']) {
        yield block;
        answered.push(written);
        written = '';
      }
    };
    const onWrite = (stream: string, part: string) => {
      if (stream === 'stdout') written += part;
    };
    await judge([...text, '--quiet'], stdin(), { onWrite });
    expect(answered).toEqual(['blockMessage\nallow\n', 'blockMessage\n', 'allow\nallow\nblockMessage\n', 'allow\n']);
  });

  it('hands on what many short lines of one block give in parts', async () => {
    let largest = 0;
    const onWrite = (_: string, part: string) => {
      largest = Math.max(largest, part.length);
    };
    const { stdout } = await judge(['--in', 'text'], ['\n'.repeat(20_000)], { onWrite });
    expect(rows(stdout)).toHaveLength(20_000);
    expect(largest).toBeLessThan(70_000);
  });

  it('ends when it is interrupted while it waits, with 130', async () => {
    const interruption = new AbortController();
    const stdin = async function* () {
      yield 'damn\n';
      setImmediate(() => interruption.abort(new Error('interrupted')));
      await new Promise(() => undefined);
    };
    const { code, stdout, stderr } = await judge(text, stdin(), { interrupted: interruption.signal });
    expect([code, stdout]).toEqual([130, 'blockMessage\n']);
    expect(stderr).toContain('sluice: interrupted\n');
  });

  it.each([
    [['--in', 'csv'], '`--in` must be one of messages, text, tsv'],
    [['--in', 'toString'], '`--in` must be one of messages, text, tsv'],
    [['--out', 'json'], '`--out` must be one of verdict, decision'],
  ])('refuses %j', async (args, fault) => {
    const { code, stdout, stderr } = await judge(args, []);
    expect([code, stdout, stderr]).toEqual([2, '', `sluice: ${fault}\n`]);
  });

  it('needs rules, and takes those of the demo', async () => {
    const none = await sluice(['judge'], { stdin: ['damn\n'] });
    expect([none.code, none.stdout]).toEqual([2, '']);
    expect(none.stderr).toContain('no rules; give `--rules FILE`');
    const demo = await sluice(['judge', '--demo', ...text, '--quiet'], { stdin: ['you idiot\nhello\n'] });
    expect(demo).toEqual({ code: 0, stdout: 'blockMessage\nallow?\n', stderr: '' });
  });
});

/** A character in a pattern. */
function escaped(character: string): string {
  return `\\x{${character.codePointAt(0)!.toString(16)}}`;
}
