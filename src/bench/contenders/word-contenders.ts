import { Advice, createKeywordMatcher } from '../../match/keyword-matcher.js';
import { type Ask, type Contender, ours } from '../model.js';
import { localRunner } from '../pass.js';
import { charCodeFloor } from './floor.js';
import { alternation } from './regexp-source.js';

/** Our automaton by itself, without rules around it. */
const automaton: Contender = {
  name: ours,
  prepare: ({ texts, terms, ask }) => {
    const matcher = createKeywordMatcher(
      terms.map(({ text }) => text),
      { folding: 'case', words: 'substring' },
    );
    let hits = 0;
    const countAll = () => {
      hits += 1;
    };
    const countFirst = () => {
      hits += 1;
      return Advice.STOP;
    };
    const onTerm = ask === 'all' ? countAll : countFirst;
    return localRunner(texts, (text) => {
      hits = 0;
      matcher.scan(text, onTerm);
      return hits;
    });
  },
};

/** What most rule engines do: the text in lower case once, then one search per term. */
const includesLoop: Contender = {
  name: 'includes loop',
  note: 'lower case once per message, then one search per term',
  prepare: ({ texts, terms, ask }) => {
    const lower = terms.map(({ text }) => text.toLowerCase());
    if (ask === 'first') {
      return localRunner(texts, (text) => {
        const folded = text.toLowerCase();
        for (const term of lower) if (folded.includes(term)) return 1;
        return 0;
      });
    }
    return localRunner(texts, (text) => {
      const folded = text.toLowerCase();
      let hits = 0;
      for (const term of lower)
        for (let at = folded.indexOf(term); at >= 0; at = folded.indexOf(term, at + 1)) hits += 1;
      return hits;
    });
  },
};

/** One alternation of all terms. It finds the leftmost of overlapping hits only, so it takes part where the first decides. */
const oneRegExp: Contender = {
  name: 'one RegExp',
  note: 'all terms in one alternation, caseless; in several once V8 would not optimise it',
  prepare: ({ texts, terms }) => {
    const search = alternation(terms);
    return localRunner(texts, (text) => (search(text) ? 1 : 0));
  },
};

/** Who searches for terms without needing a package of its own. */
export function wordContenders(ask: Ask): readonly Contender[] {
  return ask === 'all' ? [automaton, includesLoop, charCodeFloor] : [automaton, includesLoop, oneRegExp, charCodeFloor];
}
