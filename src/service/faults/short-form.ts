import { UsageError } from '../../errors.js';
import { checkOption } from '../check-option.js';
import { type Fault, type FaultName, mainFields } from './fault.js';
import { faultSchema } from './fault-schema.js';

/**
 * Reads one fault in its short form: `reset`, `latency=200`, `status=503,rate=0.1,path=/messages`. First the kind, with the
 * value of its main field; then fields by name. `source` names where it was written. Throws `UsageError`.
 */
export function readShortFault(written: string, source: string): Fault {
  const [first = '', ...rest] = written.split(',').map((part) => part.trim());
  const [kind, main] = divide(first);
  const fields: Record<string, unknown> = { kind };
  if (main !== undefined) fields[mainFieldOf(kind, source)] = readValue(main);
  for (const part of rest) {
    const [name, value] = divide(part);
    if (value === undefined) {
      throw new UsageError(`${source}: write fields behind the kind as \`name=value\`, such as \`rate=0.1\``);
    }
    if (Object.hasOwn(fields, name)) throw new UsageError(`${source}: \`${name}\` should be given once`);
    fields[name] = readValue(value);
  }
  return checkOption(faultSchema, fields, source);
}

/** Reads faults in their short form, divided by `;`. Throws `UsageError`. */
export function readShortFaults(written: string, source: string): readonly Fault[] {
  return written.split(';').map((one) => readShortFault(one, source));
}

function divide(part: string): readonly [string, string | undefined] {
  const at = part.indexOf('=');
  return at === -1 ? [part, undefined] : [part.slice(0, at).trim(), part.slice(at + 1).trim()];
}

/** An unknown kind is left for the schema, which names those that there are. */
function mainFieldOf(kind: string, source: string): string {
  const field = Object.hasOwn(mainFields, kind) ? mainFields[kind as FaultName] : 'value';
  if (field === undefined) throw new UsageError(`${source}: \`${kind}\` takes no value; write the kind alone`);
  return field;
}

function readValue(text: string): string | number {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
