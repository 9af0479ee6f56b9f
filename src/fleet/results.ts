/**
 * What workers judged, in the audit's directory: a file for each window, written whole or not at all, behind its digest and with its plan and
 * window. What a disk damaged, and a file of another window, is no result: the window is judged again.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { jsonWithDigest, judgedFields, partsFolder, privateFile, withDigest } from '../audit/keep/parts.js';
import { isOwn, namesInOwn, readOwn, removeOwn } from '../files/own-entries.js';
import { writeOwn } from '../files/replace-file.js';
import { windowsFolder } from './plan.js';
import { type JudgedWindow, nameOfWindow, type WindowBounds } from './windows.js';

const resultSchema = z.object({
  /** Digest of the plan. */
  plan: z.string(),
  /** Name of the window. */
  window: z.string(),
  rows: z.string(),
  ...judgedFields,
});

export class WindowResults {
  readonly #directory: string;
  readonly #folder: string;
  readonly #plan: string;
  /** A worker that still follows a plan of before writes files of other names, which nobody reads. */
  readonly #suffix: string;

  /** Results of the plan with a digest. */
  constructor(directory: string, digest: string) {
    this.#directory = directory;
    this.#folder = windowsFolder(directory);
    this.#plan = digest;
    this.#suffix = `.${digest}.judged`;
  }

  /** Names of the windows that are judged. */
  async names(): Promise<ReadonlySet<string>> {
    await isOwn(partsFolder(this.#directory), 'folder');
    const files = await namesInOwn(this.#folder);
    return new Set(files.flatMap((name) => (name.endsWith(this.#suffix) ? [name.slice(0, -this.#suffix.length)] : [])));
  }

  has(window: WindowBounds): Promise<boolean> {
    return isOwn(this.#path(window), 'file');
  }

  /** Keeps what a window gave. Rejects with the error of the file system, and `UsageError` when the folder is not ours. */
  async write(window: WindowBounds, judged: JudgedWindow): Promise<void> {
    await this.#check();
    const result = { plan: this.#plan, window: nameOfWindow(window), ...judged };
    await writeOwn(this.#path(window), withDigest(JSON.stringify(result)), privateFile);
  }

  /** What a window gave; undefined when it is not judged. What is no whole result of it is removed, so that it is judged again. */
  async read(window: WindowBounds): Promise<JudgedWindow | undefined> {
    await this.#check();
    const text = await readOwn(this.#path(window));
    if (text === undefined) return undefined;
    const result = resultSchema.safeParse(jsonWithDigest(text)).data;
    if (result?.plan === this.#plan && result.window === nameOfWindow(window)) {
      const { plan: _, window: __, ...judged } = result;
      return judged;
    }
    await this.remove(window);
    return undefined;
  }

  remove(window: WindowBounds): Promise<void> {
    return removeOwn(this.#path(window));
  }

  /** Throws `UsageError` when a link, or something else, is in the place of a folder. */
  async #check(): Promise<void> {
    await isOwn(partsFolder(this.#directory), 'folder');
    await isOwn(this.#folder, 'folder');
  }

  #path(window: WindowBounds): string {
    return join(this.#folder, `${nameOfWindow(window)}${this.#suffix}`);
  }
}
