/**
 * The naive evaluator that decides disputes: no automaton, no folding tables, no pattern set; every term and every
 * pattern of every rule is tried on every text, with the regular expressions of the platform it runs on.
 * Slow and, one hopes, obviously right. It shares nothing with the engine but types.
 */
import type { Condition, Filter, KeywordList, MediaScores, Message, Rule, Verdict } from '../../src/index.js';

export interface OracleSemantics {
  conditions: 'any' | 'all';
  runs: 'enabled-and-active' | 'enabled' | 'all';
  precedence: readonly string[];
  words: 'word' | 'substring';
  folding: 'exact' | 'case';
  patterns: 'as-written' | 'insensitive';
  missingScores: 'allow' | 'block';
  allowTerms: readonly string[];
  shadow: readonly string[];
}

export const oracleDefaults: OracleSemantics = {
  conditions: 'any',
  runs: 'enabled-and-active',
  precedence: ['dropMessage', 'blockMessage', 'allow'],
  words: 'word',
  folding: 'case',
  patterns: 'as-written',
  missingScores: 'allow',
  allowTerms: [],
  shadow: [],
};

/** `path start end term-or-pattern list`, or `path label score threshold` for scores. */
export type OracleMatch = string;

export interface OracleAnswer {
  verdict: Verdict;
  /** Matched rule ids, each with its matched conditions and their matches, sorted. */
  matched: Record<string, Record<number, OracleMatch[]>>;
}

type RuleSet = { rules: readonly Rule[]; lists: readonly KeywordList[] };
type Part = { path: string; text: string };
type Span = { start: number; end: number };

const list = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

export function judge(
  ruleSet: RuleSet,
  message: Partial<Message>,
  media: readonly MediaScores[] = [],
  changes: Partial<OracleSemantics> = {},
): OracleAnswer {
  const semantics = { ...oracleDefaults, ...changes };
  const matched: OracleAnswer['matched'] = {};
  const actions = new Set<string>();
  for (const rule of ruleSet.rules) {
    const on =
      semantics.runs === 'all' || (rule.enabled !== false && (semantics.runs === 'enabled' || rule.active !== false));
    if (!on || !list(rule.filters).every((filter) => holds(filter, message))) continue;
    const hits: Record<number, OracleMatch[]> = {};
    rule.conditions.forEach((condition, index) => {
      const found = ask(condition, ruleSet, message, media, semantics);
      if (found !== undefined) hits[condition.id ?? index + 1] = found.sort();
    });
    const count = Object.keys(hits).length;
    if (count === 0 || (semantics.conditions === 'all' && count < rule.conditions.length)) continue;
    matched[rule.id] = hits;
    if (!semantics.shadow.includes(rule.id)) for (const action of list(rule.action)) actions.add(action);
  }
  const verdicts = ['allow', 'blockMessage', 'dropMessage'];
  const verdict = semantics.precedence.find((name) => verdicts.includes(name) && actions.has(name)) ?? 'allow';
  return { verdict: verdict as Verdict, matched };
}

/** The matches of a condition, or nothing when it does not hold. */
function ask(
  condition: Condition,
  ruleSet: RuleSet,
  message: Partial<Message>,
  media: readonly MediaScores[],
  semantics: OracleSemantics,
): OracleMatch[] | undefined {
  const { operand = '', operator = 'contains', category = 'word' } = condition;
  if (
    (condition.entity ?? 'message') !== 'message' ||
    !['contains', 'equals'].includes(operator) ||
    !['word', 'pattern'].includes(category)
  )
    return undefined;
  if (operand === 'image' || operand === 'video')
    return operator === 'equals' ? undefined : scores(condition, operand, message, media, semantics);
  if (operand !== (message.category === 'custom' ? 'custom' : 'text')) return undefined;
  const found = texts(message).flatMap((part) =>
    asked(condition, ruleSet).flatMap(({ term, from }) => {
      const spans =
        category === 'word'
          ? words(part.text, term, operator, semantics)
          : patterns(part.text, term, operator, semantics);
      return spans.map(({ start, end }) => `${part.path} ${start} ${end} ${term} ${from}`);
    }),
  );
  return found.length > 0 ? found : undefined;
}

function texts(message: Partial<Message>): Part[] {
  if (message.category === 'action') return [];
  const text = typeof message.data?.text === 'string' ? [{ path: 'data.text', text: message.data.text }] : [];
  return message.category === 'custom' ? [...strings(message.data?.customData, 'data.customData'), ...text] : text;
}

function strings(value: unknown, path: string): Part[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => strings(item, `${path}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    strings(item, /^[a-z_$][\w$]*$/i.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`),
  );
}

function asked(condition: Condition, { lists }: RuleSet): { term: string; from: string }[] {
  const named =
    condition.isKeywordsReferencePresent || condition.isKeywordReferencePresent || condition.isListReferencePresent;
  if (!named)
    return [...new Set(list(condition.value))].filter((term) => term.trim() !== '').map((term) => ({ term, from: '' }));
  return [...new Set(list(condition.value))].flatMap((id) => {
    const found = lists.find((candidate) => candidate.id === id);
    const terms = (found?.searchTerms ?? []).map((cell) => (found?.isCSV ? unquote(cell) : cell));
    return [...new Set(terms)].filter((term) => term.trim() !== '').map((term) => ({ term, from: id }));
  });
}

function unquote(cell: string): string {
  const trimmed = cell.trim();
  return trimmed.length > 1 && trimmed.startsWith('"') && trimmed.endsWith('"')
    ? trimmed.slice(1, -1).replaceAll('""', '"').trim()
    : trimmed;
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
const flags = (semantics: OracleSemantics) => (semantics.folding === 'case' ? 'iuy' : 'uy');
const joins = (character: string | undefined) =>
  character !== undefined &&
  /^[\p{L}\p{N}\p{M}_]$/u.test(character) &&
  !/^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]$/u.test(character);
const edge = (text: string, at: number) => !(joins([...text.slice(0, at)].at(-1)) && joins([...text.slice(at)][0]));

/** Every occurrence: the term as a regular expression, tried at every character. */
function words(text: string, term: string, operator: string, semantics: OracleSemantics): Span[] {
  const source = escaped(operator === 'equals' ? term.trim() : term).replace(/\s+/g, '\\s+');
  const inside = ({ start, end }: Span) =>
    semantics.allowTerms.some((allow) =>
      words(text, allow, 'contains', { ...semantics, allowTerms: [] }).some(
        (span) => span.start <= start && end <= span.end,
      ),
    );
  const start = text.length - text.trimStart().length;
  if (operator === 'equals') {
    const span = { start, end: start + text.trim().length };
    return new RegExp(`^${source}$`, flags(semantics).replace('y', '')).test(text.trim()) && !inside(span)
      ? [span]
      : [];
  }
  const spans: Span[] = [];
  const regex = new RegExp(source, flags(semantics));
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) {
    regex.lastIndex = at;
    const match = regex.exec(text);
    const inRun = /^\s/.test(term) && /\s/.test(text[at - 1] ?? '');
    if (match !== null && !inRun) spans.push({ start: at, end: at + match[0].length });
  }
  return spans.filter(
    (span) => (semantics.words === 'substring' || (edge(text, span.start) && edge(text, span.end))) && !inside(span),
  );
}

/** Patterns that V8 and RE2 read alike; where they differ, the tests use cases with written answers. */
function patterns(text: string, source: string, operator: string, semantics: OracleSemantics): Span[] {
  const inline = /^\(\?([is]+)\)/.exec(source);
  const letters = new Set(`gu${inline?.[1] ?? ''}${semantics.patterns === 'insensitive' ? 'i' : ''}`);
  try {
    const body = source.slice(inline?.[0].length ?? 0);
    const regex = new RegExp(operator === 'equals' ? `^(?:${body})$` : body, [...letters].join(''));
    if (/\(\?<?[=!]|\\[1-9]/.test(body)) return [];
    return [...text.matchAll(regex)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  } catch {
    return [];
  }
}

function scores(
  condition: Condition,
  operand: string,
  message: Partial<Message>,
  media: readonly MediaScores[],
  semantics: OracleSemantics,
): OracleMatch[] | undefined {
  const thresholds = list(condition.value).flatMap((text) => {
    const parts = /^(.*\S.*|\S)_greaterThan_(\d+(?:\.\d+)?)$/s.exec(text);
    return parts ? [{ label: parts[1]!, limit: Number(parts[2]) }] : [];
  });
  if (thresholds.length === 0) return undefined;
  const same = (label: string) => label.toLowerCase().replace(/[\s_-]/g, ' ');
  const mine = media.flatMap((entry, index) =>
    entry.operand === operand ? Object.entries(entry.labels).map(([label, score]) => ({ label, score, index })) : [],
  );
  const present =
    message.type === operand ||
    list(message.data?.attachments).some((file) => file.mimeType?.toLowerCase().startsWith(`${operand}/`)) ||
    media.some((entry) => entry.operand === operand);
  if (mine.length === 0) return present && semantics.missingScores === 'block' ? [] : undefined;
  const over = mine.flatMap(({ label, score, index }) =>
    thresholds
      .filter(
        (threshold) =>
          score > threshold.limit && (same(threshold.label) === 'anyof' || same(threshold.label) === same(label)),
      )
      .map((threshold) => `media[${index}] ${label} ${score} ${threshold.label} ${threshold.limit}`),
  );
  return over.length > 0 ? over : undefined;
}

/** Only what the fixtures use: properties of the sender and the receiver compared with texts. */
function holds(filter: Filter, message: Partial<Message>): boolean {
  const party = filter.type as 'sender' | 'receiver';
  const { operand = '', operator = '' } = filter;
  if (party === 'receiver' && message.receiverType !== filter.entity) return false;
  const entity = message.data?.entities?.[party]?.entity as Record<string, unknown> | undefined;
  const value =
    operand === 'uid' || operand === 'guid'
      ? message[party]
      : (entity?.[operand] ?? (entity && operand === 'tags' ? [] : undefined));
  if (value === undefined) return false;
  const wanted = /in$/i.test(operator)
    ? list(filter.value).flatMap((text) => text.split(',').map((item) => item.trim()))
    : list(filter.value);
  const some = list(value as string).some((actual) =>
    wanted.some((text) =>
      operator === 'startsWith'
        ? actual.startsWith(text)
        : operator === 'endsWith'
          ? actual.endsWith(text)
          : actual === text,
    ),
  );
  return /^not/.test(operator) ? !some : some;
}
