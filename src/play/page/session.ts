/** The page's side of the workers: requests, answers, and the texts as they are edited. */
import type { ColumnMap } from '../../audit/source/columns.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import type { WhyNot } from '../../review/why-not/answer.js';
import type { Answer, Doc, DroppedFile, PlacedFinding, Query, Request, Seen, Tried } from '../worker/protocol.js';

type AnswerOf<Type extends Answer['type']> = Extract<Answer, { readonly type: Type }>;

/** The state of the page. */
export interface View {
  readonly opened?: AnswerOf<'opened'> | undefined;
  readonly texts: Readonly<Record<string, string>>;
  /** The id of the text that is edited. */
  readonly doc: string;
  readonly compiled?: AnswerOf<'compiled'> | undefined;
  /** The findings of lint; absent until its first run has ended. */
  readonly findings?: readonly PlacedFinding[] | undefined;
  readonly seen?: Seen | undefined;
  /** The share of the messages that are judged, if judging takes a while. */
  readonly share?: number | undefined;
  readonly text: string;
  /** Scores by operand and label, if they are set. */
  readonly scores: readonly Scores[];
  readonly tried?: Tried | undefined;
  readonly why: Readonly<Record<string, readonly WhyNot[]>>;
  readonly query: Query;
  readonly rows?: AnswerOf<'rows'> | undefined;
  readonly failed?: string | undefined;
  /** The columns of messages that wait for the choice of one for the text. */
  readonly columns?: readonly string[] | undefined;
  /** The last action, for the status line. */
  readonly said?: string | undefined;
}

const firstView: View = {
  texts: {},
  doc: '',
  text: 'You moron, buy now and click here',
  scores: [],
  why: {},
  query: { view: 'stopped' },
};

/** The list that the demo opens with. */
const firstList = 'list:scam-phrases';
/** Returns an id of letters, digits and hyphens that is not taken. */
function idFrom(name: string, taken: readonly unknown[]): string {
  const id =
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '') || 'new';
  for (let number = 2, next = id; ; number++) {
    if (!taken.includes(next)) return next;
    next = `${id}-${number}`;
  }
}

/** The page and its two workers. `onChange` is called after every change of its view. */
export class Session {
  view = firstView;
  readonly #judge: Worker;
  readonly #onChange: () => void;
  #startLinter: () => void;
  /** The files that were opened last. */
  #files: readonly DroppedFile[] = [];

  constructor(startWorker: () => Worker, onChange: () => void) {
    this.#onChange = onChange;
    this.#judge = startWorker();
    const { port1, port2 } = new MessageChannel();
    this.#judge.postMessage({ type: 'start', port: port1 } satisfies Request, [port1]);
    this.#listen(this.#judge);
    // Starting a second worker at once would delay the first result.
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
    else if (answer.type === 'docs') this.#takeDocs(answer.docs);
    else if (answer.type === 'compiled') this.set({ compiled: answer, why: {} });
    else if (answer.type === 'findings') this.set({ findings: answer.findings });
    else if (answer.type === 'progress') this.set({ share: answer.share });
    else if (answer.type === 'seen') {
      this.set({ seen: answer.seen, share: undefined });
      this.#startLinter();
      this.list();
    } else if (answer.type === 'tried') this.set({ tried: answer.tried });
    else if (answer.type === 'why') this.set({ why: { ...this.view.why, [answer.ruleId]: answer.answers } });
    else if (answer.type === 'rows') this.set({ rows: answer });
    else if (answer.type === 'failed') this.set({ failed: answer.detail, columns: answer.columns, share: undefined });
    else this.#takeKept(answer);
  }

  #takeOpened(opened: AnswerOf<'opened'>): void {
    const texts = Object.fromEntries(opened.docs.map(({ id, text }) => [id, text]));
    const doc = [this.view.doc, firstList, opened.docs[0]?.id].find((id) => id !== undefined && id in texts) ?? '';
    const none = { seen: undefined, findings: undefined, failed: undefined, columns: undefined };
    this.set({ ...none, opened, texts, doc, said: opened.note });
    this.try(this.view.text, this.view.scores);
  }

  /** Takes the texts after one was added as the last, and opens that one. */
  #takeDocs(docs: readonly Doc[]): void {
    const added = docs.find(({ id }) => !(id in this.view.texts));
    const texts = { ...this.view.texts, ...(added && { [added.id]: added.text }) };
    this.set({ opened: this.view.opened && { ...this.view.opened, docs }, texts, ...(added && { doc: added.id }) });
  }

  openDemo(data: string): void {
    this.#send({ type: 'demo', data });
  }

  openServed(url: string, token: string): void {
    this.#send({ type: 'served', url, token });
  }

  /** Opens files, or those of the last time with other columns. */
  openFiles(given: FileList | null | undefined, map?: ColumnMap): void {
    const named = [...(given ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, blob: file }));
    const files = map === undefined ? named : this.#files;
    if (files.length === 0) return;
    this.#files = files;
    this.set({ said: 'reading…', failed: undefined, columns: undefined });
    this.#send({ type: 'files', files, map });
  }

  edit(doc: string, text: string): void {
    if (this.view.texts[doc] === text) return;
    this.set({ texts: { ...this.view.texts, [doc]: text }, said: undefined });
    this.#send({ type: 'edit', docs: { [doc]: text } });
  }

  /** Adds an empty list, and opens it. Returns its id. */
  addList(name: string): string {
    const id = idFrom(name, this.view.opened?.docs.map((doc) => doc.id.replace('list:', '')) ?? []);
    this.#send({ type: 'add', list: { id, name, category: 'word', searchTerms: [] } });
    return id;
  }

  /** Writes a rule into the JSON of the rules. `looksFor` is its condition. */
  addRule(name: string, action: string, looksFor: object): void {
    const rules = JSON.parse(this.view.texts.rules ?? '[]') as { readonly id?: unknown }[];
    const id = idFrom(
      name,
      rules.map((rule) => rule?.id),
    );
    const condition = { id: 1, operand: 'text', operator: 'contains', ...looksFor };
    const rule = { id, name, enabled: true, action: [action], conditions: [condition] };
    this.edit('rules', `${JSON.stringify([...rules, rule], null, 2)}\n`);
    this.set({ said: `rule ${name} is the last one of the rules` });
  }

  try(text: string, scores: readonly Scores[]): void {
    this.set({ text, scores, why: {} });
    this.#send({ type: 'try', text, scores });
  }

  whyNot(ruleId: string): void {
    this.#send({ type: 'why', ruleId, text: this.view.text, scores: this.view.scores });
  }

  /** Lists the first messages of a query. */
  list(query: Query = this.view.query): void {
    if (query !== this.view.query) this.set({ query, rows: undefined });
    this.#send({ type: 'rows', query });
  }

  keep(form: 'json' | 'case'): void {
    this.#send({ type: 'keep', form, text: this.view.text, scores: this.view.scores });
  }

  #takeKept({ data }: AnswerOf<'kept'>): void {
    if (typeof data === 'string') {
      void this.copy(data, 'the golden case is copied; `sluice test` takes it as a line of a file');
      return;
    }
    const link = document.createElement('a');
    link.href = URL.createObjectURL(data);
    link.download = 'rules.json';
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
