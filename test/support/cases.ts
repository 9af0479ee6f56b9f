/** The cases of fixtures/cases: plain JSON, so that another implementation can run them too. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Condition, KeywordList, MessageDraft, RuleSetInput, Scores, Semantics } from '../../src/index.js';

/**
 * What a match is expected to be; only what is written is compared. Paths default to `data.text`.
 */
export interface ExpectedMatch {
  readonly path?: string;
  readonly span?: readonly [start: number, end: number];
  readonly text?: string;
  readonly term?: string;
  readonly pattern?: string;
  readonly label?: string;
  readonly score?: number;
  readonly threshold?: { readonly label: string; readonly greaterThan: number };
  readonly listId?: string;
  /** Under `folding: 'hardened'`; empty when case alone made text and term equal. */
  readonly transforms?: readonly string[];
}

/** An excepted match; only what is written is compared. */
export interface ExpectedException {
  readonly text: string;
  readonly term?: string;
  readonly pattern?: string;
  readonly listId?: string;
}

export interface Case {
  /** Numbered with gaps, so that cases can be put between. */
  readonly name: string;
  /** Section of the interface document, or reading of the semantics, that the case settles. */
  readonly spec: string;
  readonly semantics?: Partial<Semantics>;
  /** A rule set, or the name of one of the file's `ruleSets`. */
  readonly ruleSet?: RuleSetInput | string;
  /**
   * In place of a rule set: the one condition of one rule `r` that blocks, over the file's `lists`.
   * What it does not say is `{ "id": 1, "operand": "text", "category": "word", "operator":
   * "contains" }`.
   */
  readonly condition?: Condition;
  readonly message: string | MessageDraft;
  readonly media?: readonly Scores[];
  /** Absent only where the message is refused. */
  readonly verdict: string;
  /** It is not a message: `decide` and `explain` throw. */
  readonly refused?: boolean;
  /** Every match of every matched rule, in order. Absent: not compared. */
  readonly matches?: readonly ExpectedMatch[];
  /** Ids of matched rules, determining ones first. */
  readonly matched?: readonly string[];
  /** Ids of the rules that the verdict rests on. */
  readonly restsOn?: readonly string[];
  readonly actions?: readonly string[];
  /** `rule#condition why`. Absent: nothing is unevaluated. */
  readonly unevaluated?: readonly string[];
  /** Codes of the engine's issues, in order. Absent: there are none. */
  readonly issues?: readonly string[];
  readonly exempt?: boolean;
  /**
   * Every excepted match, in order: its text and what excepted it, as much as is written. Absent:
   * not compared.
   */
  readonly excepted?: readonly ExpectedException[];
  /** Evaluators that cannot run it, each with the reason. */
  readonly skip?: Readonly<Partial<Record<'oracle' | 're2js' | 're2-wasm', string>>>;
  /** It is not answered so yet. */
  readonly todo?: boolean;
}

interface CaseFile {
  readonly file: string;
  readonly about: string;
  readonly ruleSets?: Readonly<Record<string, RuleSetInput>>;
  /** What the conditions of cases without a rule set of their own may refer to. */
  readonly lists?: readonly KeywordList[];
  /** Readings of all cases; a case has others over them. */
  readonly semantics?: Partial<Semantics>;
  readonly cases: readonly Case[];
  /** The cases that are not answered as they should be. */
  readonly todos: readonly Case[];
}

const folder = new URL('../../fixtures/cases/', import.meta.url);

/** Every case file, in the order of their names. */
export function readCaseFiles(): CaseFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((file) => {
      const read = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as CaseFile;
      const todos = read.cases.filter(({ todo }) => todo === true);
      return { ...read, file, cases: read.cases.filter(({ todo }) => todo !== true), todos };
    });
}

/** The rule set of a case. */
export function ruleSetOf({ ruleSets, lists = [], file }: CaseFile, { ruleSet, condition, name }: Case): RuleSetInput {
  if (ruleSet === undefined && condition !== undefined) {
    const whole = { id: 1, operand: 'text', category: 'word', operator: 'contains', ...condition };
    return { rules: [{ id: 'r', action: ['blockMessage'], conditions: [whole] }], lists };
  }
  const found = typeof ruleSet === 'string' ? ruleSets?.[ruleSet] : ruleSet;
  if (found === undefined) throw new Error(`${file}: case ${name} names no rule set of the file`);
  return found;
}

/** The readings of a case. */
export function semanticsOf(file: CaseFile, given: Case): Partial<Semantics> {
  return { ...file.semantics, ...given.semantics };
}
