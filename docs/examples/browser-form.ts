/**
 * A form that says what a message would run into while it is written, and is not sent while it would be stopped. Its page has
 *
 *   <form><textarea name="text"></textarea> <output></output> <button>Send</button></form>
 *
 * and its server hands the rules on as JSON. The server decides again: what runs in a page can be switched off.
 */
import { createEngine, type Decision, type RuleSetInput } from 'sluice/engine';

const ruleSet = (await (await fetch('/rules.json')).json()) as RuleSetInput;
const engine = createEngine(ruleSet);
const form = document.querySelector('form')!;
const field = form.querySelector('textarea')!;
const hint = form.querySelector('output')!;

/** Names the rule, and what was found; nothing for a message that may be sent. */
function explanationOf({ verdict, matched: [rule] }: Decision): string {
  if (verdict === 'allow' || rule === undefined) return '';
  const found = rule.conditions.flatMap(({ matches }) =>
    matches.map((match) => ('text' in match ? match.text : match.label)),
  );
  return `${rule.ruleName}: ${[...new Set(found)].join(', ')}`;
}

field.addEventListener('input', () => {
  const decision = engine.explain(field.value);
  hint.textContent = explanationOf(decision);
  field.setCustomValidity(decision.verdict === 'allow' ? '' : 'change the message to send it');
});
