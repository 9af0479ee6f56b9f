import type { MessageDraft } from '../contract/message-draft.js';
import type { ConditionHit, Decision, Match, RuleHit, ScoreMatch, Verdict } from '../evaluate/decision.js';
import type { MediaScores } from '../evaluate/media.js';
import { type EngineInput, maybeTruncated } from './sources.js';
import { markedLines } from './terminal/marked-text.js';
import type { Output, Tone } from './terminal/style.js';
import { counted, escapeText, fitText, formatCount, wrapHanging } from './terminal/text.js';

/** A decision with what its screen shows beside it. */
export interface CheckResult extends Pick<EngineInput, 'ruleSet' | 'engine' | 'scores'> {
  /** Already redacted when `redact` holds. */
  readonly decision: Decision;
  readonly message: MessageDraft;
  readonly media: readonly MediaScores[];
  /** Whether nothing of the message may be shown. */
  readonly redact: boolean;
}

/** Entries shown of a list; the rest becomes a number. */
const mostEntries = { reasons: 8, conditions: 6, texts: 20, found: 12, places: 8 } as const;

/** Columns shown of a value from a rule or a message. */
const columns = { name: 80, pattern: 400, text: 60 } as const;

/** The screen of a decision, one string per line: verdict, marked texts, rules, what was not evaluated, revision. */
export function checkScreen(result: CheckResult, output: Output): string[] {
  const blocks = [
    verdictLines(result.decision, output),
    ...textBlocks(result, output),
    ...ruleBlocks(result, output),
    unevaluatedLines(result, output),
  ].filter((lines) => lines.length > 0);
  return [
    ...blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines])),
    ...(blocks.length === 1 ? [] : ['']),
    ...lastLines(result, output),
  ];
}

const verdictWords: Readonly<Record<Verdict, string>> = {
  allow: 'allowed',
  blockMessage: 'blocked (blockMessage)',
  dropMessage: 'dropped (dropMessage)',
};

function verdictLines(decision: Decision, output: Output): string[] {
  const { verdict, actions, truncated, unevaluated, exempt } = decision;
  const tone = verdict !== 'allow' ? 'bad' : unevaluated.length > 0 || exempt ? 'doubt' : 'good';
  const further = actions.filter((action) => action !== verdict);
  const heading = wrapped(`${verdictWords[verdict]}${reasonWords(decision)}`, tone, output);
  const acts = `${verdict === 'allow' ? 'actions' : 'further actions'}: ${escapeText(further.join(', '))}`;
  const many = 'more than 1,000 matches: the verdict rests on all, the first 1,000 are told';
  return [
    ...heading.map((line) => output.paint('head', line)),
    ...(further.length === 0 ? [] : wrapped(acts, undefined, output)),
    ...(truncated ? wrapped(many, 'doubt', output) : []),
  ];
}

function reasonWords({ verdict, matched, unevaluated, exempt }: Decision): string {
  if (exempt) return ' unseen: the message is exempt from all rules';
  const deciding = matched.filter((hit) => hit.determining).length;
  const acting = matched.filter((hit) => !hit.shadow).length;
  const doubt =
    unevaluated.length > 0 && verdict === 'allow'
      ? `, but ${counted(unevaluated.length, 'condition')} could not be evaluated`
      : '';
  if (deciding > 0) return ` by ${counted(deciding, 'rule')}${doubt}`;
  if (acting > 0) return `: ${counted(acting, 'rule')} matched, and nothing that blocks or drops${doubt}`;
  return `: ${matched.length > 0 ? 'only rules in shadow matched' : 'no rule matched'}${doubt}`;
}

/** The texts with matches, each under its path. */
function textBlocks({ decision, message, redact }: CheckResult, output: Output): string[][] {
  if (redact) return [];
  const matches = matchesOf(decision).filter((match) => match.kind !== 'score');
  const texts = groupBy(matches, ({ path }) => path);
  const blocks = texts.slice(0, mostEntries.texts).map((own) => {
    const { path } = own[0]!;
    const spans = own.map(({ span }) => span);
    return [...wrapped(escapeText(path), 'faint', output), ...markedLines(textAt(message, path) ?? '', spans, output)];
  });
  const left = texts.length - mostEntries.texts;
  return left > 0 ? [...blocks, [output.paint('faint', `+${counted(left, 'more text')} with matches`)]] : blocks;
}

function matchesOf({ matched }: Decision): readonly Match[] {
  return matched.flatMap(({ conditions }) => conditions.flatMap(({ matches }) => matches));
}

/** The text at a JSON path in the notation of a decision: `data.customData["a key"][2]`; `undefined` without a text. */
export function textAt(message: MessageDraft, path: string): string | undefined {
  let value: unknown = message;
  for (const [, name, index, quoted] of path.matchAll(/\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy)) {
    const key = name ?? index ?? (JSON.parse(quoted!) as string);
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return typeof value === 'string' ? value : undefined;
}

/** The rules that matched: those that determine the verdict, the others, and those in shadow. */
function ruleBlocks(result: CheckResult, output: Output): string[][] {
  const { matched } = result.decision;
  const deciding = matched.filter((hit) => hit.determining);
  const others = matched.filter((hit) => !hit.determining && !hit.shadow);
  const shadows = matched.filter((hit) => hit.shadow);
  const section = (heading: string | undefined, hits: readonly RuleHit[]) =>
    hits.map((hit, index) => [
      ...(index === 0 && heading !== undefined ? wrapped(heading, 'head', output) : []),
      ...ruleLines(hit, result, output),
    ]);
  return [
    ...section(undefined, deciding),
    ...section(deciding.length > 0 ? 'also matched' : undefined, others),
    ...section('would also match, in shadow: these rules never decide', shadows),
  ];
}

/**
 * The provenance of a rule that matched: rule@revision, then each condition with its list@revision, then each term,
 * pattern or threshold with its places.
 */
function ruleLines(hit: RuleHit, result: CheckResult, { width, paint }: Output): string[] {
  const { ruleId, ruleName, revisionId, actions, determining, shadow } = hit;
  const acts = actions.length === 0 ? 'no action' : cut(actions.join(', '), columns.name);
  const tone = determining && result.decision.verdict !== 'allow' ? 'bad' : shadow ? 'faint' : undefined;
  return [
    ...wrapHanging(`${cut(ruleName, columns.name)}: ${acts}`, width, '    ').map((line) => paint(tone, line)),
    ...wrapHanging(`  rule ${cut(ruleId, columns.name)}${atRevision(revisionId)}`, width, '    '),
    ...hit.conditions.flatMap((condition) => conditionLines(condition, result, width)),
  ];
}

function conditionLines(condition: ConditionHit, result: CheckResult, width: number): string[] {
  const { conditionId, operand, message = [], matches } = condition;
  const origin = (own: readonly Match[]) => (own.length === 0 ? withoutMatches(operand, result) : originOf(own[0]!));
  const lists = groupBy(matches, (match) => JSON.stringify(listOf(match) ?? match.kind));
  const lines = (lists.length === 0 ? [[]] : lists).flatMap((own) => [
    ...wrapHanging(`  → condition ${conditionId}, ${cut(operand, columns.name)} → ${origin(own)}`, width, '    '),
    ...foundLines(own, result, width),
  ]);
  const notes = message.filter((note) => note.trim() !== '');
  return [...lines, ...notes.flatMap((note) => wrapHanging(`    says "${escapeText(note)}"`, width, '      '))];
}

/** Why a condition without matches counts as matched. */
function withoutMatches(operand: string, { decision }: CheckResult): string {
  if (decision.truncated) return 'its matches are beyond those that are told';
  if (operand === 'text' || operand === 'custom') return 'holds, but the pattern engine failed to say where';
  return 'counts as matched, since no scores were given';
}

function listOf(match: Match): readonly [id: string, revision: string | undefined] | undefined {
  return match.kind === 'score' || match.listId === undefined ? undefined : [match.listId, match.listRevisionId];
}

function originOf(match: Match): string {
  const list = listOf(match);
  if (list !== undefined) return cut(list[0], columns.name) + atRevision(list[1]);
  if (match.kind === 'score') return 'thresholds';
  return match.kind === 'word' ? 'words of the rule itself' : 'patterns of the rule itself';
}

function foundLines(matches: readonly Match[], result: CheckResult, width: number): string[] {
  const found = groupBy(matches, foundWords);
  const lines = found.slice(0, mostEntries.found).flatMap((own) => {
    const places = own.slice(0, mostEntries.places).map((match) => placeWords(match, result));
    const left = own.length - mostEntries.places;
    const more = left > 0 ? `, +${formatCount(left)} more` : '';
    return wrapHanging(`    → ${foundWords(own[0]!)}: ${places.join(', ')}${more}`, width, '      ');
  });
  const left = found.length - mostEntries.found;
  return left > 0 ? [...lines, `    +${formatCount(left)} more`] : lines;
}

/** The term, the pattern, or the score with its threshold. */
function foundWords(match: Match): string {
  if (match.kind === 'word') return `"${cut(match.term, columns.text)}"`;
  if (match.kind === 'pattern') return `/${cut(match.pattern, columns.pattern)}/`;
  return `${cut(match.label, columns.text)} ${match.score}, over ${thresholdWords(match)}`;
}

function thresholdWords({ label, threshold }: ScoreMatch): string {
  const of = threshold.label === label ? '' : `${cut(threshold.label, columns.text)} `;
  return of + String(threshold.greaterThan);
}

/**
 * The place of a match: its path when the message has matches in more than one text, its span, its text when that
 * differs from the term, and the transforms of an obfuscated word.
 */
function placeWords(match: Match, { decision, media, redact }: CheckResult): string {
  if (match.kind === 'score') {
    const medium = media[Number(/\d+/.exec(match.path)?.[0])];
    return redact || medium?.url === undefined ? match.path : `${match.path} ${cut(medium.url, columns.name)}`;
  }
  const { path, span, text } = match;
  const isOnlyText = matchesOf(decision).every((other) => other.kind === 'score' || other.path === 'data.text');
  const place = `${isOnlyText ? '' : `${escapeText(path)} `}${span.start}..${span.end}`;
  const through = match.kind === 'word' && match.transforms !== undefined ? ` (${match.transforms.join(', ')})` : '';
  if (redact) return `${place} ${text}${through}`;
  return match.kind === 'word' && match.term === text ? place : `${place} "${cut(text, columns.text)}"${through}`;
}

function unevaluatedLines({ decision: { unevaluated }, scores }: CheckResult, output: Output): string[] {
  if (unevaluated.length === 0) return [];
  const reasons = groupBy(unevaluated, ({ detail }) => detail);
  const lines = reasons.slice(0, mostEntries.reasons).flatMap((own) => {
    const where = own.slice(0, mostEntries.conditions).map(({ ruleId, conditionId }) => `${ruleId}#${conditionId}`);
    const more = own.length > where.length ? ` +${formatCount(own.length - where.length)} more` : '';
    return wrapHanging(`  ${escapeText(`${where.join(', ')}${more}: ${own[0]?.detail}`)}`, output.width, '    ');
  });
  const left = reasons.length - mostEntries.reasons;
  const needsScores = scores.size === 0 && unevaluated.some(({ why }) => why === 'no-scores');
  return [
    ...wrapped('not evaluated, so neither a match nor a clean bill', 'doubt', output),
    ...lines,
    ...(left > 0 ? [output.paint('faint', `  +${formatCount(left)} more`)] : []),
    ...(needsScores ? wrapped('  add `--scores FILE` to have pictures and videos evaluated', 'faint', output) : []),
  ];
}

function lastLines({ decision, engine, ruleSet }: CheckResult, output: Output): string[] {
  const { running, rules } = engine.counts;
  const evaluated = running === rules ? counted(rules, 'rule') : `${formatCount(running)} of ${counted(rules, 'rule')}`;
  const words = `asked ${decision.exempt ? 'no rule' : evaluated}, engine revision ${decision.revision.slice(0, 12)}`;
  return [...(ruleSet.truncated ? wrapped(maybeTruncated, 'doubt', output) : []), ...wrapped(words, 'faint', output)];
}

function wrapped(text: string, tone: Tone | undefined, { width, paint }: Output): string[] {
  return wrapHanging(text, width, '  ').map((line) => paint(tone, line));
}

function atRevision(revision: string | undefined): string {
  return revision === undefined ? '' : `@${cut(revision, columns.name)}`;
}

function cut(text: string, width: number): string {
  return fitText(escapeText(text), width);
}

/** Groups items of equal key, in the order of the first of each. `Map.groupBy` begins with Node 21. */
function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
