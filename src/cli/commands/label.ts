import { outcomeKeys, outcomeWords } from '../../audit/sample/label.js';
import { type LabelsFile, labelsFileOf, openLabels } from '../../audit/sample/labels.js';
import { readSample } from '../../audit/sample/sample-file.js';
import { abortable } from '../../audit/source/abortable.js';
import { UsageError } from '../../foundation/errors.js';
import { isMissing, withFileErrors } from '../../foundation/files/file-reason.js';
import { writeFileAtomically } from '../../foundation/files/replace-file.js';
import { type Command, type OptionValues, optionGroup, type RunContext } from '../command.js';
import { commonExits, exitCode } from '../exit-code.js';
import { readWholeText } from '../input-files.js';
import { print } from '../io.js';
import { labelsCsv, labelsOfCsv } from '../label/csv.js';
import { labelScreen } from '../label/screen.js';
import { LabelSession } from '../label/session.js';
import { outputOf } from '../terminal/style.js';
import { counted, formatCount } from '../terminal/text.js';

const options = optionGroup('what to label, and how', {
  labels: {
    type: 'string',
    value: 'FILE',
    writes: 'own',
    help: 'where the labels are kept (SAMPLE.labels.ndjson beside the sample)',
  },
  as: { type: 'string', value: 'NAME', help: 'who labels: `by` of each label' },
  csv: {
    type: 'string',
    value: 'FILE',
    help: 'write the messages for a spreadsheet; once the file is there, take the labels from its column `outcome`',
  },
});

type Values = OptionValues<typeof options>;

/** `sluice label`: records for each message of a sample whether it was right to stop it. */
export const labelCommand: Command<typeof options> = {
  name: 'label',
  summary: 'label the messages of a sample: was it right to stop them?',
  description:
    'Shows the messages of a sample one by one, with what was found in them, and keeps what each key says: ' +
    `${[...outcomeKeys].map((key) => key.join(' ')).join(', ')}, ` +
    'b back, q quit. Every label is written at once, and the same command goes on where it ended. Labels are rows { "messageId", "ruleId", "outcome", "by" }; the last one for a message and a rule counts.',
  examples: [
    'sluice label sample.ndjson',
    'sluice label sample.ndjson --as ada',
    'sluice label sample.ndjson --csv labels.csv',
  ],
  operand: { title: 'SAMPLE', noun: 'file of a sample' },
  options,
  exits: {
    done: 'it was quit, or the spreadsheet was written or read',
    usage: commonExits.usage,
    data: 'the sample or its labels cannot be used',
    interrupted: commonExits.interrupted,
  },
  run,
};

async function run(values: Values, context: RunContext, path?: string): Promise<number> {
  if (path === undefined) throw new UsageError('no sample; give its file, as `sluice sample --out FILE` writes it');
  const labelsPath = values.labels ?? labelsFileOf(path);
  const strata = await readSample(path);
  const isTerminal = context.stdout.isTTY === true && context.stdin().isTTY === true;
  if (values.csv === undefined && !isTerminal) {
    throw new UsageError(
      `keys need a terminal for input and output; without one fill \`${labelsPath}\`, a row { "messageId", "ruleId", "outcome" } for each ` +
        'message, or a spreadsheet: add `--csv FILE`',
    );
  }
  const file = await openLabels(labelsPath);
  try {
    const session = new LabelSession(strata, file.labels, values.as);
    if (values.csv !== undefined) {
      await context.reporter.note(await throughCsv(values.csv, session, file, context));
      return exitCode.done;
    }
    const isInterrupted = await labelByKeys(session, file, context);
    const all = session.items.length;
    const next = session.current === undefined ? `next: sluice precision ${path}` : 'the same command goes on there';
    await context.reporter.note(
      `${formatCount(session.done)} of ${counted(all, 'message')} labelled, in ${labelsPath}; ${next}`,
    );
    return isInterrupted ? exitCode.interrupted : exitCode.done;
  } finally {
    await file.close();
  }
}

/** Writes the spreadsheet, or reads its labels if it exists, and reports which. */
async function throughCsv(path: string, session: LabelSession, file: LabelsFile, context: RunContext): Promise<string> {
  const text = await readWholeText(path, context).catch((error: unknown) => {
    if (!(error instanceof UsageError && isMissing(error.cause))) throw error;
  });
  if (text === undefined) {
    await withFileErrors('write', path, () => writeFileAtomically(path, labelsCsv(session), { mode: 0o600 }));
    return `wrote ${counted(session.items.length, 'message')} to ${path}; fill its column \`outcome\` with ${outcomeWords}, and run the same command`;
  }
  const labels = labelsOfCsv(text, path, session);
  await file.add(labels);
  return `took ${counted(labels.length, 'new label')} from ${path}; ${formatCount(session.done)} of ${counted(session.items.length, 'message')} labelled`;
}

/** The other screen of the terminal, without a cursor; and back. */
const [begin, end] = ['\u{1b}[?1049h\u{1b}[?25l', '\u{1b}[?25h\u{1b}[?1049l'];
const escapeByte = 0x1b;
const resizeMs = 200;

/** Labels by keys until it is quit; true for Ctrl-C. However it ends, the terminal is as it was. */
async function labelByKeys(session: LabelSession, file: LabelsFile, context: RunContext): Promise<boolean> {
  const { stdout, interrupted, every, suspend } = context;
  const stdin = context.stdin();
  let page = 0;
  const size = () => `${stdout.columns} ${stdout.rows}`;
  let drawn = '';
  const draw = async () => {
    drawn = size();
    const lines = labelScreen(session, page, stdout.rows || 24, outputOf(context));
    await print(context, `\u{1b}[H${lines.map((line) => `${line}\u{1b}[K`).join('\r\n')}\u{1b}[J`);
  };
  const enter = async () => {
    stdin.setRawMode?.(true);
    await print(context, begin);
    await draw();
  };
  const leave = async () => {
    stdin.setRawMode?.(false);
    await print(context, end);
  };
  const stop = every(resizeMs, () => void (size() === drawn ? undefined : draw()));
  try {
    await enter();
    for await (const bytes of abortable(stdin, interrupted)) {
      // Arrows and other keys of several characters begin with it, and mean nothing here.
      if (bytes[0] === escapeByte) continue;
      for (const key of Buffer.from(bytes).toString('latin1').toLowerCase()) {
        const outcome = outcomeKeys.get(key);
        const label = outcome && session.label(outcome);
        if (key === 'q' || key === '\u{4}' || key === '\u{3}') return key === '\u{3}';
        if (key === '\u{1a}') {
          await leave();
          await suspend();
          await enter();
        }
        page = key === ' ' ? page + 1 : 0;
        if (key === 'b') session.back();
        if (label !== undefined) {
          await file.add([label]);
          session.next();
        }
      }
      await draw();
    }
    return false;
  } finally {
    stop();
    await leave();
  }
}
