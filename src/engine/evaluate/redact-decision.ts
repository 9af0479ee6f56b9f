import type { Decision, Match } from './decision.js';

/**
 * Returns a decision without content of the message: matched texts, and keys of custom data that are not plain names, become
 * their lengths in UTF-16 units. Spans, terms, patterns, labels and scores stay.
 */
export function redactDecision(decision: Decision): Decision {
  return {
    ...decision,
    excepted: decision.excepted.map((entry) => ({ ...entry, match: redactMatch(entry.match) })),
    matched: decision.matched.map((rule) => ({
      ...rule,
      conditions: rule.conditions.map((condition) => ({ ...condition, matches: condition.matches.map(redactMatch) })),
    })),
  };
}

/** Returns a match without content of the message. */
export function redactMatch<Kind extends Match>(match: Kind): Kind {
  if (match.kind === 'score') return match;
  const path = match.path.replace(/\["(?:[^"\\]|\\.)*"\]/g, (step) => {
    const key = JSON.parse(step.slice(1, -1)) as string;
    return `["${redacted(key.length)}"]`;
  });
  return { ...match, path, text: redacted(match.text.length) };
}

function redacted(length: number): string {
  return `[redacted:${length}]`;
}
