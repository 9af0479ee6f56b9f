/** The page's side of the workers: requests, answers, and the texts as they are edited. */
import type { Scores } from '../../engine/evaluate/scores.js';
import type { WhyNot } from '../../review/why-not/answer.js';
import type { Answer, DroppedFile, PlacedFinding, Query, Request, Seen, Tried } from '../worker/protocol.js';
import { History } from './history.js';

type AnswerOf<Type extends Answer['type']> = Extract<Answer, { readonly type: Type }>;

/** The state of the page. */
export interface View {
  readonly opened?: AnswerOf<'opened'> | undefined;
  readonly texts: Readonly<Record<string, string>>;
  /** The id of the text that is edited. */
  readonly doc: string;
  readonly compiled?: AnswerOf<'compiled'> | undefined;
  readonly findings: readonly PlacedFinding[];
  readonly seen?: Seen | undefined;
  /** How far judging is, where it takes a while. */
  readonly share?: number | undefined;
  readonly text: string;
  /** Scores by operand and label, where they are set. */
  readonly scores: readonly Scores[];
  readonly tried?: Tried | undefined;
  readonly why: Readonly<Record<string, readonly WhyNot[]>>;
  readonly query: Query;
  readonly rows?: AnswerOf<'rows'> | undefined;
  readonly failed?: string | undefined;
  /** The last thing that was done, for the status line. */
  readonly said?: string | undefined;
}

const firstView: View = {
  texts: {},
  doc: '',
  findings: [],
  text: 'You moron, buy now and click here',
  scores: [],
  why: {},
  query: { view: 'stopped' },
};

/** The list that the demo opens with. */
const firstList = 'list:scam-phrases';
/** Rows that are requested at a time. */
const rowsAtATime = 60;

/** The page and its two workers. `onChange` is called after every change of its view. */
export class Session {
  view = firstView;
  readonly history = new History();
  readonly #judge: Worker;
  readonly #onChange: () => void;
  #startLinter: () => void;
  #wantedRows = 0;

  constructor(startWorker: () => Worker, onChange: () => void) {
    this.#onChange = onChange;
    this.#judge = startWorker();
    const { port1, port2 } = new MessageChannel();
    this.#judge.postMessage({ type: 'start', port: port1 } satisfies Request, [port1]);
    this.#listen(this.#judge);
    // A second worker at once would delay the first result.
    this.#startLinter = () => {
      this.#startLinter = () => undefined;
      const linter = startWorker();
      linter.postMessage({ type: 'lint', port: port2 } satisfies Request, [port2]);
      this.#listen(linter);
    };
  }

  #listen(worker: Worker): void {
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#take(data);
    worker.onerror = ({ message }) => this.set({ failed: `this is a bug in sluice: ${message}` });
  }

  set(change: Partial<View>): void {
    this.view = { ...this.view, ...change };
    this.#onChange();
  }

  #send(request: Request): void {
    this.#judge.postMessage(request);
  }

  #take(answer: Answer): void {
    if (answer.type === 'opened') this.#takeOpened(answer);
    else if (answer.type === 'compiled') this.set({ compiled: answer, why: {} });
    else if (answer.type === 'findings') this.set({ findings: answer.findings });
    else if (answer.type === 'progress') this.set({ share: answer.share });
    else if (answer.type === 'seen') {
      this.set({ seen: answer.seen, share: undefined });
      this.#startLinter();
      this.list(this.#wantedRows);
    } else if (answer.type === 'tried') this.set({ tried: answer.tried });
    else if (answer.type === 'why') this.set({ why: { ...this.view.why, [answer.ruleId]: answer.answers } });
    else if (answer.type === 'rows') this.set({ rows: answer });
    else if (answer.type === 'failed') this.set({ failed: answer.detail, share: undefined });
    else this.#takeKept(answer);
  }

  #takeOpened(opened: AnswerOf<'opened'>): void {
    const texts = Object.fromEntries(opened.docs.map(({ id, text }) => [id, text]));
    const doc = [this.view.doc, firstList, opened.docs[0]?.id].find((id) => id !== undefined && id in texts) ?? '';
    this.history.clear();
    this.set({ opened, texts, doc, seen: undefined, findings: [], said: opened.note, failed: undefined });
    this.try(this.view.text, this.view.scores);
  }

  openDemo(data: string): void {
    this.#send({ type: 'demo', data });
  }

  openServed(url: string, token: string): void {
    this.#send({ type: 'served', url, token });
  }

  openFiles(files: readonly DroppedFile[]): void {
    if (files.length === 0) return;
    this.set({ said: 'reading…', failed: undefined });
    this.#send({ type: 'files', files });
  }

  edit(doc: string, text: string): void {
    const before = this.view.texts[doc];
    if (before === undefined || before === text) return;
    this.history.add({ doc, before, after: text });
    this.#put({ doc, text });
  }

  undo(): void {
    const change = this.history.undo();
    if (change !== undefined) this.#put({ doc: change.doc, text: change.before });
  }

  redo(): void {
    const change = this.history.redo();
    if (change !== undefined) this.#put({ doc: change.doc, text: change.after });
  }

  #put({ doc, text }: { readonly doc: string; readonly text: string }): void {
    this.set({ doc, texts: { ...this.view.texts, [doc]: text }, said: undefined });
    this.#send({ type: 'edit', docs: { [doc]: text } });
  }

  try(text: string, scores: readonly Scores[]): void {
    this.set({ text, scores, why: {} });
    this.#send({ type: 'try', text, scores });
  }

  whyNot(ruleId: string): void {
    this.#send({ type: 'why', ruleId, text: this.view.text, scores: this.view.scores });
  }

  /** Lists the messages of a query around a position. */
  list(from: number, query: Query = this.view.query): void {
    if (query !== this.view.query) this.set({ query, rows: undefined });
    this.#wantedRows = Math.max(0, from);
    this.#send({ type: 'rows', query, from: this.#wantedRows, count: rowsAtATime });
  }

  keep(form: 'json' | 'zip' | 'case'): void {
    this.#send({ type: 'keep', form, text: this.view.text, scores: this.view.scores });
  }

  #takeKept({ form, data }: AnswerOf<'kept'>): void {
    if (typeof data === 'string') {
      void this.copy(data, 'the golden case is copied; `sluice test` takes it as a line of a file');
      return;
    }
    const link = document.createElement('a');
    link.href = URL.createObjectURL(data);
    link.download = form === 'zip' ? 'rules.zip' : 'rules.json';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    this.set({ said: `${link.download} is among the downloads` });
  }

  async copy(text: string, said: string): Promise<void> {
    await navigator.clipboard.writeText(text).then(
      () => this.set({ said }),
      () => this.set({ said: `copy this: ${text}` }),
    );
  }
}
