/**
 * Starts the page: its workers from the text that the page carries, its data from the demo or from
 * `sluice play`.
 */
import { render } from 'preact';
import type { Query } from '../worker/protocol.js';
import { App } from './app.js';
import { Session } from './session.js';

const textOf = (id: string) => document.getElementById(id)?.textContent ?? '';
const worker = URL.createObjectURL(new Blob([textOf('worker')], { type: 'text/javascript' }));
const root = document.getElementById('root')!;

let isDrawing = false;
/** Draws once for all changes of a task. */
function draw(): void {
  if (isDrawing) return;
  isDrawing = true;
  queueMicrotask(() => {
    isDrawing = false;
    render(<App session={session} />, root);
    writeFragment();
  });
}

const session = new Session(() => new Worker(worker), draw);
const fragment = new URLSearchParams(location.hash.slice(1));
const views: readonly string[] = ['all', 'stopped', 'allowed', 'newlyStopped', 'released', 'changed', 'reasonOnly'];

/** Keeps the state of the view in the address, without texts and terms, which may be delicate. */
function writeFragment(): void {
  const { doc, query } = session.view;
  fragment.set('doc', doc);
  fragment.set('view', query.view);
  if (query.ruleId === undefined) fragment.delete('rule');
  else fragment.set('rule', query.ruleId);
  if (location.hash !== `#${fragment}`) history.replaceState(null, '', `#${fragment}`);
}

const view = fragment.get('view') ?? '';
const ruleId = fragment.get('rule') ?? undefined;
session.view = {
  ...session.view,
  doc: fragment.get('doc') ?? '',
  query: { view: views.includes(view) ? (view as Query['view']) : 'stopped', ruleId },
};
const token = fragment.get('token');
if (token === null) session.openDemo(textOf('demo'));
else session.openServed(location.origin, token);
draw();

document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  session.openFiles(event.dataTransfer?.files);
});
