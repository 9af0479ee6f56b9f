/**
 * Describes how the inputs of an audit differ from those of the results in a directory. Options are
 * written as on the command line.
 */
import type { Difference } from '../../foundation/errors.js';

/** Descriptions of inputs that are not options, or have another name. */
const descriptions: Readonly<Record<string, (difference: Difference) => string>> = {
  version: ({ was, is }) => `another version of sluice (${was}, now ${is})`,
  rules: ({ was, is }) => `other rules (${shortDigest(was)}, now ${shortDigest(is)})`,
  engine: () => 'other semantics',
  source: () => 'messages of another source',
  columns: ({ was, is }) => `other columns (${was ?? 'none'}, now ${is ?? 'none'})`,
  scores: () => 'other scores',
  platform: ({ was }) => begunWith('--compare-platform', was),
  report: ({ was }) => begunWith(was === 'redacted' ? '--report --redact' : '--report', was),
  onBadRow: ({ was }) => `bad rows ${was === 'stop' ? 'stop it' : 'skipped'}`,
};

/** Describes a difference. Times, which the manifest has in seconds, are shown as days. */
export function inputDifferenceWords(difference: Difference): string {
  const { name, was, is } = difference;
  const describe = descriptions[name];
  if (describe !== undefined) return describe(difference);
  const option = `--${name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)}`;
  if (was === undefined || typeof was === 'boolean') return begunWith(option, was);
  return `${begunWith(`${option} ${valueWords(was)}`, was)}${is === undefined ? '' : `, now ${valueWords(is)}`}`;
}

function begunWith(option: string, was: Difference['was']): string {
  return `it was begun ${was === undefined || was === false ? 'without' : 'with'} \`${option}\``;
}

function valueWords(value: NonNullable<Difference['was']>): string {
  if (typeof value !== 'number') return String(value);
  return new Date(value * 1000).toISOString().replace(/:00\.000Z$|\.000Z$/, 'Z');
}

function shortDigest(digest: Difference['was']): string {
  return String(digest).slice(0, 12);
}
