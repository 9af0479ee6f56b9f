import { setImmediate as nextTask } from 'node:timers/promises';
import { errorsOf } from '../../engine/compile/issue.js';
import type { Engine } from '../../engine/engine.js';
import { RuleSetError, UsageError } from '../../foundation/errors.js';
import { withFileErrors } from '../../foundation/files/file-reason.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { replaceFile } from '../../foundation/files/replace-file.js';
import { nearestNames } from '../../foundation/nearest-names.js';
import { caseOf } from '../../review/cases/new-case.js';
import { type DisguiseKind, disguiseKinds } from '../../review/evade/kinds.js';
import {
  type EvadedList,
  type EvadeReading,
  type EvadeRow,
  evadeReadings,
  prepareEvasion,
  sentenceOf,
  sharesOf,
} from '../../review/evade/measure.js';
import { stoppedCounting } from '../../review/evade/stopped-counts.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { printResult } from '../document/print.js';
import { type EvadeReport, type EvadeTotal, evadeScreen } from '../evade/screen.js';
import { commonExits, exitCode } from '../exit-code.js';
import { messagesFileOption } from '../message-columns.js';
import { type MessageInput, planMessages, withMessages } from '../message-source.js';
import { printErrors } from '../rule-errors.js';
import { countMessages, readRowOptions, runOptions } from '../run-messages.js';
import { type EngineInput, engineOptions, planRules, rulesOptions, withEngine } from '../sources.js';
import { counted } from '../terminal/text.js';

const options = {
  ...optionGroup('what to disguise', {
    list: {
      type: 'string',
      multiple: true,
      value: 'ID',
      help: 'only terms of this keyword list; may be given several times',
    },
    kinds: { type: 'string', value: 'KIND,…', help: 'only these kinds of disguises; --verbose says what each does' },
    seed: { type: 'string', integer: {}, help: 'another seed makes other disguises (1)' },
  }),
  ...rulesOptions,
  ...messagesFileOption,
  ...engineOptions,
  ...runOptions,
  ...optionGroup('what to print and keep', {
    out: {
      type: 'string',
      value: 'FILE',
      writes: 'whole',
      help: 'write what passed as golden cases with `todo`',
    },
    force: { type: 'boolean', needs: ['out'], help: 'replace the file, whatever it holds' },
    json: { type: 'boolean', help: 'print everything as JSON, by kind and list' },
    verbose: { type: 'boolean', help: 'show each list by itself, and what each kind does' },
    quiet: { type: 'boolean', help: 'print errors only, and the JSON of --json' },
  }),
};

type Values = OptionValues<typeof options>;

/** `sluice evade`: which disguises of the terms get through. */
export const evadeCommand: Command<typeof options> = {
  name: 'evade',
  summary: 'disguise the terms of the rules, and count what is still found',
  description:
    'Makes disguises of the terms that running rules look for, kind by kind, puts each into a sentence, and counts those that are ' +
    'still found, by the readings in use and by each other folding. A disguise is found where a rule that looks for its term ' +
    'matches within it. With --messages, of clean talk, counts what each reading stops of that. The same seed, rules and ' +
    'messages give the same bytes.',
  examples: [
    'sluice evade --demo',
    'sluice evade --rules rules.json --list slurs --kinds leet,masked --verbose',
    'sluice evade --rules rules.json --messages clean.ndjson --json',
    'sluice evade --rules rules.json --out evasions.ndjson',
  ],
  options,
  exits: { done: 'it was measured, whatever gets through', ...commonExits },
  run,
};

/** Most disguises of each kind and list. */
const perKind = 200;

/** The choice of what is measured. */
interface EvadePlan {
  readonly kinds: readonly DisguiseKind[];
  readonly lists: readonly string[] | undefined;
  readonly seed: number;
}

async function run(values: Values, context: RunContext): Promise<number> {
  readRowOptions(values, values.messages !== undefined);
  const plan: EvadePlan = {
    kinds: values.kinds === undefined ? disguiseKinds : kindsNamed(values.kinds.split(',')),
    lists: values.list,
    seed: values.seed ?? 1,
  };
  if (values.messages !== undefined) {
    return withMessages(planMessages(values, context.env), values, context, (input) =>
      evade(plan, input, values, context, input),
    );
  }
  return withEngine(planRules(values, context.env), values, context, (input) => evade(plan, input, values, context));
}

function kindsNamed(names: readonly string[]): DisguiseKind[] {
  const known = disguiseKinds.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return disguiseKinds.filter(({ name }) => names.includes(name));
  const [near] = nearestNames(unknown, known);
  throw new UsageError(`\`--kinds\`: ${near ? `did you mean \`${near}\`?` : `there are ${known.join(', ')}`}`);
}

async function evade(plan: EvadePlan, input: EngineInput, values: Values, context: RunContext, talk?: MessageInput) {
  await printErrors(context, errorsOf(input.engine));
  const readings = evadeReadings(input.semantics);
  const messages = talk && (await countStopped(talk, readings, values, context));
  const evasion = prepareEvasion(input.ruleSet, readings);
  const lists = listsNamed(evasion.lists, plan.lists);
  const cases = values.out === undefined ? undefined : await openCases(values.out, input.engine);
  const rows: EvadeReport['rows'][number][] = [];
  try {
    await context.reporter.step('looking for disguises');
    for (const kind of plan.kinds) {
      for (const list of lists) {
        await nextTask();
        context.interrupted.throwIfAborted();
        const { passed, ...row } = evasion.measure(kind, list, plan.seed, perKind);
        rows.push(row);
        await cases?.add(kind.name, passed);
      }
    }
    const report: EvadeReport = {
      seed: plan.seed,
      perKind,
      lists: lists.map(({ listId, terms, unfound }) => ({ listId, terms: terms.length, unfound })),
      kinds: plan.kinds.map(({ name, does }) => totalOf(name, does, rows, readings)),
      rows,
      ...(messages && { messages }),
    };
    context.reporter.end();
    await printResult(context, values, report, evadeScreen(report, values.verbose === true));
    if (cases !== undefined)
      await context.reporter.note(`wrote ${counted(await cases.commit(), 'case')} to ${values.out}`);
    return exitCode.done;
  } finally {
    evasion.close();
    await cases?.discard();
  }
}

/** Throws `UsageError` for a list without terms that running rules look for, and `RuleSetError` if there is not any term. */
function listsNamed(lists: readonly EvadedList[], named: readonly string[] | undefined): readonly EvadedList[] {
  if (lists.length === 0)
    throw new RuleSetError('no running rule looks for terms, so that there is nothing to disguise');
  if (named === undefined) return lists;
  const known = lists.flatMap(({ listId }) => listId ?? []);
  const unknown = named.find((id) => !known.includes(id));
  if (unknown === undefined) return lists.filter(({ listId }) => listId !== null && named.includes(listId));
  const [near] = nearestNames(unknown, known);
  const hint = near === undefined ? `there are ${known.slice(0, 20).join(', ')}` : `did you mean \`${near}\`?`;
  throw new UsageError(`\`--list\` must be the id of a list of terms that running rules look for; ${hint}`);
}

/** Returns the rows of a kind added up. */
function totalOf(kind: string, does: string, all: EvadeReport['rows'], readings: readonly EvadeReading[]): EvadeTotal {
  const rows = all.filter((row) => row.kind === kind);
  const sum = (count: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + count(row), 0);
  const made = sum((row) => row.made);
  const counts = readings.map((_, at) => sum(({ found }) => found[at]!.count));
  const tried = { terms: sum(({ terms }) => terms), leftOut: sum(({ leftOut }) => leftOut) };
  return { kind, does, ...tried, made, found: sharesOf(readings, counts, made) };
}

/** Resolves to how many messages are stopped, by the rules as they are. */
async function countStopped(
  input: MessageInput,
  readings: readonly EvadeReading[],
  values: Values,
  context: RunContext,
): Promise<EvadeReport['messages']> {
  const others = readings.slice(1).map(({ folding }) => ({ reading: 'folding', value: folding }) as const);
  const how = { counting: stoppedCounting(), readings: others, ...readRowOptions(values, true) };
  const { judged, stopped } = await countMessages(input, how, context);
  const counts = readings.map((_, at) => stopped[at] ?? 0);
  return { judged, stopped: sharesOf(readings, counts, judged) };
}

/** The file of golden cases: the disguise in a sentence, with what the engine decides about the same sentence with the plain term. */
async function openCases(path: string, engine: Engine) {
  const writing = <Result>(work: () => Promise<Result>) => withFileErrors('write', path, work);
  const file = await writing(() => replaceFile(path, { mode: 0o600 }));
  let count = 0;
  return {
    commit: async () => {
      await writing(() => file.commit());
      return count;
    },
    discard: () => file.discard(),
    add(kind: string, passed: EvadeRow['passed']) {
      const lines = passed.flatMap(({ term, disguise }) => {
        const decision = engine.explain(sentenceOf(term));
        // The rule is for some senders alone, or for messages of another category.
        if (decision.matched.length === 0) return [];
        count += 1;
        const message = { data: { text: sentenceOf(disguise) } };
        const expected = caseOf({ message, media: [], decision, name: `${count}: ${kind}, ${term}` }, count);
        return [ndjsonLine({ ...expected, todo: true })];
      });
      return writing(() => file.append(lines.join('')));
    },
  };
}
