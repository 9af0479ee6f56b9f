import { decodeText, readBytes } from '../../foundation/files/json.js';

/** The revisions that a person has accepted, and what is wrong with the file that holds them. */
export interface AcceptedRevisions {
  readonly revisions: ReadonlySet<string>;
  readonly problem?: string;
}

/** Reads a file of revisions, one a line; blank lines and those that begin with `#` are left out. Never rejects. */
export async function readAcceptFile(path: string): Promise<AcceptedRevisions> {
  try {
    const lines = decodeText(await readBytes(path, 'read accepted revisions from', { isRegular: true }), path).split(
      '\n',
    );
    const revisions = new Set<string>();
    let problem: string | undefined;
    for (const [index, line] of lines.entries()) {
      const word = line.trim();
      if (word === '' || word.startsWith('#')) continue;
      if (/^[0-9a-f]{32}$/.test(word)) revisions.add(word);
      else
        problem ??= `${path}:${index + 1}: must be a revision of 32 hexadecimal characters, as \`sluice lint --json\` prints it`;
    }
    return { revisions, ...(problem !== undefined && { problem }) };
  } catch (error) {
    return { revisions: new Set(), problem: (error as Error).message };
  }
}
