/**
 * The rules while they are edited: each text becomes a list, the rules or the readings, or an
 * error.
 */
import { asFields } from '../../engine/compile/untrusted.js';
import { ownSemantics, type Semantics } from '../../engine/semantics.js';
import { ShapeError, SluiceError } from '../../foundation/errors.js';
import { jsonFaultAt } from '../../foundation/files/json-fault.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import type { Rule } from '../../platform/contract/rule.js';
import { parseTermList, printTermList } from '../../platform/loader/term-list.js';
import type { PlayRules } from '../handler.js';
import type { Doc, DocError } from './protocol.js';

/** The id of the text of a keyword list. */
export const listDoc = (listId: string) => `list:${listId}`;

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/** Rules that are edited as texts. A text with an error changes nothing. */
export class Draft {
  docs: readonly Doc[];
  readonly #texts = new Map<string, string>();
  readonly #errors = new Map<string, DocError>();
  #opened: PlayRules;
  #now: PlayRules;

  constructor(opened: PlayRules) {
    this.#opened = opened;
    this.#now = opened;
    const lists = opened.lists.filter(isOfLines).map((list) => docOf(list, opened.comments));
    const fixedDocs = [
      { id: 'rules', title: 'Rules', text: json(opened.rules) },
      { id: 'readings', title: 'Readings', text: json(opened.semantics ?? {}) },
    ];
    this.docs = [...lists, ...fixedDocs];
    for (const { id, text } of this.docs) this.#texts.set(id, text);
  }

  get ruleSet(): PlayRules {
    return this.#now;
  }

  get errors(): readonly DocError[] {
    return [...this.#errors.values()];
  }

  get texts(): ReadonlyMap<string, string> {
    return this.#texts;
  }

  /** Adds a list, whose text is then the first one. */
  add(list: KeywordList): void {
    const doc = docOf(list, {});
    this.#opened = { ...this.#opened, lists: [...this.#opened.lists, list] };
    this.#now = { ...this.#now, lists: [...this.#now.lists, list] };
    this.docs = [doc, ...this.docs];
    this.#texts.set(doc.id, doc.text);
  }

  /**
   * Takes the new text of a list, the rules or the readings. The text that was opened gives again
   * what was opened.
   */
  edit(doc: string, text: string): void {
    const opened = this.docs.find(({ id }) => id === doc);
    if (opened === undefined || this.#texts.get(doc) === text) return;
    this.#texts.set(doc, text);
    this.#errors.delete(doc);
    try {
      if (doc === 'rules')
        this.#now = { ...this.#now, rules: text === opened.text ? this.#opened.rules : rulesOf(text) };
      else if (doc === 'readings') {
        this.#now = { ...this.#now, semantics: text === opened.text ? this.#opened.semantics : readingsOf(text) };
      } else this.#editList(doc, text, opened.text === text);
    } catch (error) {
      this.#errors.set(doc, { ...errorOf(error), doc });
    }
  }

  #editList(doc: string, text: string, isAsOpened: boolean): void {
    const isIt = (list: KeywordList) => isOfLines(list) && listDoc(list.id) === doc;
    // INVARIANT: each text of a list is made of one that was opened.
    const before = this.#opened.lists.find(isIt)!;
    const { head, terms, comments } = parseTermList(text, before.id);
    const { revisionId: _, ...rest } = before;
    const edited = { ...rest, searchTerms: terms, name: head.name ?? before.name, category: head.category };
    const list = isAsOpened ? before : edited;
    const lists = this.#now.lists.map((current) => (isIt(current) ? list : current));
    const noted = { owner: head.owner, terms: Object.fromEntries(comments) };
    this.#now = { ...this.#now, lists, comments: { ...this.#now.comments, [before.id]: noted } };
  }
}

/** Returns the text of a list with its comments. */
function docOf(list: KeywordList, comments: PlayRules['comments']): Doc {
  const { id, name, category } = list;
  const { owner, terms: noted } = new Map(Object.entries(comments ?? {})).get(id) ?? {};
  const entries = Object.entries({ name, category, owner }).filter(([, value]) => typeof value === 'string');
  const written = { head: Object.fromEntries(entries), terms: list.searchTerms, comments: noted };
  return { id: listDoc(id), title: name ?? id, text: printTermList(written, '', id) };
}

/** Reports whether a value, which may be malformed, is a list that a text can hold. */
function isOfLines(list: KeywordList): boolean {
  const { id, searchTerms } = asFields(list) ?? {};
  return typeof id === 'string' && Array.isArray(searchTerms) && searchTerms.every((term) => typeof term === 'string');
}

/** An error at an offset of a text. */
class PlaceError extends Error {
  readonly line: number;
  constructor(text: string, at: number, message: string) {
    super(message);
    this.line = lineAt(text, at);
  }
}

/** Returns the line of an offset, from 0. */
export function lineAt(text: string, at: number): number {
  let line = 0;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line += 1;
  return line;
}

function parseJson(text: string): unknown {
  const fault = jsonFaultAt(text);
  if (fault === undefined) return JSON.parse(text);
  throw new PlaceError(text, fault.at, `${fault.expected} was expected here`);
}

function rulesOf(text: string): readonly Rule[] {
  const rules = parseJson(text);
  if (Array.isArray(rules)) return rules;
  throw new PlaceError(text, 0, 'the rules must be an array');
}

function readingsOf(text: string): Partial<Semantics> {
  return ownSemantics(parseJson(text), 'the readings');
}

function errorOf(error: unknown): Pick<DocError, 'line' | 'detail'> {
  if (error instanceof PlaceError) return { line: error.line, detail: error.message };
  // The source of an error of a list ends in its line, from 1.
  if (error instanceof ShapeError) {
    const line = Number(error.source.slice(error.source.lastIndexOf(':') + 1)) - 1;
    return { line: Number.isNaN(line) ? 0 : line, detail: `the line ${error.expected}` };
  }
  if (error instanceof SluiceError || error instanceof RangeError) return { detail: error.message };
  throw error;
}
