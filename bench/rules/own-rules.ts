/** Measures the rules and messages of a user, `npm run bench -- --rules FILE --messages FILE`. */
import { messagesOfFiles } from '../../src/audit/source/message-files.js';
import { readMessages } from '../../src/audit/source/messages.js';
import { paragraph } from '../../src/cli/document/document.js';
import { screenLines } from '../../src/cli/document/terminal.js';
import type { Output } from '../../src/cli/terminal/style.js';
import { counted } from '../../src/cli/terminal/text.js';
import { readRuleSetFile } from '../../src/platform/loader/rule-set-file.js';
import { benchRuleSet } from './bench-rule-set.js';
import { busyWords, describeMachine, failuresOf } from './machine.js';
import { fullEffort, quickEffort } from './measure.js';
import { benchBlocks } from './screen.js';

/** Messages measured; more only add time. */
const mostMessages = { full: 20_000, quick: 500 } as const;

/** The files of a user, and where tables and notes go. */
interface OwnRules {
  /** A file or folder of rules, whose readings apply. */
  readonly rules: string;
  /** A file of messages in any form that `sluice audit` reads. */
  readonly messages: string;
  readonly mode: 'full' | 'quick';
  readonly output: Output;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/**
 * Prints how long decisions take on these rules and messages, and how long other engines take to
 * find the same terms and patterns. Returns 1 if a contender failed or counted differently.
 */
export async function benchOwnRules({ mode, output, print, printError, ...given }: OwnRules): Promise<number> {
  const ruleSet = await readRuleSetFile(given.rules);
  const source = await messagesOfFiles([{ name: given.messages }], { signal: new AbortController().signal });
  const messages = [];
  for await (const message of readMessages(source, {})) if (messages.push(message) === mostMessages[mode]) break;
  source.refuseEmpty?.(messages.length);
  const effort = mode === 'quick' ? quickEffort : fullEffort;
  const { results, leftOut } = await benchRuleSet(ruleSet, messages, {}, effort, printError);
  const machine = describeMachine();
  const { cpu, node, load, cores } = machine;
  const where = `on ${cpu}, node ${node.slice(1)}, load ${load.toFixed(1)} on ${counted(cores, 'core')}`;
  print(screenLines([...results.map(benchBlocks), [paragraph(where)]], output).join('\n'));
  const busy = busyWords(results, machine);
  if (busy !== undefined)
    printError(`the machine was too busy to believe these figures: ${busy}; run it again when it is idle`);
  const { texts, terms, patterns } = leftOut;
  if (texts + terms + patterns > 0) {
    const what = [counted(texts, 'text'), counted(terms, 'term'), counted(patterns, 'pattern')].join(', ');
    printError(`words and patterns leave out ${what} that not every engine reads alike`);
  }
  const failures = failuresOf(results);
  for (const failure of failures) printError(`failed: ${failure}`);
  return failures.length > 0 ? 1 : 0;
}
