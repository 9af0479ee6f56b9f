/** The engine: compiles a rule set once, and decides messages by it. */
import { digestInPortions } from '../foundation/digest.js';
import { RuleSetError, UsageError } from '../foundation/errors.js';
import { refuseUnknownOptions } from '../foundation/options.js';
import { type Portions, runAtOnce, runWithPauses } from '../foundation/portions.js';
import type { MessageDraft } from '../platform/contract/message-draft.js';
import type { ListNotice, RuleSet } from '../platform/contract/rule-set.js';
import { compileRuleSet } from './compile/compile-rule-set.js';
import type { CompiledRuleSet } from './compile/compiled-rule-set.js';
import { type EngineReference, type EngineRule, referencesOf, runningRulesOf } from './compile/contents.js';
import { rejectedException } from './compile/exceptions.js';
import { type Issue, leavesOut } from './compile/issue.js';
import { operands, type ScoredOperand } from './compile/operands.js';
import { asFields, asList, asString } from './compile/untrusted.js';
import type { Decision, ExceptionSource, Verdict } from './evaluate/decision.js';
import { type EngineParts, engineParts } from './evaluate/engine-parts.js';
import { createEvaluator, sourceOf } from './evaluate/evaluator.js';
import type { ScoreRequest } from './evaluate/score-requests.js';
import type { Scores } from './evaluate/scores.js';
import { resolveSemantics, type Semantics, semanticsOf } from './semantics.js';

/**
 * A compiled rule set that evaluates messages, made by `createEngine`. Synchronous; keeps no state
 * between messages.
 */
export interface Engine {
  /**
   * The verdict alone, faster than `explain`. A message is a text, or an object with its text at
   * `data.text`; `scores` are those of its text and files. Throws `UsageError` for what is neither:
   * no object, one without `data`, `category` and `type` of media, or one whose text stands at
   * `text`.
   *
   * @example With the engine of the example of `createEngine`:
   * ```ts
   * engine.decide('Buy now!'); // 'blockMessage'
   * engine.decide({ sender: 'ana', data: { text: 'hello' } }); // 'allow'
   * engine.decide({ type: 'image' }, [{ operand: 'image', labels: { violence: 87 } }]); // 'dropMessage'
   * ```
   */
  decide(message: string | MessageDraft, scores?: readonly Scores[]): Verdict;
  /**
   * The verdict, always the one of `decide`, with the rules, conditions and matches that it rests
   * on. Throws as `decide` does.
   *
   * @example With the engine of the example of `createEngine`:
   * ```ts
   * const { verdict, matched } = engine.explain('Oh, BUY now!');
   * verdict; // 'blockMessage'
   * matched[0]?.ruleId; // 'scams'
   * const match = matched[0]?.conditions[0]?.matches[0];
   * match; // { kind: 'word', path: 'data.text', span: { start: 4, end: 11 }, text: 'BUY now', term: 'buy now' }
   * ```
   */
  explain(message: string | MessageDraft, scores?: readonly Scores[]): Decision;
  /** The defects of the rule set, in the order of lists, rules and conditions. */
  readonly issues: readonly Issue[];
  /**
   * Digest of the canonical rule set and semantics: engines of equal revision give equal decisions.
   */
  readonly revision: string;
  /**
   * Returns what to request of a scorer: the text and the files of the message, 20 at most, that
   * `scores` lacks and that could still change its verdict; with `all`, each that conditions of
   * running rules need. Nothing for an exempt message. Throws as `decide` does.
   */
  scoreRequests(
    message: string | MessageDraft,
    scores?: readonly Scores[],
    options?: { readonly all?: boolean | undefined },
  ): readonly ScoreRequest[];
  /** The operands that running rules need scores of. */
  readonly scoredOperands: readonly ScoredOperand[];
  /** The size of the compiled rule set. */
  readonly counts: EngineCounts;
  /** Reports whether the rule set has a rule of this id, running or not. */
  hasRule(ruleId: string): boolean;
  /** Reports whether a rule of the rule set has this action, running or not. */
  hasAction(action: string): boolean;
  /** Returns the rules that run, by the reading `runs`, in the order of the rule set. */
  runningRules(): Iterable<EngineRule>;
  /**
   * Returns the terms and patterns that the conditions of running rules look for, each as its
   * matches name it, in the order of the conditions. Left out are those that were rejected, and
   * terms that differ by case alone from one before them of the same condition and list.
   */
  references(): Iterable<EngineReference>;
  /**
   * Returns the terms and patterns of the reading `exceptions`, each as decisions name it, in the
   * order of the reading.
   */
  exceptions(): Iterable<ExceptionSource>;
  /** Frees what garbage collection cannot. The engine must not be used afterwards. */
  close(): void;
  /** The parts that `undecidedRules` of `evaluate/undecided-rules.ts` reads. */
  [engineParts]?(): EngineParts;
}

/** Sizes of a compiled rule set. */
export interface EngineCounts {
  /** Rules in the rule set, and how many of them run. */
  readonly rules: number;
  readonly running: number;
  readonly conditions: number;
  readonly lists: number;
  /** Terms that differ once folded, those of exceptions included. */
  readonly terms: number;
  readonly patterns: number;
  /** Terms and patterns of exceptions. */
  readonly exceptions: number;
}

/**
 * The input of `createEngine`: rules with their keyword lists, written by hand, read from a file,
 * or fetched by `loadRuleSet`.
 */
export type RuleSetInput = Pick<RuleSet, 'rules' | 'lists'> & Partial<RuleSet>;

/**
 * Compiles rules and keyword lists (§2.5, §2.6) into an engine that evaluates messages. `semantics`
 * are readings other than the defaults, see `Semantics`; they go before those that the rule set
 * brings, one by one. Broken rules are issues; throws `RuleSetError` only when the value is not a
 * rule set, when the readings that it brings are wrong, or when something is broken and
 * `broken: 'fail'` holds, and `UsageError` for unknown semantics.
 *
 * @example
 * ```ts
 * const engine = createEngine({
 *   rules: [
 *     { id: 'scams', action: 'blockMessage', conditions: [{ operand: 'text', value: ['buy now', 'free money'] }] },
 *     { id: 'fights', action: 'dropMessage', conditions: [{ operand: 'image', value: 'violence_greaterThan_80' }] },
 *   ],
 *   lists: [],
 * });
 * engine.issues; // []
 * engine.decide('Buy now!'); // 'blockMessage'
 * ```
 */
export function createEngine(ruleSet: RuleSetInput, semantics?: Partial<Semantics>): Engine {
  return runAtOnce(compileParts(ruleSet, resolveSemantics(semanticsOf(ruleSet, semantics)))).engine;
}

/** Options of `compileEngine`. */
export interface CompileOptions {
  /** Once it is aborted, compilation ends at the next pause. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * `createEngine` with pauses: every 8 ms of compilation or so the event loop runs, however large
 * the rule set, so that a process that answers requests goes on answering while it compiles. The
 * engine is the same. The rule set must not be changed until it is there. Rejects with what
 * `createEngine` throws, with `UsageError` for unknown options, or with the reason of `signal`.
 */
export async function compileEngine(
  ruleSet: RuleSetInput,
  semantics?: Partial<Semantics>,
  options: CompileOptions = {},
): Promise<Engine> {
  refuseUnknownOptions('`compileEngine`', options, ['signal'] satisfies (keyof CompileOptions)[]);
  const work = compileParts(ruleSet, resolveSemantics(semanticsOf(ruleSet, semantics)));
  return (await runWithPauses(work, options.signal)).engine;
}

/**
 * Makes an engine in portions, and returns it with its compiled rule set. Throws what
 * `createEngine` throws.
 */
export function* compileParts(
  ruleSet: RuleSetInput,
  semantics: Semantics,
): Portions<{ readonly engine: Engine; readonly compiled: CompiledRuleSet }> {
  const { rules, lists, missing, notices } = readParts(ruleSet);
  const compiled = yield* compileRuleSet({ rules, lists, missing, notices }, semantics);
  let engine: Engine | undefined;
  try {
    yield* refuseExceptions(ruleSet, semantics, compiled.exceptions?.refused);
    if (semantics.broken === 'fail') refuseBroken(compiled);
    const revision = yield* identify({ rules, lists, semantics: describe(semantics), edition });
    engine = toEngine(compiled, { rules, lists }, semantics, revision);
    return { engine, compiled };
  } finally {
    if (engine === undefined) closePatterns(compiled);
  }
}

/**
 * Refuses a rejected pattern of the reading `exceptions`: with a `RuleSetError` if it comes with
 * the rules, even if an argument overrides it.
 */
function* refuseExceptions(
  { semantics: ruleSemantics }: RuleSetInput,
  semantics: Semantics,
  refused: string | undefined,
): Portions<void> {
  const written = (ruleSemantics as Partial<Semantics> | undefined)?.exceptions ?? [];
  const isOwn = written === semantics.exceptions;
  if (refused !== undefined && !isOwn) throw new UsageError(`reading \`exceptions\`: ${refused}`);
  const fault = isOwn ? refused : yield* rejectedException(written, semantics);
  if (fault !== undefined) throw new RuleSetError(`\`semantics\` of the rule set: reading \`exceptions\`: ${fault}`);
}

function toEngine(
  compiled: CompiledRuleSet,
  given: { readonly rules: readonly unknown[]; readonly lists: readonly unknown[] },
  semantics: Semantics,
  revision: string,
): Engine {
  const evaluator = createEvaluator(compiled, semantics, revision);
  const ruleIds = new Set(given.rules.map((rule) => asString(asFields(rule)?.id)));
  const actions = new Set(given.rules.flatMap((rule) => asList(asFields(rule)?.action)));
  return {
    decide: evaluator.decide,
    explain: evaluator.explain,
    scoreRequests: (message, scores, options = {}) => {
      refuseUnknownOptions('`scoreRequests`', options, ['all']);
      return evaluator.scoreRequests(message, scores, options.all === true);
    },
    issues: compiled.issues,
    revision,
    counts: {
      rules: given.rules.length,
      running: compiled.rules.length,
      conditions: compiled.conditions.length,
      lists: given.lists.length,
      terms: compiled.words.distinct,
      patterns: compiled.patterns.count,
      exceptions: compiled.exceptions?.entries.length ?? 0,
    },
    scoredOperands: scoredOperandsOf(compiled),
    hasRule: (ruleId) => ruleIds.has(ruleId),
    hasAction: (action) => actions.has(action),
    runningRules: () => runningRulesOf(compiled),
    references: () => referencesOf(compiled),
    exceptions: () => exceptionsOf(compiled),
    close: () => closePatterns(compiled),
    [engineParts]: () => ({ compiled, semantics }),
  };
}

function scoredOperandsOf({ conditions, scoredConditions }: CompiledRuleSet): readonly ScoredOperand[] {
  const scored = new Set(scoredConditions.map((index) => conditions[index]!.operand));
  return operands.filter((operand) => scored.has(operand));
}

/**
 * Yields each exception once, also one that occurs in several places or applies to several rules.
 */
function* exceptionsOf({ exceptions }: CompiledRuleSet): Generator<ExceptionSource> {
  const seen = new Set<string>();
  for (const entry of exceptions?.entries ?? []) {
    const key = JSON.stringify(sourceOf(entry));
    if (seen.has(key)) continue;
    seen.add(key);
    yield sourceOf(entry);
  }
}

function closePatterns({ patterns, exceptions }: CompiledRuleSet): void {
  patterns.set?.close();
  exceptions?.patterns?.set.close();
}

function readParts(ruleSet: unknown) {
  const fields = asFields(ruleSet);
  if (fields === undefined) throw new RuleSetError('a rule set must be an object { rules, lists }');
  const { rules, lists = [], missing = [], notices } = fields;
  if (!Array.isArray(rules)) throw new RuleSetError('a rule set must have an array of `rules`');
  if (!Array.isArray(lists)) throw new RuleSetError('`lists` of a rule set must be an array');
  const reasons = new Map<string, string>();
  for (const entry of Array.isArray(missing) ? missing : []) {
    const listId = asString(asFields(entry)?.listId);
    const reason = asString(asFields(entry)?.reason);
    if (listId !== undefined && reason !== undefined) reasons.set(listId, reason);
  }
  const noticed = asList(notices).flatMap((notice): ListNotice[] => {
    const { code, listId, detail } = asFields(notice) ?? {};
    if (typeof listId !== 'string' || typeof detail !== 'string') return [];
    return [{ code: code === 'duplicate-list' ? code : 'unread-line', listId, detail }];
  });
  return { rules: rules as readonly unknown[], lists: lists as readonly unknown[], missing: reasons, notices: noticed };
}

function refuseBroken({ issues }: CompiledRuleSet): void {
  const errors = issues.filter(leavesOut);
  const first = errors[0];
  if (first === undefined) return;
  const location = [first.ruleId && `rule \`${first.ruleId}\``, first.listId && `list \`${first.listId}\``]
    .filter(Boolean)
    .join(', ');
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  throw new RuleSetError(
    `${location === '' ? '' : `${location}: `}${first.code}: ${first.detail}${more}; fix it, or set \`broken\` to skip`,
  );
}

/**
 * A part of every revision, raised when equal rules and readings come to mean something else:
 * engines of equal revision give equal decisions, also those of two versions.
 */
const edition = 5;

/** Returns the digest of the engine's input, which must be plain JSON. */
function* identify(value: unknown): Portions<string> {
  try {
    return yield* digestInPortions(value);
  } catch (error) {
    throw new RuleSetError('a rule set must be plain JSON: it holds a cycle, or a value that JSON cannot write', {
      cause: error,
    });
  }
}

/** Returns semantics as plain data. Functions have no digest, so each is named as one. */
function describe(semantics: Semantics): unknown {
  const { engine, ...readings } = semantics;
  const plain = Object.entries(readings).map(([name, value]) => [
    name,
    typeof value === 'function' ? 'function' : value,
  ]);
  return { ...Object.fromEntries(plain), engine: engine.name };
}
