import { RE2JS } from 're2js';
import { compileRuleSet } from '../compile/compile-rule-set.js';
import type { CompiledRuleSet } from '../compile/compiled-rule-set.js';
import type { Reference, ReferenceIndex } from '../compile/references.js';
import type { MessageDraft } from '../contract/message-draft.js';
import type { RuleSetInput } from '../engine.js';
import { translatePattern } from '../match/patterns/translate.js';
import { resolveSemantics, type Semantics } from '../semantics.js';
import { isComparable } from './comparable.js';
import { wasmPattern } from './contenders/pattern-contenders.js';
import { nativePattern } from './contenders/regexp-source.js';
import type { Material, Needle, Weight } from './model.js';

/** What a user's own rules and messages give to measure, and what had to be left out of comparisons with others. */
export interface RuleSetMaterial {
  /** Every message, every rule: for our engine. */
  readonly whole: Material;
  /** Different texts, and the terms and patterns that every contender reads alike. */
  readonly comparable: Material;
  readonly leftOut: { readonly texts: number; readonly terms: number; readonly patterns: number };
}

/** Takes a rule set apart into the terms and patterns of its `text` conditions, as it is compiled under the semantics. */
export function materialOf(
  ruleSet: RuleSetInput,
  messages: readonly MessageDraft[],
  semantics: Partial<Semantics> = {},
): RuleSetMaterial {
  const parts = { rules: ruleSet.rules, lists: ruleSet.lists, missing: new Map<string, string>() };
  const compiled = compileRuleSet(parts, resolveSemantics(semantics));
  const texts = messages.map(textOf);
  const terms = needlesOf(compiled, compiled.words.references.text).map(({ text, weight }) => ({
    text: tidy(text),
    weight,
  }));
  const patterns = needlesOf(compiled, compiled.patterns.references.text);
  compiled.patterns.set?.close();
  const readAlike = [...new Set(texts.map(tidy))].filter((text) => text !== '' && isComparable(text));
  const plainTerms = unique(terms.filter(({ text }) => text !== '' && isComparable(text)));
  const plainPatterns = patterns.filter(isUnderstoodByAll);
  const whole: Material = { messages, texts, terms, patterns, ruleSet, semantics, ask: 'all' };
  return {
    whole,
    comparable: { ...whole, texts: asParsed(readAlike), terms: plainTerms, patterns: plainPatterns },
    leftOut: {
      texts: new Set(texts.map(tidy).filter((text) => text !== '')).size - readAlike.length,
      terms: terms.length - plainTerms.length,
      patterns: patterns.length - plainPatterns.length,
    },
  };
}

function textOf({ data }: MessageDraft): string {
  return typeof data?.text === 'string' ? data.text : '';
}

/** White space as single spaces: our matcher takes runs of it for one, others do not, and that is not the question. */
function tidy(text: string): string {
  return text.toWellFormed().replace(/\s+/g, ' ').trim();
}

function asParsed(texts: readonly string[]): string[] {
  return JSON.parse(JSON.stringify(texts)) as string[];
}

function needlesOf({ conditions, rules }: CompiledRuleSet, { from, references }: ReferenceIndex): Needle[] {
  const weightOf = (use: Reference): Weight =>
    rules[conditions[use.condition]!.rule]!.actions.includes('dropMessage') ? 2 : 1;
  return Array.from({ length: from.length - 1 }, (_, key) => references.slice(from[key], from[key + 1]))
    .filter((asking) => asking.length > 0)
    .map((asking) => ({ text: asking[0]!.written, weight: asking.some((use) => weightOf(use) === 2) ? 2 : 1 }));
}

/** Terms that differ in lower case. */
function unique(terms: readonly Needle[]): Needle[] {
  return [...new Map(terms.map((term) => [term.text.toLowerCase(), term])).values()];
}

function isUnderstoodByAll(pattern: Needle): boolean {
  try {
    nativePattern(pattern);
    RE2JS.compile(translatePattern(pattern.text));
    return wasmPattern(pattern) !== undefined;
  } catch {
    return false;
  }
}
