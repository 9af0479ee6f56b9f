/**
 * What workers judged, in the audit's directory: a file for each span, written whole or not at all, behind its digest and with its plan and
 * span. What a disk damaged, and a file of another span, is no result: the span is judged again.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { jsonWithDigest, partsFolder, privateFile, withDigest } from '../audit/keep/parts.js';
import { isOwn, namesInOwn, readOwn, removeOwn } from '../files/own-entries.js';
import { writeOwn } from '../files/replace-file.js';
import { spansFolder } from './span-plan.js';
import { type JudgedSpan, nameOfSpan, type Span } from './spans.js';

const anObject = (value: unknown) => typeof value === 'object' && value !== null;

const resultSchema = z.object({
  /** Digest of the plan. */
  plan: z.string(),
  /** Name of the span. */
  span: z.string(),
  rows: z.string(),
  rowCount: z.number(),
  summary: z.custom<JudgedSpan['summary']>(anObject),
  examples: z.custom<JudgedSpan['examples']>((value) => value === undefined || Array.isArray(value)).optional(),
  bad: z.tuple([]),
  badCount: z.literal(0),
});

export class SpanResults {
  readonly #directory: string;
  readonly #folder: string;
  readonly #plan: string;
  /** A worker that still follows a plan of before writes files of other names, which nobody reads. */
  readonly #suffix: string;

  /** Results of the plan with a digest. */
  constructor(directory: string, digest: string) {
    this.#directory = directory;
    this.#folder = spansFolder(directory);
    this.#plan = digest;
    this.#suffix = `.${digest}.judged`;
  }

  /** Names of the spans that are judged. */
  async names(): Promise<ReadonlySet<string>> {
    await isOwn(partsFolder(this.#directory), 'folder');
    const files = await namesInOwn(this.#folder);
    return new Set(files.flatMap((name) => (name.endsWith(this.#suffix) ? [name.slice(0, -this.#suffix.length)] : [])));
  }

  has(span: Span): Promise<boolean> {
    return isOwn(this.#path(span), 'file');
  }

  /** Keeps what a span gave. Rejects with the error of the file system, and `UsageError` when the folder is not ours. */
  async write(span: Span, judged: JudgedSpan): Promise<void> {
    await this.#check();
    const result = { plan: this.#plan, span: nameOfSpan(span), ...judged };
    await writeOwn(this.#path(span), withDigest(JSON.stringify(result)), privateFile);
  }

  /** What a span gave; undefined when it is not judged. What is no whole result of it is removed, so that it is judged again. */
  async read(span: Span): Promise<JudgedSpan | undefined> {
    await this.#check();
    const text = await readOwn(this.#path(span));
    if (text === undefined) return undefined;
    const result = resultSchema.safeParse(jsonWithDigest(text)).data;
    if (result?.plan === this.#plan && result.span === nameOfSpan(span)) {
      const { plan: _, span: __, ...judged } = result;
      return judged;
    }
    await this.remove(span);
    return undefined;
  }

  remove(span: Span): Promise<void> {
    return removeOwn(this.#path(span));
  }

  /** Throws `UsageError` when a link, or something else, is in the place of a folder. */
  async #check(): Promise<void> {
    await isOwn(partsFolder(this.#directory), 'folder');
    await isOwn(this.#folder, 'folder');
  }

  #path(span: Span): string {
    return join(this.#folder, `${nameOfSpan(span)}${this.#suffix}`);
  }
}
