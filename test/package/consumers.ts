/**
 * What users of the package write, as text: it has to resolve `sluice` from a project of its own.
 */

/** Uses every public function. Prints what it found as JSON. */
export const everyFunction = `
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  audit, compileEngine, createClient, createDecisionLog, createEngine, createFileSource, createHttpScorer, createModerator, defaultSemantics, describeChange, diffRuleSets, lintRuleSet, loadRuleSet, mask, precisionInterval, readRuleSetFile, reasonFor, testRules, whyNot, writeRuleSetFile, writeRuleSetFolder,
  HttpError, NetworkError, RuleSetError, ShapeError, SluiceError, TimeoutError, UsageError,
  type Client, type Decision, type Engine, type LintReport, type Match, type ScoreRequest, type Scorer, type Message, type Moderator, type RuleSet, type RuleSetChange, type RuleSetDiff, type Semantics, type TestCase, type TestReport, type Verdict, type WhyNot, type WordReading,
} from 'sluice';
import { createModerationHandler, type ModerationHandlerOptions } from 'sluice/http';
import { re2wasm } from 'sluice/re2-wasm';
import { type Service, startService } from 'sluice/service';

const service: Service = await startService({ port: 0 });
const client: Client = createClient({ baseUrl: service.url, apiKey: service.apiKey, timeouts: { totalMs: 600_000 } });
const loaded: RuleSet = await loadRuleSet(client, { concurrency: 2 });
const file = join(process.argv[2] ?? tmpdir(), 'rules.json');
await writeRuleSetFile(file, loaded);
const ruleSet = await readRuleSetFile(file);
const folder = join(process.argv[2] ?? tmpdir(), 'rules');
await writeRuleSetFolder(folder, { ...ruleSet, comments: { 'profanity-list': { owner: 'trust', terms: { moron: 'until 2026-01-01' } } } });
const kept: RuleSet = await readRuleSetFile(folder);
if (kept.revision !== ruleSet.revision || kept.comments?.['profanity-list']?.owner !== 'trust') throw new Error('a folder is off');

const reading: WordReading = 'word';
const readings: Partial<Semantics> = { engine: re2wasm, precedence: defaultSemantics.precedence, words: { default: reading, lists: {} } };
const engines: readonly Engine[] = [await compileEngine(ruleSet), createEngine(ruleSet, readings)];
const words: readonly Verdict[] = [createEngine(ruleSet).decide('You moron!')];
const listed: readonly Message[] = (await client.messages.list({ limit: 20 })).data;
const verdicts: Verdict[] = [];
for (const engine of engines) {
  for await (const entry of audit(listed, engine)) {
    const decision: Decision = entry.decision;
    const matches: readonly Match[] = decision.matched.flatMap((hit) => hit.conditions.flatMap((each) => each.matches));
    const word = matches.find((match) => match.kind === 'word');
    if (word !== undefined && word.span.end - word.span.start !== word.text.length) throw new Error('a span is off');
    const { text } = entry.message.data ?? {};
    if (decision.verdict !== 'allow' && reasonFor(decision) === undefined) throw new Error('no reason');
    if (word?.path === 'data.text' && mask(text ?? '', decision) === text) throw new Error('a match is unmasked');
    verdicts.push(decision.verdict);
  }
  engine.close();
}

const testCase: TestCase = { name: 'an insult', message: 'You moron!', verdict: 'blockMessage', not: ['canary'] };
const tested: TestReport = await testRules([testCase], { rules: ruleSet, coverage: true });
const changes: readonly RuleSetChange[] = describeChange({ rules: ruleSet, against: { rules: [], lists: [] } });
const diff: RuleSetDiff = await diffRuleSets(listed, { rules: ruleSet, against: { rules: [], lists: [] }, examples: 1 });
if (diff.changes.length !== changes.length || diff.messages !== listed.length) throw new Error('a diff is off');

if (precisionInterval(12, 40, { of: 60 }).low < precisionInterval(12, 40).low) throw new Error('a precision is off');
const reasons: readonly WhyNot[] = whyNot(ruleSet, 'hello', { semantics: readings });
if (reasons.every(({ why }) => why !== 'no-match')) throw new Error('a reason is off');

const lint: LintReport = await lintRuleSet(ruleSet, { semantics: readings });
if (lint.findings.length === 0) throw new Error('a lint is off');

const log = createDecisionLog({ file: join(process.argv[2] ?? tmpdir(), 'decisions.ndjson'), all: true });
const moderator: Moderator = await createModerator({ source: client });
const offline: Moderator = await createModerator({ source: createFileSource(file), canary: { messages: 100, maxNewlyStopped: 0.1 } });
if (offline.decide('You moron!') === 'allow') throw new Error('a file is no source');
await offline.close();
const agrees: boolean = moderator.decide('hello') === moderator.explain('hello').verdict;
const options: ModerationHandlerOptions = { reason: 'rule' };
const handlers = [createModerationHandler(moderator, options), createModerationHandler(engines[1]!, options)];
const ready = await Promise.all(handlers.map(async (handler) => (await handler(new Request('http://x/readyz'))).status));
if (ready.join() !== '200,200') throw new Error('a handler is off');
await moderator.close();
await log.close();
const attachment: ScoreRequest = { operand: 'image', url: 'https://files.example/a.png', labels: ['violence'], message: {} };
const scorers: readonly Scorer[] = [createHttpScorer({ url: service.url, timeoutMs: 600_000 })];
const { signal } = new AbortController();
const scores = await Promise.allSettled(scorers.map((scorer) => scorer.score(attachment, { signal })));
const failure: unknown = await client.users.get('nobody-of-this-name').catch((error: unknown) => error);
await client.close();
await service.close();

const errors = [HttpError, NetworkError, RuleSetError, ShapeError, TimeoutError, UsageError];
console.log(JSON.stringify({
  rules: ruleSet.rules.length,
  sameFile: ruleSet.revision === loaded.revision,
  judged: verdicts.length,
  words,
  tested: [tested.ok, tested.passed, tested.coverage?.rules.covered !== 0],
  scores: scores.map(({ status }) => status),
  agrees,
  logged: log.written,
  failure: failure instanceof HttpError && failure.status,
  family: errors.every((each) => each.prototype instanceof SluiceError),
}));
`;

/** The same names by \`require\`. Prints the names of each entry, and a verdict. */
export const requiring = `
const main = require('sluice');
const names = Object.fromEntries(['sluice', 'sluice/engine', 'sluice/http', 'sluice/service', 'sluice/re2-wasm'].map((entry) => [entry, Object.keys(require(entry)).sort()]));
const condition = { id: 1, operand: 'text', category: 'pattern', operator: 'contains', value: ['b[au]y'] };
const ruleSet = { rules: [{ id: 'r', action: ['blockMessage'], conditions: [condition] }], lists: [] };
const { re2wasm } = require('sluice/re2-wasm');
const verdicts = [main.createEngine(ruleSet), main.createEngine(ruleSet, { engine: re2wasm })].map((engine) => engine.decide('buy now'));
console.log(JSON.stringify({ names, verdicts, version: require('sluice/package.json').version }));
`;

/** What a page of a web application may import, with the types of its own condition. */
export const pageTypes = `
import { createEngine, defaultSemantics, UsageError, type Decision, type Engine, type Rule, type RuleSetInput } from 'sluice';

const rules: readonly Rule[] = [];
const ruleSet = { rules, lists: [] } satisfies RuleSetInput;
export const engine: Engine = createEngine(ruleSet, { words: 'substring', precedence: defaultSemantics.precedence });
export function judge(text: string): Decision | undefined {
  try {
    return engine.explain({ data: { text } });
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
`;

/** Prints how many modules \`sluice/engine\` loads. */
export const countingModules = `
import { register } from 'node:module';
import { MessageChannel } from 'node:worker_threads';

const { port1, port2 } = new MessageChannel();
const loaded = new Set();
port1.on('message', (url) => loaded.add(url));
const hooks = \`
  let port;
  export const initialize = (data) => { port = data.port; };
  export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };
\`;
register('data:text/javascript,' + encodeURIComponent(hooks), { data: { port: port2 }, transferList: [port2] });
await import('sluice/engine');
// The hooks run in order, so this message comes behind all others.
const last = 'data:text/javascript,export const last = true;';
const arrived = new Promise((resolve) => port1.on('message', (url) => url === last && resolve()));
await import(last);
await arrived;
port1.close();
console.log(JSON.stringify([...loaded].filter((url) => url !== last)));
`;

/**
 * The page that tests drive: judges what it is given with the bundle, and hands back the decisions.
 */
export const page = `
import { createEngine } from '/sluice.js';

const answers = [];
for (const { name, ruleSet, semantics, message, media } of await (await fetch('/work.json')).json()) {
  const engine = createEngine(ruleSet, semantics);
  answers.push({ name, verdict: engine.decide(message, media), decision: engine.explain(message, media), issues: engine.issues });
}
await fetch('/answers', { method: 'POST', body: JSON.stringify(answers) });
`;
