/** What an editor shows: the language server of the compiler, over one file that exists in memory only. */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '../..');

interface Reply {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A place in a text, behind the first occurrence of some code. */
function positionAfter(text: string, code: string) {
  const at = text.indexOf(code) + code.length;
  if (at < code.length) throw new Error(`the text does not hold ${code}`);
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)!.length };
}

/** Opens a file of the folder `test` with the text given; `close` ends the server. */
export async function openInEditor(text: string) {
  const server = spawn(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--lsp', '--stdio'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  server.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the language server ended with ${code}`));
  });
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const receive = ({ id, method, result, error }: Reply) => {
    if (id === undefined) return;
    if (method !== undefined) return send({ id, result: null });
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error.message));
    waiting.delete(id);
  };
  let received = Buffer.alloc(0);
  server.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const start = received.indexOf('\r\n\r\n') + 4;
      const end = start + Number(/Content-Length: (\d+)/i.exec(received.subarray(0, start).toString())?.[1]);
      if (start < 4 || received.length < end) return;
      receive(JSON.parse(received.subarray(start, end).toString()) as Reply);
      received = received.subarray(end);
    }
  });
  let last = 0;
  const request = (method: string, params: object) =>
    new Promise<unknown>((resolve, reject) => {
      last++;
      waiting.set(last, { resolve, reject });
      send({ id: last, method, params });
    });

  const uri = pathToFileURL(join(root, 'test/in-memory.ts')).href;
  const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] } } };
  await request('initialize', { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities });
  send({ method: 'initialized', params: {} });
  send({
    method: 'textDocument/didOpen',
    params: { textDocument: { uri, languageId: 'typescript', version: 1, text } },
  });
  const at = (code: string) => ({ textDocument: { uri }, position: positionAfter(text, code) });
  return {
    /** Labels of the completions behind some code. */
    completionsAfter: async (code: string): Promise<string[]> => {
      const list = (await request('textDocument/completion', at(code))) as { items: { label: string }[] };
      return list.items.map(({ label }) => label);
    },
    /** The hover text over the last character of some code. */
    hoverOver: async (code: string): Promise<string> => {
      const { textDocument, position } = at(code);
      const hover = (await request('textDocument/hover', {
        textDocument,
        position: { ...position, character: position.character - 1 },
      })) as { contents: { value: string } };
      return hover.contents.value;
    },
    close: () => server.kill(),
  };
}
