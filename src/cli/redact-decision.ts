import type { Decision, Match } from '../evaluate/decision.js';

/** What stands in the place of a text: how long it is, in UTF-16 units as spans are. */
export function redacted(length: number): string {
  return `[redacted:${length}]`;
}

/**
 * A decision that holds nothing of the message's content: matched texts, and keys of custom data that are no plain
 * names, give way to their lengths. Spans, terms, patterns, labels and scores stay.
 */
export function redactDecision(decision: Decision): Decision {
  return {
    ...decision,
    matched: decision.matched.map((rule) => ({
      ...rule,
      conditions: rule.conditions.map((condition) => ({ ...condition, matches: condition.matches.map(redactMatch) })),
    })),
  };
}

function redactMatch(match: Match): Match {
  if (match.kind === 'score') return match;
  return { ...match, path: redactPath(match.path), text: redacted(match.text.length) };
}

function redactPath(path: string): string {
  return path.replace(/\["(?:[^"\\]|\\.)*"\]/g, (step) => {
    const key = JSON.parse(step.slice(1, -1)) as string;
    return `[${JSON.stringify(redacted(key.length))}]`;
  });
}
