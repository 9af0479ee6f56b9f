/**
 * All loaded messages, judged by the rules as they were opened and, again and again, by those that
 * are edited.
 */

import { dayNames } from '../../audit/count/day-names.js';
import { createCauseTable, type DiffKind, diffKinds } from '../../audit/count/diff-causes.js';
import { textAt } from '../../audit/count/excerpt.js';
import { stops } from '../../engine/compile/verdicts.js';
import type { Engine } from '../../engine/engine.js';
import type { Decision, Match, Verdict } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { createPace } from '../../foundation/portions.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { type DayCounts, type Query, type Row, type Seen, termKey } from './protocol.js';
import { segmentsOf } from './segments.js';

/** The number of messages between two checks of the clock. */
const stepLength = 64;
const most = { causes: 200, examples: 3, bars: 92, rowText: 280 };

/** Ids of the rules that matched a message: one group for all messages with the same rules. */
interface Group {
  readonly verdict: Verdict;
  readonly determining: string;
  readonly ruleIds: readonly string[];
}

/**
 * The result of judging all messages by one engine: the group of each message, 0 if it is allowed.
 */
interface Judged {
  readonly engine: Engine;
  readonly groups: Int32Array;
  /** The number of messages that a term matched, by `termKey`. */
  readonly terms: Map<string, number>;
}

/** The functions that tell whether work is still wanted, and that receive its progress. */
interface Run {
  readonly isWanted: () => boolean;
  readonly onProgress: (share: number) => void;
}

/**
 * Messages with the results of the rules as they were opened and as they are. Only the groups of
 * decisions are kept; the decisions would fill the memory.
 */
export class Corpus {
  readonly messages: readonly MessageDraft[];
  readonly #scores: readonly (readonly Scores[])[] | undefined;
  readonly #groups: Group[] = [{ verdict: 'allow', determining: '', ruleIds: [] }];
  readonly #groupIds = new Map<string, number>();
  readonly #names = new Map<string, string>();
  /** Days since the epoch, of each message and of all of them; -1 for a message without a time. */
  readonly #days: Int32Array;
  readonly #first: number;
  readonly #last: number;
  #before: Judged | undefined;
  #after: Judged | undefined;
  #listed: { readonly key: string; readonly after: Judged; readonly found: readonly number[] } | undefined;

  constructor(messages: readonly MessageDraft[], scores?: readonly (readonly Scores[])[]) {
    this.messages = messages;
    this.#scores = scores;
    this.#days = Int32Array.from(messages, ({ sentAt }) =>
      typeof sentAt === 'number' && sentAt >= 0 && sentAt < 253_402_300_800 ? Math.floor(sentAt / 86_400) : -1,
    );
    const known = this.#days.filter((day) => day >= 0);
    this.#first = known.reduce((least, day) => Math.min(least, day), known[0] ?? 0);
    this.#last = known.reduce((latest, day) => Math.max(latest, day), -1);
  }

  /** Forgets the decisions by rules that were opened before. */
  reset(): void {
    this.#before = undefined;
    this.#after = undefined;
  }

  /**
   * Judges all messages and compares; `undefined` when the work was given up. `opened` is the
   * engine of the rules as they were opened.
   */
  async see(engine: Engine, opened: Engine, run: Run): Promise<Seen | undefined> {
    const startedAt = performance.now();
    this.#before ??= await this.#judge(opened, run);
    const before = this.#before;
    if (before === undefined) return undefined;
    const isSame = engine.revision === opened.revision;
    const after = isSame ? before : this.#begin(engine);
    const sums = new Comparison(this.#first, this.#last);
    const isWhole = await this.#visit(run, (index) => {
      const decided = isSame ? undefined : this.#judgeOne(after, index);
      const [was, is] = [before.groups[index]!, after.groups[index]!];
      if (was === 0 && is === 0) return;
      const kind = this.#kindOf(was, is);
      sums.add({ was, is, kind, day: this.#days[index]! });
      if (kind === undefined) return;
      const message = this.messages[index]!;
      const decisions = { before: this.#explain(before, index), after: decided ?? this.#explain(after, index) };
      sums.causes.add({ kind, message, messageId: message.id, ...decisions, outcome: undefined });
    });
    if (!isWhole) return undefined;
    this.#after = after;
    return {
      ...sums.toJSON(),
      messages: this.messages.length,
      terms: Object.fromEntries(after.terms),
      tookMs: performance.now() - startedAt,
    };
  }

  /** Visits all messages with pauses, and reports whether it came to the end. */
  async #visit({ isWanted, onProgress }: Run, visit: (index: number) => void): Promise<boolean> {
    const { length } = this.messages;
    const pause = createPace();
    let toldAt = performance.now();
    for (let index = 0; index < length; index++) {
      visit(index);
      // Requests of the page are read in the pauses.
      const due = index % stepLength === 0 ? pause() : undefined;
      if (due === undefined) continue;
      await due;
      if (!isWanted()) return false;
      const now = performance.now();
      if (now - toldAt < 100) continue;
      toldAt = now;
      onProgress(index / length);
    }
    return true;
  }

  #begin(engine: Engine): Judged {
    for (const { ruleId, ruleName } of engine.runningRules()) this.#names.set(ruleId, ruleName);
    return { engine, groups: new Int32Array(this.messages.length), terms: new Map() };
  }

  async #judge(engine: Engine, run: Run): Promise<Judged | undefined> {
    const judged = this.#begin(engine);
    return (await this.#visit(run, (index) => void this.#judgeOne(judged, index))) ? judged : undefined;
  }

  /**
   * Judges a message, and returns the decision on one that is stopped. Nearly all are allowed, in a
   * fraction of the time.
   */
  #judgeOne({ engine, groups, terms }: Judged, index: number): Decision | undefined {
    const [message, scores] = [this.messages[index]!, this.#scores?.[index]];
    if (!stops(engine.decide(message, scores))) return undefined;
    const decision = engine.explain(message, scores);
    groups[index] = this.#groupOf(decision);
    for (const key of termsOf(decision)) terms.set(key, (terms.get(key) ?? 0) + 1);
    return decision;
  }

  #groupOf({ verdict, matched }: Decision): number {
    let key: string = verdict;
    for (const { ruleId, determining } of matched) key += ` ${determining ? '+' : ''}${ruleId.length} ${ruleId}`;
    const known = this.#groupIds.get(key);
    if (known !== undefined) return known;
    this.#groupIds.set(key, this.#groups.length);
    const determining = matched.flatMap((hit) => (hit.determining ? [hit.ruleId] : [])).sort();
    const ruleIds = matched.map(({ ruleId }) => ruleId);
    return this.#groups.push({ verdict, determining: JSON.stringify([...new Set(determining)]), ruleIds }) - 1;
  }

  /** Returns how two groups differ, as `diffKindOf` does for decisions. */
  #kindOf(before: number, after: number): DiffKind | undefined {
    if (before === after) return undefined;
    const [was, is] = [this.#groups[before]!, this.#groups[after]!];
    if (was.verdict !== is.verdict)
      return !stops(was.verdict) ? 'newlyStopped' : stops(is.verdict) ? 'changed' : 'released';
    return was.determining === is.determining ? undefined : 'reasonOnly';
  }

  #explain({ engine }: Judged, index: number): Decision {
    return engine.explain(this.messages[index]!, this.#scores?.[index]);
  }

  /** Returns a part of the messages of a query, by the last comparison, and how many there are. */
  rows(query: Query, most: number): { readonly total: number; readonly rows: readonly Row[] } {
    const [before, after] = [this.#before, this.#after];
    if (before === undefined || after === undefined) return { total: 0, rows: [] };
    const found = this.#find(query, before, after);
    return {
      total: found.length,
      rows: found.slice(0, most).map((index) => this.#row(index, before, after)),
    };
  }

  #find(query: Query, before: Judged, after: Judged): readonly number[] {
    const key = JSON.stringify(query);
    if (this.#listed?.key === key && this.#listed.after === after) return this.#listed.found;
    const search = query.search?.toLowerCase() ?? '';
    const found: number[] = [];
    for (let index = 0; index < this.messages.length; index++) {
      const [was, is] = [before.groups[index]!, after.groups[index]!];
      if (!this.#isInView(query.view, was, is)) continue;
      const ids = [was, is].flatMap((group) => this.#groups[group]!.ruleIds);
      if (query.ruleId !== undefined && !ids.includes(query.ruleId)) continue;
      if (search !== '' && !textOf(this.messages[index]!).toLowerCase().includes(search)) continue;
      if (query.term !== undefined) {
        const sides = [is === 0 ? undefined : after, was === 0 ? undefined : before];
        if (!sides.some((side) => side && termsOf(this.#explain(side, index)).has(query.term!))) continue;
      }
      found.push(index);
    }
    this.#listed = { key, after, found };
    return found;
  }

  #isInView(view: Query['view'], was: number, is: number): boolean {
    if (view === 'all') return true;
    if (view === 'stopped' || view === 'allowed') return (is !== 0) === (view === 'stopped');
    return this.#kindOf(was, is) === view;
  }

  #row(index: number, before: Judged, after: Judged): Row {
    const message = this.messages[index]!;
    const [was, is] = [before.groups[index]!, after.groups[index]!].map((group) => this.#groups[group]!);
    const side = stops(is!.verdict) ? after : stops(was!.verdict) ? before : undefined;
    const matches = side === undefined ? [] : matchesOf(this.#explain(side, index));
    const inText = matches.filter((match) => match.kind !== 'score');
    const path = inText[0]?.path ?? 'data.text';
    const spans = inText.flatMap((match) => (match.path === path ? [match.span] : []));
    const { id, sender, sentAt } = message;
    const isDated = this.#days[index]! >= 0;
    return {
      id: id === undefined ? `row ${(index + 1).toLocaleString('en')}` : String(id),
      sender: String(sender ?? ''),
      time: isDated ? new Date(Math.floor(sentAt as number) * 1000).toISOString().slice(0, 16).replace('T', ' ') : '',
      segments: segmentsOf(textAt(message, path) ?? `(${message.type ?? 'no text'})`, spans, most.rowText),
      before: was!.verdict,
      after: is!.verdict,
      rules: (stops(is!.verdict) ? is : was)!.ruleIds.map((ruleId) => this.#names.get(ruleId) ?? ruleId),
    };
  }
}

function matchesOf({ matched }: Decision): readonly Match[] {
  return matched.flatMap(({ conditions }) => conditions.flatMap(({ matches }) => matches));
}

/** Returns the keys of the terms and patterns that matched, each once. */
function termsOf(decision: Decision): ReadonlySet<string> {
  const keys = matchesOf(decision).flatMap((match) => {
    if (match.kind === 'score') return [];
    return [termKey(match.listId, match.kind === 'word' ? match.term : match.pattern)];
  });
  return new Set(keys);
}

function textOf(message: MessageDraft): string {
  const text = textAt(message, 'data.text');
  return text ?? (message.data?.customData === undefined ? '' : JSON.stringify(message.data.customData));
}

/** The sums of one comparison. */
class Comparison {
  readonly causes = createCauseTable({ examples: most.examples, redact: false, hasOutcomes: false });
  readonly #kinds = { newlyStopped: 0, released: 0, changed: 0, reasonOnly: 0 };
  readonly #sums = { before: 0, after: 0 };
  readonly #first: number;
  /** The number of days of a bar. */
  readonly #each: number;
  readonly #days: { -readonly [Name in keyof DayCounts]: DayCounts[Name] }[];

  /** `first` and `last` are the days of the messages; without one `last` is before `first`. */
  constructor(first: number, last: number) {
    this.#first = first;
    this.#each = Math.max(1, Math.ceil((last - first + 1) / most.bars));
    this.#days = Array.from({ length: Math.ceil((last - first + 1) / this.#each) }, (_, index) => ({
      day: dayNames(first + index * this.#each).iso,
      before: 0,
      after: 0,
      newlyStopped: 0,
      released: 0,
    }));
  }

  add({ was, is, kind, day }: { was: number; is: number; kind: DiffKind | undefined; day: number }): void {
    const ofDay = this.#days[Math.floor((day - this.#first) / this.#each)];
    for (const [side, group] of [['before', was] as const, ['after', is] as const]) {
      if (group === 0) continue;
      this.#sums[side] += 1;
      if (ofDay !== undefined) ofDay[side] += 1;
    }
    if (kind === undefined) return;
    this.#kinds[kind] += 1;
    if (ofDay !== undefined && (kind === 'newlyStopped' || kind === 'released')) ofDay[kind] += 1;
  }

  toJSON(): Pick<Seen, 'before' | 'after' | 'kinds' | 'causes' | 'moreCauses' | 'days'> {
    const all = this.causes.toJSON();
    const causes = diffKinds.flatMap((kind) => all.filter((cause) => cause.kind === kind).slice(0, most.causes));
    return { ...this.#sums, kinds: this.#kinds, causes, moreCauses: all.length - causes.length, days: this.#days };
  }
}
