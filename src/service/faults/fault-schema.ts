import * as z from 'zod';
import { endpoints, type Operation, operationLabel } from '../../contract/endpoints.js';
import type { Fault, FaultPlan } from './fault.js';

/** Longest wait that a timer of node can hold; longer ones fire at once. */
const longestMs = 2_147_483_647;

const integer = (min: number, max: number, advice: string) =>
  z
    .number({ error: advice })
    .refine((value) => Number.isSafeInteger(value) && value >= min && value <= max, { error: advice });
const milliseconds = (min: number) =>
  integer(min, longestMs, `should be a whole number of milliseconds from ${min} to ${longestMs}`);
const requests = (min: number) =>
  integer(min, Number.MAX_SAFE_INTEGER, `should be a whole number of requests, ${min} or more`);
const bytes = (min: number) =>
  integer(min, Number.MAX_SAFE_INTEGER, `should be a whole number of bytes, ${min} or more`);
const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `should be one of ${names.map((name) => `\`${name}\``).join(', ')}` });

/** What a header can carry (RFC 9110, 5.5), Latin-1 aside. */
const isHeaderText = (value: unknown): value is string => typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);

const paths = [...new Set(Object.values(endpoints).map(({ path }) => path))];
const operations = new Set((Object.keys(endpoints) as Operation[]).map(operationLabel));

const selection = {
  path: oneOf(paths).optional(),
  method: oneOf(['GET', 'PUT', 'POST', 'DELETE']).optional(),
  rate: z
    .number({ error: 'should be a share of the requests, a number from 0 to 1' })
    .min(0, { error: 'should be a share of the requests, 0 or more' })
    .max(1, { error: 'should be a share of the requests, 1 or less' })
    .optional(),
  after: requests(0).optional(),
  count: requests(1).optional(),
};

const kinds = [
  z.strictObject({
    kind: z.literal('latency'),
    ms: milliseconds(0),
    jitterMs: milliseconds(0).optional(),
    ...selection,
  }),
  z.strictObject({ kind: z.literal('reset'), at: oneOf(['head', 'body']).optional(), ...selection }),
  z.strictObject({ kind: z.literal('truncate'), keep: bytes(0).optional(), ...selection }),
  z.strictObject({
    kind: z.literal('html'),
    status: integer(200, 599, 'should be a status from 200 to 599').optional(),
    ...selection,
  }),
  z.strictObject({
    kind: z.literal('content-type'),
    type: z.custom<string>(isHeaderText, { error: 'should be a content type, such as `text/plain`' }).optional(),
    ...selection,
  }),
  z.strictObject({
    kind: z.literal('rate-limited'),
    retryAfter: z
      .custom<number | string>((value) => Number.isSafeInteger(value) || isHeaderText(value), {
        error: 'should be a whole number of seconds, or a text that a header can carry',
      })
      .optional(),
    ...selection,
  }),
  z.strictObject({
    kind: z.literal('status'),
    status: integer(400, 599, 'should be a status from 400 to 599').optional(),
    ...selection,
  }),
  z.strictObject({ kind: z.literal('duplicate-page'), ...selection }),
  z.strictObject({ kind: z.literal('reorder-page'), ...selection }),
  z.strictObject({ kind: z.literal('cursor-loop'), ...selection }),
  z.strictObject({
    kind: z.literal('drip'),
    everyMs: milliseconds(1).optional(),
    bytes: bytes(1).optional(),
    ...selection,
  }),
  z.strictObject({ kind: z.literal('invalid-utf8'), ...selection }),
  z.strictObject({ kind: z.literal('never'), ...selection }),
] as const;

const kindNames = kinds.map(({ shape }) => `\`${shape.kind.value}\``).join(', ');

/** One fault. A path and a method that no operation has together could never happen, so they are refused. */
export const faultSchema: z.ZodType<Fault> = z
  .discriminatedUnion('kind', kinds, {
    error: ({ code }) => (code === 'invalid_union' ? `should be one of ${kindNames}` : 'should be an object'),
  })
  .refine(({ path, method }) => !path || !method || operations.has(`${method} ${path}`), {
    path: ['method'],
    error: 'should be a method that an operation of this `path` has',
  });

/** The whole plan. */
export const faultPlanSchema: z.ZodType<FaultPlan> = z.strictObject(
  {
    seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 'should be a whole number').optional(),
    faults: z.array(faultSchema, { error: 'should be an array of faults, such as `[{ "kind": "reset" }]`' }).optional(),
    controlHeader: z.boolean({ error: 'should be `true` or `false`' }).optional(),
  },
  { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : 'should be an object with `faults`') },
);
