/**
 * The actions of a rule: those that are known, and those that were probably meant to stop a message
 * and stop none.
 */
import { editDistance, nearestNames } from '../../foundation/nearest-names.js';
import type { IssueLog } from './issue.js';
import { asList, type Fields } from './untrusted.js';
import { stops, verdicts } from './verdicts.js';

/**
 * Actions of the document and those of live platforms; others are passed through with a warning.
 */
const knownActions = new Set<string>([...verdicts, 'flagMessage', 'kick', 'ban', 'block', 'deactivate']);
/**
 * Actions that a mistyped one is compared with: short ones are near too many others (`warn`,
 * `ban`).
 */
const longActions = [...knownActions].filter((action) => action.length > 4);
const stopping: readonly string[] = verdicts.filter(stops);
/**
 * An action that is nearly a verdict, in small letters alone. `block` is an action of live
 * platforms: it blocks a user.
 */
const stems = stopping.map((verdict) => verdict.replace('Message', ''));
const nearVerdict = new RegExp(`^(?:messages?)?(${stems.join('|')})(?:messages?)?$`);

/**
 * Reads the actions of a rule, each once. An unknown action is an issue, and so is a rule without
 * actions.
 */
export function actionsOf(ruleId: string, fields: Fields, log: IssueLog): readonly string[] {
  const actions: string[] = [];
  const written = asList(fields.action);
  for (const [index, action] of written.entries()) {
    if (typeof action === 'string') actions.push(action);
    else log.add('malformed-rule', { ruleId, index }, `action ${index + 1} is not a string`);
  }
  if (written.length === 0)
    log.add('unknown-action', { ruleId }, 'has no `action`, so it never changes a verdict', true);
  const doesStop = actions.some(stops);
  const isIdle = isMeantToStop(actions);
  for (const action of actions) {
    const near = doesStop ? undefined : nearVerdict.exec(lettersOf(action))?.[1];
    if (near !== undefined) {
      log.add('unknown-action', { ruleId }, `action \`${action}\` stops no message; \`${near}Message\` does`, isIdle);
    } else if (!knownActions.has(action)) {
      const [likely] = doesStop ? [] : nearestNames(action, longActions);
      const hint = likely === undefined ? '' : `; did you mean \`${likely}\`?`;
      log.add('unknown-action', { ruleId }, `action \`${action}\` is passed through${hint}`, isIdle);
    }
  }
  return Object.freeze([...new Set(actions)]);
}

/**
 * Reports whether a rule was meant to stop messages and stops none: one of its actions is an edit
 * away from a stopping one, or has nearly its name. `block`, which blocks a user, is intended
 * beside other actions.
 */
export function isMeantToStop(actions: readonly string[]): boolean {
  if (actions.some(stops)) return false;
  return actions.some((action) => {
    if (action === 'block') return actions.length === 1;
    const letters = lettersOf(action);
    return nearVerdict.test(letters) || stopping.some((action) => editDistance(letters, action.toLowerCase()) <= 1);
  });
}

const lettersOf = (action: string) =>
  action
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
