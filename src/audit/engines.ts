/**
 * The engines of a run: one, or several that judge the same messages. Every thread makes its own
 * from plain data.
 */
import { compileEngine, type Engine, type RuleSetInput } from '../engine/engine.js';
import { engineParts } from '../engine/evaluate/engine-parts.js';
import { createPlainTexts, type PlainTexts } from '../engine/evaluate/plain-texts.js';
import { type Semantics, withValue } from '../engine/semantics.js';
import type { AlternativeReading } from './count/platform.js';

/** The engines that judge each message of a run. */
export interface Engines {
  readonly engine: Pick<Engine, 'explain'>;
  /** Recognises messages that are plainly allowed; absent if several engines judge each message. */
  readonly plainTexts?: PlainTexts | undefined;
  /** The engine of the old rules, in a run that compares two rule sets. */
  readonly against?: Pick<Engine, 'explain'> | undefined;
  /**
   * Engines of the same rules, each with one other reading, for a comparison with the decisions of
   * the platform.
   */
  readonly readings?: readonly (AlternativeReading & { readonly engine: Pick<Engine, 'decide'> })[] | undefined;
}

/** The parts from which one engine is made. */
interface EnginePlan {
  readonly ruleSet: RuleSetInput;
  readonly semantics: Partial<Semantics>;
  /** The name of the pattern engine, since the semantics of a plan are plain data. */
  readonly patternEngine?: string | undefined;
}

/** The parts from which the engines of a run are made. */
export interface EnginesPlan extends EnginePlan {
  readonly against?: EnginePlan | undefined;
  readonly readings?: readonly AlternativeReading[] | undefined;
}

/** Engines that were made from a plan. */
export interface OpenEngines extends Engines {
  readonly engine: Engine;
  readonly against: Engine | undefined;
  close(): void;
}

/** Returns a plan as plain data, for threads: the pattern engine is replaced by its name. */
export function plainPlan({ against, readings, ...plan }: EnginesPlan): EnginesPlan {
  const plain = ({ ruleSet, semantics: { engine, ...semantics } }: EnginePlan): EnginePlan => {
    return { ruleSet, semantics, ...(engine && { patternEngine: engine.name }) };
  };
  return { ...plain(plan), ...(against && { against: plain(against) }), readings };
}

/**
 * Makes the engines of a plan. A given engine is used as it is, and is not closed with the others.
 * Rejects with what `compileEngine` throws, after closing what was opened.
 */
export async function openEngines(
  { against, readings = [], ...plan }: EnginesPlan,
  given?: { readonly engine: Engine },
  signal?: AbortSignal,
): Promise<OpenEngines> {
  const opened: Engine[] = [];
  const close = () => {
    for (const engine of opened) engine.close();
  };
  const open = async ({ ruleSet, semantics, patternEngine }: EnginePlan) => {
    const engine = await compileEngine(ruleSet, { ...semantics, ...(await patternsOf(patternEngine)) }, { signal });
    opened.push(engine);
    return engine;
  };
  try {
    const engine = given?.engine ?? (await open(plan));
    const old = against && (await open(against));
    const alternatives: (AlternativeReading & { readonly engine: Engine })[] = [];
    for (const reading of readings) {
      const semantics = withValue(plan.semantics, reading);
      alternatives.push({ ...reading, engine: await open({ ...plan, semantics }) });
    }
    const internals = old === undefined && alternatives.length === 0 ? engine[engineParts]?.() : undefined;
    const plainTexts = internals && createPlainTexts(internals.compiled, internals.semantics);
    return { engine, plainTexts, against: old, ...(alternatives.length > 0 && { readings: alternatives }), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function patternsOf(name: string | undefined): Promise<Partial<Pick<Semantics, 'engine'>>> {
  if (name !== 're2-wasm') return {};
  const { re2wasm } = await import('../engine/re2-wasm.js');
  return { engine: re2wasm };
}
