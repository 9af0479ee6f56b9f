/**
 * The rules of a moderator: the engine in use, how current it is, and the refreshes that replace it. A rule set is fetched,
 * judged by the guard, compiled, and only then swapped in by one assignment, so that a decision is wholly of one rule set.
 */
import type { RuleSet } from '../contract/rule-set.js';
import { canonicalJson } from '../digest.js';
import { compileEngine, type Engine } from '../engine.js';
import { addToFact, RuleSetError, SluiceError, TimeoutError, UsageError } from '../errors.js';
import { loadRuleSet } from '../loader/load-rule-set.js';
import { lostLists } from '../loader/missing-lists.js';
import { exceptionLists } from '../semantics.js';
import type { Canary, CanaryFinding } from './canary.js';
import { type HeldRuleSet, nothingLost, type Refused, refusedBy, refuseIncomplete, usualAcceptAfter } from './guard.js';
import { longestDelay, type ResolvedOptions } from './options.js';
import { countsOf, LargestCounts } from './rule-set-counts.js';
import { Snapshot } from './snapshot.js';
import { type ModeratorStatus, type RefreshEvent, type StatusError, statusError } from './status.js';

interface Loaded {
  readonly ruleSet: RuleSet;
  readonly engine: Engine;
}

/** A held rule set with its further appearances. */
interface Holding {
  readonly ruleSet: RuleSet;
  readonly refused: Refused;
  readonly since: number;
  /** What a further appearance must be equal in. */
  readonly key: string;
  remaining: number;
}

/** Milliseconds until rules of a source that says when it changes are loaded again after a failure; longer after several. */
const RETRY_AFTER = 1_000;

/** See the head of the file. Made by `LiveRules.start`. */
export class LiveRules {
  current: Loaded;
  onRefresh: ((event: RefreshEvent) => void) | undefined;
  readonly #options: ResolvedOptions;
  readonly #snapshot: Snapshot;
  /** What the guard counts from besides the rule set in use. */
  readonly #largest: LargestCounts;
  readonly #closing = new AbortController();
  #origin: ModeratorStatus['origin'] = 'source';
  /** The last confirmation by both clocks: the wall clock may be set, the other stands still while a machine sleeps. */
  #confirmed = { wall: Date.now(), steady: performance.now() };
  #failures = 0;
  #error: StatusError | undefined;
  #snapshotError: StatusError | undefined;
  #holding: Holding | undefined;
  #underway: Promise<boolean> | undefined;
  /** The source says that it changed after the last load began. */
  #isOutdated = false;
  /** The last load gave nothing; one that lacks lists gave what there is. */
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: ResolvedOptions, snapshot: Snapshot, largest: LargestCounts, current: Loaded) {
    this.#options = options;
    this.#snapshot = snapshot;
    this.#largest = largest;
    this.current = current;
  }

  /** The first rules: those of the source when they lose nothing that the snapshot has, else those of the snapshot. */
  static async start(options: ResolvedOptions): Promise<LiveRules> {
    const { snapshotFile, guard, signal } = options;
    const snapshot = new Snapshot(snapshotFile, options.source.id);
    const saved = await snapshot.read();
    const largest = new LargestCounts(saved?.largest);
    let failure: unknown;
    let heldBack: { readonly ruleSet: RuleSet; readonly refused: Refused } | undefined;
    try {
      const ruleSet = await fetchRules(options, signal);
      refuseIncomplete(ruleSet, saved?.ruleSet, guard);
      const refused = saved && judge(saved.ruleSet, ruleSet, largest, options);
      if (saved === undefined || refused === undefined) {
        const rules = new LiveRules(options, snapshot, largest, await compile(ruleSet, options, signal));
        if (saved !== undefined) rules.#remember(saved.ruleSet);
        await rules.#confirm();
        rules.#begin();
        return rules;
      }
      heldBack = { ruleSet, refused };
    } catch (error) {
      if (signal?.aborted === true) throw error;
      if (saved === undefined) throw withSnapshot(error, snapshot);
      failure = error;
    }
    const rules = new LiveRules(options, snapshot, largest, await compile(saved.ruleSet, options, signal));
    rules.#origin = 'snapshot';
    const elapsed = Math.max(0, Date.now() - saved.confirmedAt);
    rules.#confirmed = { wall: saved.confirmedAt, steady: performance.now() - elapsed };
    rules.#hasFailed = heldBack === undefined;
    if (heldBack === undefined) rules.#fail(failure);
    else rules.#hold(heldBack.ruleSet, heldBack.refused);
    rules.#begin();
    return rules;
  }

  /** Milliseconds since the rules in use were confirmed. */
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
    return {
      state: this.isClosed ? 'closed' : isFresh ? 'fresh' : 'stale',
      origin: this.#origin,
      ageMs,
      ...(expired && { expired }),
      ...(this.#origin === 'source' && { confirmedAt: this.#confirmed.wall }),
      ...(this.#holding !== undefined && { held: heldOf(this.#holding) }),
      failures: this.#failures,
      ...(lastError !== undefined && { lastError }),
      ...(this.#snapshotError !== undefined && { snapshotError: this.#snapshotError }),
    };
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Fetches and takes the rules; overlapping calls share one refresh. Resolves to whether the rules changed. */
  refresh(): Promise<boolean> {
    return this.#alone(() => this.#refresh());
  }

  /** Takes the held rule set; resolves to whether there was one. */
  async accept(): Promise<boolean> {
    while (this.#underway !== undefined) await this.#underway.catch(() => {});
    if (this.#holding === undefined) return false;
    const { ruleSet, refused } = this.#holding;
    return this.#alone(async () => {
      const startedAt = performance.now();
      await this.#take(ruleSet, refused);
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

  /** From now on the rules follow their source. */
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
      const { guard, canary } = this.#options;
      this.#isOutdated = false;
      const ruleSet = await fetchRules(this.#options, this.#closing.signal);
      const before = this.current.ruleSet;
      refuseIncomplete(ruleSet, before, guard);
      const refused = judge(before, ruleSet, this.#largest, this.#options);
      // A canary says what else there is against it, for which it has to be compiled.
      const isHeld = canary === undefined && refused !== undefined && this.#hold(ruleSet, refused);
      const outcome = isHeld ? 'held' : await this.#take(ruleSet, refused, canary);
      if (outcome === 'held') await this.#save();
      this.#hasFailed = false;
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

  /**
   * Compiles a rule set unless it is the one in use, swaps it in, and saves it. `refused` is what the guard has against it: where there is a
   * `canary`, that and what the canary has against it may hold it back, else it is accepted. What is lost and accepted is not looked for again.
   */
  async #take(ruleSet: RuleSet, refused?: Refused, canary?: Canary): Promise<'changed' | 'unchanged' | 'held'> {
    const { engine, ruleSet: before } = this.current;
    const readings = ({ semantics }: RuleSet) => canonicalJson(semantics ?? {});
    const changed = ruleSet.revision !== before.revision || readings(ruleSet) !== readings(before);
    const next = changed ? await compile(ruleSet, this.#options, this.#closing.signal) : { ruleSet, engine };
    try {
      const { signal } = this.#closing;
      const doubt = changed ? await canary?.judge(engine, next.engine, signal) : undefined;
      signal.throwIfAborted();
      const against = doubt === undefined ? refused : withDoubt(refused ?? nothingLost(before), doubt);
      if (canary !== undefined && against !== undefined && this.#hold(ruleSet, against)) return 'held';
      this.current = next;
    } finally {
      if (changed) (this.current === next ? engine : next.engine).close();
    }
    if (refused?.losesTooMuch === true) this.#largest.clear();
    else if (changed) this.#remember(before);
    await this.#confirm();
    return changed ? 'changed' : 'unchanged';
  }

  /** From now on the guard counts from the rule set before the one in use as well. */
  #remember(before: RuleSet): void {
    const { guard } = this.#options;
    // Where any loss is let pass but a whole one, sets of one day would add up without end.
    if (guard === 'off' || guard.maxLoss === 1) this.#largest.clear();
    else this.#largest.follow(countsOf(before), countsOf(this.current.ruleSet), Date.now());
  }

  /** The rule set in use is the one of the source, but for lists that could not be fetched and never were. */
  async #confirm(): Promise<void> {
    this.#origin = 'source';
    this.#confirmed = { wall: Date.now(), steady: performance.now() };
    this.#holding = undefined;
    this.#failures = 0;
    this.#error = undefined;
    const [absent] = lostLists(this.current.ruleSet);
    if (absent === undefined) return this.#save();
    const detail = `keyword list \`${absent.listId}\` could not be fetched (${absent.reason}); its conditions are not evaluated`;
    this.#fail(withSnapshot(new RuleSetError(detail, { code: 'list-unreachable' }), this.#snapshot));
  }

  /** Keeps the snapshot: written when its content is another, confirmed when it is not, tried again after a failure. */
  async #save(): Promise<void> {
    const { ruleSet } = this.current;
    if (this.#origin === 'snapshot' || lostLists(ruleSet).length > 0) return;
    await this.#snapshot.keep({ ruleSet, largest: this.#largest.toJSON(), confirmedAt: this.#confirmed.wall });
    const { error } = this.#snapshot;
    this.#snapshotError = error === undefined ? undefined : statusError(error);
  }

  #fail(error: unknown): void {
    this.#failures++;
    this.#error = statusError(error);
    if (this.#holding !== undefined) this.#holding.remaining = acceptAfter(this.#options);
  }

  /** Holds a rule set back, and says whether it still is: after enough refreshes in a row with the same loss it is not. */
  #hold(ruleSet: RuleSet, refused: Refused): boolean {
    const { loss, readings, reason, canary } = refused;
    const key = canonicalJson({ loss, readings, ...(canary && { revision: ruleSet.revision }) });
    const known = this.#holding?.key === key ? this.#holding : undefined;
    const remaining = known === undefined ? acceptAfter(this.#options) : known.remaining - 1;
    if (remaining <= 0) return false;
    this.#holding = { ruleSet, refused, since: known?.since ?? Date.now(), key, remaining };
    this.#failures = 0;
    this.#error = { code: 'held', message: `a rule set was held back: ${reason}`, at: Date.now() };
    return true;
  }

  /** Sets the timer of the next refresh: jittered, and later after failures. */
  #schedule(): void {
    const { refreshMs, source } = this.#options;
    clearTimeout(this.#timer);
    const retryMs = source.watch !== undefined && this.#hasFailed ? RETRY_AFTER : undefined;
    const everyMs = Math.min(refreshMs ?? Number.POSITIVE_INFINITY, retryMs ?? Number.POSITIVE_INFINITY);
    if (everyMs === Number.POSITIVE_INFINITY || this.isClosed) return;
    const backoff = Math.min(8, 2 ** Math.max(0, this.#failures - 1));
    const delay = Math.min(longestDelay, everyMs * backoff * (0.9 + 0.2 * Math.random()));
    this.#timer = setTimeout(() => this.refresh().catch(() => {}), delay);
    this.#timer.unref();
  }
}

/** Why there are no such rules as there should be, and why the snapshot has no others, where that could not be read. */
function withSnapshot(error: unknown, { unread }: Snapshot): unknown {
  return unread !== undefined && error instanceof SluiceError ? addToFact(error, `; ${unread}`) : error;
}

function acceptAfter({ guard }: ResolvedOptions): number {
  return guard === 'off' ? usualAcceptAfter : guard.acceptAfter;
}

function heldOf({ ruleSet, refused: { losesTooMuch: _, ...refused }, since, remaining }: Holding): HeldRuleSet {
  return { revision: ruleSet.revision, ...refused, since, remaining };
}

/** What the guard and the canary have against a rule set. */
function withDoubt(refused: Refused, { reason, canary }: CanaryFinding): Refused {
  return { ...refused, canary, reason: [refused.reason, reason].filter((words) => words !== '').join(', ') };
}

/** Why the guard does not let a fetched rule set pass, where there is one. */
function judge(
  inUse: RuleSet,
  after: RuleSet,
  largest: LargestCounts,
  { guard, semantics }: ResolvedOptions,
): Refused | undefined {
  return guard === 'off' ? undefined : refusedBy(guard, inUse, after, largest, semantics);
}

async function compile(
  ruleSet: RuleSet,
  { semantics }: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<Loaded> {
  return { ruleSet, engine: await compileEngine(ruleSet, semantics, { signal }) };
}

/** Loads the rules before the deadline; rejects on time also when the source does not observe its signal. */
async function fetchRules(
  { source, startMs, semantics }: ResolvedOptions,
  signal: AbortSignal | undefined,
): Promise<RuleSet> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new TimeoutError('loading the rules', startMs)), startMs);
  const either = signal === undefined ? deadline.signal : AbortSignal.any([signal, deadline.signal]);
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(either.reason);
    either.addEventListener('abort', onAbort);
  });
  try {
    either.throwIfAborted();
    return await Promise.race([loadRuleSet(source, { signal: either, lists: exceptionLists(semantics) }), aborted]);
  } finally {
    clearTimeout(timer);
    either.removeEventListener('abort', onAbort);
  }
}
