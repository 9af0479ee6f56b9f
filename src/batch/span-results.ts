/** What workers judged, in the audit's directory: a file for each span, written whole or not at all. */
import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomically } from '../files/replace-file.js';
import { privateFile } from './parts.js';
import { spansFolder } from './span-plan.js';
import { type JudgedSpan, nameOfSpan, type Span } from './spans.js';

const anObject = (value: unknown) => typeof value === 'object' && value !== null;

const judgedSchema = z.object({
  rows: z.string(),
  rowCount: z.number(),
  summary: z.custom<JudgedSpan['summary']>(anObject),
  examples: z.custom<JudgedSpan['examples']>((value) => value === undefined || Array.isArray(value)).optional(),
  bad: z.tuple([]),
  badCount: z.literal(0),
});

export class SpanResults {
  readonly #folder: string;
  /** A worker that still follows a plan of before writes files of other names, which nobody reads. */
  readonly #suffix: string;

  /** Results of the plan with a digest. */
  constructor(directory: string, digest: string) {
    this.#folder = spansFolder(directory);
    this.#suffix = `.${digest}.judged`;
  }

  /** Names of the spans that are judged. */
  async names(): Promise<ReadonlySet<string>> {
    const files = await readdir(this.#folder);
    return new Set(files.flatMap((name) => (name.endsWith(this.#suffix) ? [name.slice(0, -this.#suffix.length)] : [])));
  }

  has(span: Span): Promise<boolean> {
    return access(this.#path(span)).then(
      () => true,
      () => false,
    );
  }

  /** Keeps what a span gave. Rejects with the error of the file system. */
  write(span: Span, judged: JudgedSpan): Promise<void> {
    return writeFileAtomically(this.#path(span), JSON.stringify(judged), privateFile);
  }

  /** What a span gave; undefined when it is not judged. What is no whole result is removed, so that the span is judged again. */
  async read(span: Span): Promise<JudgedSpan | undefined> {
    const text = await readFile(this.#path(span), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (text === undefined) return undefined;
    const judged = judgedSchema.safeParse(jsonOf(text)).data;
    if (judged === undefined) await this.remove(span);
    return judged;
  }

  remove(span: Span): Promise<void> {
    return rm(this.#path(span), { force: true });
  }

  #path(span: Span): string {
    return join(this.#folder, `${nameOfSpan(span)}${this.#suffix}`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
