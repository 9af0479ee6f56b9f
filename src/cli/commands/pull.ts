/** `sluice pull`: the command, its options and its exit codes. */
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { resolveSemantics, type Semantics } from '../../engine/semantics.js';
import { UsageError } from '../../foundation/errors.js';
import { ndjsonLine } from '../../foundation/files/ndjson.js';
import { pageLimit } from '../../platform/contract/message-query.js';
import type { RuleSet } from '../../platform/contract/rule-set.js';
import { digestParts } from '../../platform/loader/part-form.js';
import { writeRuleSetFile, writtenInFile } from '../../platform/loader/rule-set-file.js';
import {
  filesOfRuleSet,
  refuseEditedFolder,
  semanticsInFolder,
  writeRuleSetFolder,
} from '../../platform/loader/rule-set-folder.js';
import { acceptanceRevision } from '../../review/compare/acceptance-revision.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { readSemanticsFile } from '../input-files.js';
import { printJson } from '../io.js';
import { filterOptions, readFilters } from '../message-options.js';
import { refuseInputs } from '../output-files.js';
import { openLineFile, pullMessages } from '../pull/messages.js';
import { fetchModerated, fullWords, labelsOfReviews, type ModeratedPage } from '../pull/moderated.js';
import { openPlatform, planPlatform, platformOptions, pullRuleSet } from '../sources.js';
import { counted, formatCount } from '../terminal/text.js';
import { maybeTruncated } from '../unchecked.js';

const options = {
  ...platformOptions,
  ...optionGroup('what to fetch, and where to', {
    out: {
      type: 'string',
      value: 'FILE|DIR',
      writes: 'whole',
      help:
        'write the rule set there, whole or not at all; into a folder, with a file for each list, when it is one, ends in `/`, or ' +
        'is new and has no ending; `-` for standard output',
    },
    messages: {
      type: 'string',
      value: 'FILE',
      writes: 'whole',
      help: 'write the messages there, one a line, whole or not at all; a new file is readable by you alone; `-` for standard output',
    },
    blocked: {
      type: 'boolean',
      needs: ['messages'],
      help: 'the messages that the platform stopped as well, which it does not list; none is written twice',
    },
    reviewed: {
      type: 'string',
      value: 'FILE',
      writes: 'whole',
      help: 'write what reviewers of the platform decided, as labels, one a line; `-` for standard output',
    },
    semantics: {
      type: 'string',
      value: 'FILE',
      help: 'readings, as JSON: the keyword lists that their exceptions name are fetched as well',
    },
    force: {
      type: 'boolean',
      needs: ['out', 'messages', 'reviewed'],
      help: 'replace these files, whatever they hold, and a folder that was edited since it was pulled',
    },
    json: { type: 'boolean', help: 'print the rule set on standard output when there is no --out' },
    quiet: { type: 'boolean', help: 'print errors only' },
  }),
  ...filterOptions,
};

type Values = OptionValues<typeof options>;

/**
 * `sluice pull`: fetches the rules with every keyword list that they reference, as a file for
 * `--rules`, and messages.
 */
export const pullCommand: Command<typeof options> = {
  name: 'pull',
  description:
    'Fetches the moderation rules and every keyword list that they name, and writes them for --rules: as one JSON file, or as a ' +
    'folder for a repository, where comments on terms stay with their terms; readings that stand there stay. A list that cannot be had does not stop it: the file and the words on standard error say which ' +
    'one and why. With --messages, keeps messages with all their fields as NDJSON, so that they can be judged ' +
    'again and again without the platform; --blocked adds those that the platform stopped. With --reviewed, keeps decisions of ' +
    'reviewers for `sluice precision` and `sluice diff`. Of both the platform gives one page, of at most 1,000.',
  examples: [
    'sluice pull --base-url https://host/v3 --out rules.json',
    'sluice pull --base-url https://host/v3 --out rules/',
    'sluice pull --demo --messages may.ndjson --until 2026-05-31',
    'sluice pull --demo --messages may.ndjson --blocked --reviewed reviewed.ndjson',
    'sluice pull --demo --out - | jq ".lists[].id"',
  ],
  options,
  exits: {
    done: 'everything was fetched, also without a list that is missing, or the output has no reader',
    ...commonExits,
  },
  run,
};

async function run(values: Values, context: RunContext): Promise<number> {
  const plan = planPlatform(values, context.env);
  if (plan === undefined) {
    throw new UsageError('no platform to pull from; give `--base-url URL` with SLUICE_API_KEY set, or `--demo`');
  }
  const target = targetOf(values);
  const filters = readFilters(values, false);
  const rules = await planRuleSet(target, values, context);
  const readings = resolveSemantics(await readSemanticsFile(values.semantics));
  const file = values.messages === undefined ? undefined : await openLineFile(values.messages, context);
  try {
    const platform = await openPlatform(plan, values, context);
    try {
      const fetched =
        target === undefined ? undefined : await pullRuleSet(platform, context, readings, usable(rules.kept.semantics));
      const blocked = values.blocked
        ? await fetchModerated(platform.client.blockedMessages.list, pageLimit.max, context.interrupted)
        : undefined;
      const notes = file && (await pullMessages(platform, filters, file, context, blocked));
      const reviewed =
        values.reviewed === undefined
          ? undefined
          : await fetchModerated(platform.client.reviewedMessages.list, pageLimit.max, context.interrupted);
      context.reporter.end();
      if (fetched !== undefined && target !== undefined) await keepRuleSet(fetched, target, rules, values, context);
      await file?.commit();
      for (const note of notes ?? []) await context.reporter.note(note);
      if (reviewed !== undefined) await keepReviews(reviewed, values.reviewed!, context);
    } finally {
      await platform.close();
    }
  } finally {
    await file?.discard();
  }
  return exitCode.done;
}

/** The form in which a rule set is written, and what is kept of an existing one. */
interface RuleSetPlan {
  readonly form: 'printed' | 'file' | 'folder';
  readonly kept: Partial<Pick<RuleSet, 'semantics' | 'lint'>>;
}

/**
 * Determines where the rule set goes. Throws `UsageError` for a folder that must not be replaced.
 */
async function planRuleSet(target: string | undefined, values: Values, context: RunContext): Promise<RuleSetPlan> {
  if (target === undefined || target === '-') return { form: 'printed', kept: {} };
  if (!(await isFolder(target))) return { form: 'file', kept: await writtenInFile(target) };
  // Readings in the folder are kept, so they may be read.
  const files = (await filesOfRuleSet(target)).filter((path) => basename(path) !== 'semantics.json');
  await refuseInputs('--out', files, context.inputs);
  if (!values.force) await refuseEditedFolder(target);
  return { form: 'folder', kept: { semantics: await semanticsInFolder(target) } };
}

async function keepRuleSet(
  fetched: RuleSet,
  target: string,
  { form, kept }: RuleSetPlan,
  values: Values,
  context: RunContext,
): Promise<void> {
  const ruleSet = { ...fetched, pulled: digestParts(fetched) };
  if (form === 'printed') await printJson(context, ruleSet);
  else if (form === 'file') await writeRuleSetFile(target, { ...ruleSet, ...kept });
  else {
    if (!values.force) await refuseEditedFolder(target, ruleSet.lists);
    await writeRuleSetFolder(target, ruleSet);
  }
  await report({ ...ruleSet, ...(kept.semantics && { semantics: kept.semantics }) }, target, context);
}

/** Writes the decisions of reviewers as labels, and says how many there are. */
async function keepReviews(page: ModeratedPage, path: string, context: RunContext): Promise<void> {
  const { labels, undecided } = labelsOfReviews(page.entries);
  const file = await openLineFile(path, context);
  try {
    await file.append(labels.map(ndjsonLine).join(''));
    await file.commit();
  } finally {
    await file.discard();
  }
  const without = undecided > 0 ? `; ${formatCount(undecided)} without a decision left out` : '';
  await context.reporter.note(
    `pulled ${counted(labels.length, 'label')} of reviewers${path === '-' ? '' : `, into ${path}`}${without}`,
  );
  const full = fullWords(page, 'reviewed messages');
  if (full !== undefined) await context.reporter.note(full);
}

/**
 * Returns the target of the rules. Throws `UsageError` if the options do not say what goes where.
 */
function targetOf(values: Values): string | undefined {
  const target = values.out ?? (values.json ? '-' : undefined);
  const { messages, reviewed } = values;
  if (target === undefined && messages === undefined && reviewed === undefined) {
    throw new UsageError('nowhere to put the rules; give `--out FILE`, or `--out -` to print them');
  }
  if ([target, messages, reviewed].filter((path) => path === '-').length > 1) {
    throw new UsageError(
      'rules, messages and labels cannot go to standard output together; name a file for all but one of them',
    );
  }
  const unused = Object.keys(filterOptions).find((name) => name in values);
  if (messages === undefined && unused !== undefined) {
    throw new UsageError(`\`--${unused}\` chooses messages; add \`--messages FILE\`, or leave it out`);
  }
  return target;
}

/**
 * Reports whether a path is meant as a folder of a rule set. A file has an extension, or exists
 * already.
 */
async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? (/[\\/]$/.test(path) || extname(path) === '');
}

/**
 * Says what was pulled, and the revision with which a moderator that holds these rules back accepts
 * them.
 */
async function report(ruleSet: RuleSet, target: string, { reporter, interrupted }: RunContext): Promise<void> {
  const { rules, lists, missing, truncated } = ruleSet;
  const revision = await acceptanceRevision(ruleSet, interrupted);
  const terms = lists.reduce((sum, { searchTerms }) => sum + searchTerms.length, 0);
  const what = `${counted(rules.length, 'rule')} and ${counted(lists.length, 'keyword list')} with ${counted(terms, 'term')}`;
  await reporter.note(`pulled ${what}, revision ${revision}${target === '-' ? '' : `, into ${target}`}`);
  for (const { listId, reason } of missing) await reporter.note(`warning: no keyword list \`${listId}\`: ${reason}`);
  if (truncated) await reporter.note(`warning: ${maybeTruncated}`);
}

/**
 * Returns the valid readings of a file or folder, for the lists that their exceptions name. Invalid
 * ones stay in the file unchanged, and name no lists.
 */
function usable(kept: RuleSet['semantics']): Partial<Semantics> {
  try {
    return resolveSemantics(kept);
  } catch (error) {
    if (error instanceof UsageError) return {};
    throw error;
  }
}
