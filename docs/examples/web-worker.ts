/**
 * The engine in a worker of a browser, or of any runtime with the same interface, so that the page goes on while rules are compiled:
 *
 *   const worker = new Worker('/web-worker.js', { type: 'module' });
 *   worker.postMessage({ ruleSet });
 *   worker.postMessage({ id: 1, message: 'hello' }); // comes back as { id: 1, decision }
 *
 * It tells the writer of a message what would happen. The server decides again, with a category, role and entities of its own.
 */
import { createEngine, type Engine, type MessageDraft, type RuleSetInput } from 'sluice/engine';

type Incoming = { readonly ruleSet: RuleSetInput } | { readonly id: number; readonly message: string | MessageDraft };

let engine: Engine | undefined;

self.onmessage = ({ data }: MessageEvent<Incoming>) => {
  if ('ruleSet' in data) engine = createEngine(data.ruleSet);
  else if (engine !== undefined) self.postMessage({ id: data.id, decision: engine.explain(data.message) });
};
