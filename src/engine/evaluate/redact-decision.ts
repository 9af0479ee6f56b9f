import type { Decision, Match } from './decision.js';

/**
 * A decision without content of the message: matched texts, and keys of custom data that are no plain names, become
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

/** A match of which text and keys of custom data are their lengths. */
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
