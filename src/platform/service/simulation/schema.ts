/** The faults that the service can simulate: what a plan of them looks like, and the short form of one. */
import * as z from 'zod';
import { UsageError } from '../../../foundation/errors.js';
import { endpoints, type Operation, operationLabel } from '../../contract/endpoints.js';
import { checkOption } from '../../contract/parse.js';

/** Longest wait that a timer of Node can hold; longer ones fire at once. */
const longestMs = 2_147_483_647;

const integer = (min: number, max: number, error: string) =>
  z.number({ error }).refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, { error });
const milliseconds = (min: number) =>
  integer(min, longestMs, `must be a whole number of milliseconds from ${min} to ${longestMs}`);
const atLeast = (min: number, unit: 'requests' | 'bytes') =>
  integer(min, Number.MAX_SAFE_INTEGER, `must be a whole number of ${unit}, ${min} or more`);
const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `must be one of ${names.map((name) => `\`${name}\``).join(', ')}` });
const share = 'must be a share of the requests, ';

/** Whether a header can carry a value (RFC 9110, 5.5), Latin-1 aside. */
const isHeaderText = (value: unknown): value is string => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);

const rows = Object.values(endpoints);
const operations = new Set((Object.keys(endpoints) as Operation[]).map(operationLabel));

const selection = {
  /** Path template of an operation (§4), such as `/messages` or `/users/{uid}`. */
  path: oneOf([...new Set(rows.map(({ path }) => path))]).optional(),
  method: oneOf(['GET', 'PUT', 'POST', 'DELETE']).optional(),
  /** Share of the requests that are selected, 0..1; 1 when absent. Which ones follows from the seed. */
  rate: z
    .number({ error: `${share}a number from 0 to 1` })
    .min(0, { error: `${share}0 or more` })
    .max(1, { error: `${share}1 or less` })
    .optional(),
  /** Requests of each route that go by before the first that may be selected; 0 when absent. */
  after: atLeast(0, 'requests').optional(),
  /** How many requests of each route may be selected after those; all when absent. With `after` a burst. */
  count: atLeast(1, 'requests').optional(),
};
const selectionSchema = z.strictObject(selection);

const fault = <const Kind extends string, Shape extends z.core.$ZodLooseShape>(kind: Kind, shape: Shape) =>
  z.strictObject({ kind: z.literal(kind), ...shape, ...selection });

/**
 * The kinds. `status`, `rate-limited` and `never` keep the request from its operation. All others let it run and spoil the answer, so a write
 * whose answer is lost has taken effect.
 */
const kinds = [
  /** The answer waits `ms` milliseconds, and up to `jitterMs` more as the seed says. */
  fault('latency', { ms: milliseconds(0), jitterMs: milliseconds(0).optional() }),
  /** The connection is reset: `head`, the default, before the first byte of the answer; `body` after half of its body. */
  fault('reset', { at: oneOf(['head', 'body']).optional() }),
  /** The connection ends in good order after `keep` bytes of the body, half of it when absent; `content-length` says more. */
  fault('truncate', { keep: atLeast(0, 'bytes').optional() }),
  /** An HTML page with `status`, 200 when absent, as proxies and login walls send. */
  fault('html', { status: integer(200, 599, 'must be a status from 200 to 599').optional() }),
  /** The right body, declared as `type`; `text/plain` when absent. */
  fault('content-type', {
    type: z.custom<string>(isHeaderText, { error: 'must be a content type, such as `text/plain`' }).optional(),
  }),
  /** 429. `retryAfter`, 1 when absent, is sent as it stands: seconds, a date, or nonsense. */
  fault('rate-limited', {
    retryAfter: z
      .custom<number | string>((value) => Number.isSafeInteger(value) || isHeaderText(value), {
        error: 'must be a whole number of seconds, or a text that a header can carry',
      })
      .optional(),
  }),
  /** A problem with `status`, 400..599, 503 when absent, in the platform's error shape. */
  fault('status', { status: integer(400, 599, 'must be a status from 400 to 599').optional() }),
  /** The page before comes again, its cursor too, in place of the right one. A walk's first page is left alone. */
  fault('duplicate-page', {}),
  /** The entries of a page come in an order of the seed's; the cursor is right. */
  fault('reorder-page', {}),
  /** The cursor of a page leads to that same page again. A first page has none, and leads on. */
  fault('cursor-loop', {}),
  /** The body comes in pieces of `bytes`, 16 when absent, one every `everyMs` milliseconds, 50 when absent. */
  fault('drip', { everyMs: milliseconds(1).optional(), bytes: atLeast(1, 'bytes').optional() }),
  /** One byte inside a string of the body is invalid UTF-8. */
  fault('invalid-utf8', {}),
  /** Nothing ever comes, until the client gives up or the service closes. */
  fault('never', {}),
] as const;

const kindNames = kinds.map(({ shape }) => `\`${shape.kind.value}\``).join(', ');

/** One fault. A path and a method that no operation has together could never happen, so they are refused. */
const faultSchema = z
  .discriminatedUnion('kind', kinds, {
    error: ({ code }) => (code === 'invalid_union' ? `must be one of ${kindNames}` : 'must be an object'),
  })
  .refine(({ path, method }) => !path || !method || operations.has(`${method} ${path}`), {
    path: ['method'],
    error: 'must be a method that an operation of this `path` has',
  });

/** The whole plan. */
export const faultPlanSchema = z.strictObject(
  {
    /** Any integer; 0 when absent. */
    seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'must be a whole number').optional(),
    faults: z
      .array(faultSchema, { error: 'must be an array of faults, such as `[{ "kind": "reset" }]`' })
      .readonly()
      .optional(),
    /**
     * Whether a request may choose its own fault with the header `x-sluice-fault`: one fault in the short form (`status=503`), in place of
     * the plan's, or `none`. Default false: the header is ignored.
     */
    controlHeader: z.boolean({ error: 'must be `true` or `false`' }).optional(),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'must be an object with `faults`') },
);

/** Which requests a fault is simulated on; every request without any of these. */
export type FaultSelection = Readonly<z.infer<typeof selectionSchema>>;

/** One fault of a plan. */
export type Fault = Readonly<z.infer<typeof faultSchema>>;

/** A fault, whichever requests it is simulated on. */
export type FaultKind = Fault extends infer One ? (One extends Fault ? Omit<One, keyof FaultSelection> : never) : never;

/**
 * The faults, and when they occur. Latencies that are selected for a request add up; of all other faults the first in the list that is selected
 * happens. Whether one is follows from the seed and from how many requests of the same route came before, never from time: the same seed and
 * the same requests in the same order give the same faults.
 */
export type FaultPlan = Readonly<z.infer<typeof faultPlanSchema>>;

/** The fields that belong in a plan and not in the fault that a request chooses for itself. */
export const selectionFields = Object.keys(selection) as readonly (keyof FaultSelection)[];

/**
 * Reads one fault in its short form: `reset`, `latency=200`, `status=503,rate=0.1,path=/messages`. First the kind, with the value of its main
 * field; then fields by name. `source` names where it was written. Throws `UsageError`.
 */
export function readShortFault(written: string, source: string): Fault {
  const [first = '', ...rest] = written.split(',').map((part) => part.trim());
  const [kind, main] = divide(first);
  const fields: Record<string, unknown> = { kind };
  if (main !== undefined) fields[mainFieldOf(kind, source)] = readValue(main);
  for (const part of rest) {
    const [name, value] = divide(part);
    const fact = 'write fields behind the kind as `name=value`, such as `rate=0.1`';
    if (value === undefined) throw new UsageError({ source, fact });
    if (Object.hasOwn(fields, name)) throw new UsageError({ source, fact: `\`${name}\` must be given once` });
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

/** Returns the first field of a kind behind `kind` itself. An unknown kind is left for the schema, which names those that there are. */
function mainFieldOf(kind: string, source: string): string {
  const known = kinds.find(({ shape }) => shape.kind.value === kind);
  if (known === undefined) return 'value';
  const field = Object.keys(known.shape).find((name) => name !== 'kind' && !(name in selection));
  if (field !== undefined) return field;
  throw new UsageError({ source, fact: `\`${kind}\` takes no value; write the kind alone` });
}

function readValue(text: string): string | number {
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
