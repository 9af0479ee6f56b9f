/**
 * The rules of a moderator: the engine in use, how current it is, and the refreshes that replace
 * it. A rule set is fetched, compiled, judged by the guard and the canary, and only then swapped in
 * by one assignment, so that a decision is wholly of one rule set.
 */

import { compileParts, type Engine } from '../../engine/engine.js';
import { resolveSemantics, semanticsOf } from '../../engine/semantics.js';
import { canonicalJson } from '../../foundation/digest.js';
import { addToFact, RuleSetError, SluiceError, UsageError } from '../../foundation/errors.js';
import { longestTimerMs } from '../../foundation/options.js';
import { runWithPauses } from '../../foundation/portions.js';
import { lostLists, type MissingList, type RuleSet } from '../../platform/contract/rule-set.js';
import { acceptanceRevision } from '../../review/compare/acceptance-revision.js';
import { askRules, type CompiledRules, type StoppingGroup } from '../../review/compare/stopped-texts.js';
import { type HeldRuleSet, judgeRules, nothingRefused, type Refused, refuseIncomplete } from './guard.js';
import { OneLoad } from './one-load.js';
import type { ResolvedOptions } from './options.js';
import { Snapshot } from './snapshot.js';
import { issuesOf, type ModeratorStatus, type RefreshEvent, type StatusError, statusError } from './status.js';

interface Loaded extends CompiledRules {
  readonly engine: Engine;
  readonly issues: ModeratorStatus['issues'];
}

/**
 * Milliseconds until rules of a source with `watch` are loaded again after a failure; longer after
 * several.
 */
const RETRY_AFTER = 1_000;

/** The empty rules before the first load. */
const nothing: RuleSet = { rules: [], lists: [], missing: [], truncated: false, revision: '' };

/** The number of held rule sets that are remembered. */
const MOST_HELD = 100;

/** Holds the current rules. Made by `LiveRules.start`. */
export class LiveRules {
  current: Loaded;
  onRefresh: ((event: RefreshEvent) => void) | undefined;
  readonly #options: ResolvedOptions;
  readonly #snapshot: Snapshot;
  readonly #loader: OneLoad;
  readonly #closing = new AbortController();
  /**
   * Whether the rules in use were accepted. First rules that cannot stop anything decide nothing
   * until a person accepts them.
   */
  #isTaken: boolean;
  /**
   * Everything that could stop a message since a person last accepted a rule set, and cannot with
   * the rules in use.
   */
  #lost: readonly StoppingGroup[] = [];
  #origin: ModeratorStatus['origin'] = 'source';
  /**
   * The time of the last whole answer of the source by two clocks: the wall clock may be set, the
   * other stops while a machine sleeps.
   */
  #confirmed = { wall: Date.now(), steady: performance.now() };
  #hasAnswered = false;
  #failures = 0;
  #error: StatusError | undefined;
  #snapshotError: StatusError | undefined;
  #held: (HeldRuleSet & { readonly ruleSet: RuleSet }) | undefined;
  /**
   * Reasons of the rule sets that were held since one was last accepted, by revision: one that
   * comes again is held again.
   */
  readonly #heldBefore = new Map<string, Refused>();
  #underway: Promise<boolean> | undefined;
  /** Whether the source reported a change after the last load began. */
  #isOutdated = false;
  /** Whether the last load failed. A load that lacks lists did not. */
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: ResolvedOptions, snapshot: Snapshot, current: Loaded) {
    this.#options = options;
    this.#snapshot = snapshot;
    this.#loader = new OneLoad(options);
    this.current = current;
    this.#isTaken = current.ruleSet !== nothing;
  }

  /**
   * Loads the first rules: those of the source unless the guard refuses them against the snapshot,
   * else those of the snapshot.
   */
  static async start(options: ResolvedOptions): Promise<LiveRules> {
    const { snapshotFile, source, signal } = options;
    const snapshot = new Snapshot(snapshotFile, source.id);
    const saved = await snapshot.read();
    const rules = new LiveRules(options, snapshot, await compile(saved?.ruleSet ?? nothing, options, signal));
    if (saved !== undefined) {
      rules.#origin = 'snapshot';
      rules.#lost = saved.lost;
      if (options.guard !== 'off') for (const revision of saved.held) rules.#heldBefore.set(revision, heldEarlier);
      const elapsed = Math.max(0, Date.now() - saved.confirmedAt);
      rules.#confirmed = { wall: saved.confirmedAt, steady: performance.now() - elapsed };
    }
    const onAbort = () => rules.#closing.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    try {
      signal?.throwIfAborted();
      await rules.#refresh();
    } catch (error) {
      if (rules.isClosed || rules.current.ruleSet === nothing) {
        rules.current.engine.close();
        throw error;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    rules.#begin();
    return rules;
  }

  /**
   * Milliseconds since the source last answered with a whole rule set, whether it was accepted or
   * held.
   */
  get ageMs(): number {
    const { wall, steady } = this.#confirmed;
    return Math.max(0, Date.now() - wall, performance.now() - steady);
  }

  get status(): ModeratorStatus {
    const { ageMs } = this;
    const { maxStaleMs = Number.POSITIVE_INFINITY } = this.#options;
    const expired = ageMs > maxStaleMs;
    const isFresh = this.#error === undefined && !expired;
    const lastError = this.#error ?? this.#snapshotError;
    const { ruleSet: _, ...held } = this.#held ?? {};
    return {
      state: this.isClosed ? 'closed' : !this.#isTaken ? 'no-rules' : isFresh ? 'fresh' : 'stale',
      origin: this.#origin,
      ageMs,
      ...(expired && { expired }),
      ...(this.#hasAnswered && { confirmedAt: this.#confirmed.wall }),
      ...(this.#held !== undefined && { held: held as HeldRuleSet }),
      issues: this.current.issues,
      failures: this.#failures,
      ...(lastError !== undefined && { lastError }),
      ...(this.#snapshotError !== undefined && { snapshotError: this.#snapshotError }),
    };
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Whether messages can be decided. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /**
   * Fetches the rules and swaps them in unless they are held; overlapping calls share one refresh.
   * Resolves to whether the rules changed.
   */
  refresh(): Promise<boolean> {
    return this.#alone(() => this.#refresh());
  }

  /** Swaps in the held rule set of this revision; resolves to whether there was one. */
  async accept(revision: string): Promise<boolean> {
    while (this.#underway !== undefined) await this.#underway.catch(() => {});
    if (this.#held === undefined || this.#held.revision !== revision) return false;
    const { ruleSet } = this.#held;
    return this.#alone(async () => {
      const startedAt = performance.now();
      this.#take(await compile(ruleSet, this.#options, this.#closing.signal), [], true);
      await this.#save();
      this.#report('changed', startedAt);
      return true;
    });
  }

  /** Ends refreshes; resolves within a second, whatever source and file system do. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    clearTimeout(this.#timer);
    this.#closing.abort(new UsageError('the moderator was closed'));
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, 500);
    });
    await Promise.race([this.#underway?.catch(() => {}), patience]);
    clearTimeout(timer);
    this.current.engine.close();
  }

  async #alone(run: () => Promise<boolean>): Promise<boolean> {
    this.#underway ??= run().finally(() => {
      this.#underway = undefined;
      this.#schedule();
      if (this.#isOutdated) this.#follow();
    });
    return this.#underway;
  }

  /** Starts the timer and watches the source. */
  #begin(): void {
    this.#schedule();
    const onChange = () => {
      this.#isOutdated = true;
      if (this.#underway === undefined) this.#follow();
    };
    this.#options.source.watch?.(onChange, { signal: this.#closing.signal, since: this.current.ruleSet });
  }

  #follow(): void {
    if (!this.isClosed) this.refresh().catch(() => {});
  }

  async #refresh(): Promise<boolean> {
    const startedAt = performance.now();
    try {
      this.#isOutdated = false;
      const ruleSet = await this.#loader.load(this.#closing.signal);
      const { ruleSet: before } = this.current;
      refuseIncomplete(ruleSet, before === nothing ? undefined : before, this.#options.guard);
      this.#hasAnswered = true;
      this.#confirmed = { wall: Date.now(), steady: performance.now() };
      const outcome = await this.#consider(ruleSet);
      this.#hasFailed = false;
      await this.#save();
      this.#report(outcome, startedAt);
      return outcome === 'changed';
    } catch (error) {
      if (!this.isClosed) {
        this.#hasFailed = true;
        this.#fail(error);
        await this.#save();
        this.#report('failed', startedAt);
      }
      throw error;
    }
  }

  /**
   * Swaps in a fetched rule set, or holds it. One that equals the current one is neither compiled
   * nor judged.
   */
  async #consider(ruleSet: RuleSet): Promise<'changed' | 'unchanged' | 'held'> {
    const { signal } = this.#closing;
    if (this.#isTaken && isSame(ruleSet, this.current.ruleSet)) {
      this.current = { ...this.current, ruleSet };
      this.#settle();
      return 'unchanged';
    }
    const revision = await acceptanceRevision(ruleSet, signal);
    const isAccepted = this.#options.accept === revision;
    const known = isAccepted ? undefined : this.#heldBefore.get(revision);
    if (known !== undefined && known !== heldEarlier) return this.#hold(ruleSet, revision, known);
    const next = await compile(ruleSet, this.#options, signal);
    try {
      const { lost, refused } = isAccepted ? taken : await this.#judge(next, known);
      signal.throwIfAborted();
      if (refused === undefined) this.#take(next, lost, isAccepted);
      else if (!this.#isTaken) this.#use(next);
      if (refused === undefined) return 'changed';
      const [absent] = this.#isTaken ? [] : lostLists(ruleSet);
      if (absent !== undefined) throw listError(absent);
      return this.#hold(ruleSet, revision, refused);
    } finally {
      if (this.current !== next) next.engine.close();
    }
  }

  /**
   * Judges a rule set. First rules are refused only if they cannot stop anything. `known` are the
   * reasons of an earlier judgement.
   */
  async #judge(next: Loaded, known: Refused | undefined): Promise<Taken> {
    const { guard, canary } = this.#options;
    const { signal } = this.#closing;
    if (!this.#isTaken) {
      const isUseless = guard !== 'off' && (await runWithPauses(askRules(next), signal)).groups.length === 0;
      return { lost: [], refused: isUseless ? cannotStop : undefined };
    }
    const before = { ...this.current, lostBefore: this.#lost };
    const judged = guard === 'off' ? undefined : await runWithPauses(judgeRules(guard, before, next), signal);
    const finding = await canary?.judge(before.engine, next.engine, signal);
    const { lost, refused, isRefused } = judged ?? { lost: [], refused: nothingRefused, isRefused: false };
    if (finding === undefined) return { lost, refused: isRefused ? refused : known };
    const reason = [refused.reason, finding.reason].filter((wording) => wording !== '').join(', ');
    return { lost, refused: { ...refused, reason, canary: finding.canary } };
  }

  /** Swaps in a rule set. Once a person has accepted one, only losses after it count. */
  #take(next: Loaded, lost: readonly StoppingGroup[], isAccepted: boolean): void {
    this.#use(next);
    this.#isTaken = true;
    this.#lost = lost;
    if (isAccepted) this.#heldBefore.clear();
    this.#settle();
  }

  #use(next: Loaded): void {
    const { engine } = this.current;
    this.current = next;
    engine.close();
  }

  /**
   * Notes that the rules in use are those of the source, except for lists that could not be
   * fetched.
   */
  #settle(): void {
    this.#origin = 'source';
    this.#held = undefined;
    this.#failures = 0;
    this.#error = undefined;
    const [absent] = lostLists(this.current.ruleSet);
    if (absent !== undefined) this.#fail(listError(absent));
  }

  #hold(ruleSet: RuleSet, revision: string, refused: Refused): 'held' {
    const since = this.#held?.revision === revision ? this.#held.since : Date.now();
    this.#held = { revision, ...refused, since, ruleSet };
    this.#heldBefore.set(revision, refused);
    const [oldest] = this.#heldBefore.keys();
    if (this.#heldBefore.size > MOST_HELD) this.#heldBefore.delete(oldest!);
    this.#failures = 0;
    const code = this.#isTaken ? 'held' : 'no-rules';
    this.#error = { code, message: `a rule set was held back: ${refused.reason}`, at: Date.now() };
    return 'held';
  }

  #fail(error: unknown): void {
    this.#failures++;
    const { unread } = this.#snapshot;
    this.#error = statusError(
      unread !== undefined && error instanceof SluiceError ? addToFact(error, `; ${unread}`) : error,
    );
  }

  /**
   * Writes the snapshot if its content changed, and otherwise confirms its time; retried after a
   * failure.
   */
  async #save(): Promise<void> {
    const { ruleSet } = this.current;
    if (!this.#isTaken || !this.#hasAnswered || lostLists(ruleSet).length > 0) return;
    const held = [...this.#heldBefore].flatMap(([revision, { canary }]) => (canary === undefined ? [] : revision));
    await this.#snapshot.keep({ ruleSet, lost: this.#lost, held, confirmedAt: this.#confirmed.wall });
    const { error } = this.#snapshot;
    this.#snapshotError = error === undefined ? undefined : statusError(error);
  }

  #report(outcome: RefreshEvent['outcome'], startedAt: number): void {
    const { lastError, held } = this.status;
    const error = outcome === 'failed' || outcome === 'held' ? lastError : undefined;
    this.onRefresh?.({
      outcome,
      revision: this.current.engine.revision,
      durationMs: performance.now() - startedAt,
      ...(error !== undefined && { error }),
      ...(outcome === 'held' && held !== undefined && { held }),
    });
  }

  /** Sets the timer of the next refresh, with jitter, and later after failures. */
  #schedule(): void {
    const { refreshMs, source } = this.#options;
    clearTimeout(this.#timer);
    const retryMs = source.watch !== undefined && this.#hasFailed ? RETRY_AFTER : undefined;
    const everyMs = Math.min(refreshMs ?? Number.POSITIVE_INFINITY, retryMs ?? Number.POSITIVE_INFINITY);
    if (everyMs === Number.POSITIVE_INFINITY || this.isClosed) return;
    const backoff = Math.min(8, 2 ** Math.max(0, this.#failures - 1));
    const delay = Math.min(longestTimerMs, everyMs * backoff * (0.9 + 0.2 * Math.random()));
    this.#timer = setTimeout(() => this.refresh().catch(() => {}), delay);
    this.#timer.unref();
  }
}

/** The result of guard and canary. */
interface Taken {
  readonly lost: readonly StoppingGroup[];
  readonly refused: Refused | undefined;
}

const taken: Taken = { lost: [], refused: undefined };
const cannotStop: Refused = { ...nothingRefused, reason: 'nothing in it can stop a message' };
/** The reason of a rule set that the canary held before a restart. */
const heldEarlier: Refused = {
  ...nothingRefused,
  canary: { messages: 0, newlyStopped: 0, released: 0 },
  reason: 'the canary held it back before the restart',
};

function listError({ listId, reason }: MissingList): RuleSetError {
  const detail = `keyword list \`${listId}\` could not be fetched (${reason}); its conditions are not evaluated`;
  return new RuleSetError(detail, { code: 'list-unreachable' });
}

/** Reports whether two rule sets have the same rules, lists and readings. */
function isSame(left: RuleSet, right: RuleSet): boolean {
  const readings = ({ semantics }: RuleSet) => canonicalJson(semantics ?? {});
  return left.revision === right.revision && readings(left) === readings(right);
}

async function compile(ruleSet: RuleSet, options: ResolvedOptions, signal: AbortSignal | undefined): Promise<Loaded> {
  const semantics = resolveSemantics(semanticsOf(ruleSet, options.semantics));
  const { engine, compiled } = await runWithPauses(compileParts(ruleSet, semantics), signal);
  return { ruleSet, semantics, engine, compiled, issues: issuesOf(engine) };
}
