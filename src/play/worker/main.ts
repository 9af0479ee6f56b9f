/**
 * The worker of the page. It judges, or it lints: the page starts one worker for each, and connects
 * them by a port.
 */
import { ColumnError } from '../../audit/source/columns.js';
import { createEngine, type Engine, type RuleSetInput } from '../../engine/engine.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import { SluiceError } from '../../foundation/errors.js';
import { nextTask } from '../../foundation/portions.js';
import type { KeywordList } from '../../platform/contract/keyword-list.js';
import type { MessageDraft } from '../../platform/contract/message-draft.js';
import { whyNot } from '../../review/why-not/why-not.js';
import { Corpus } from './corpus.js';
import { openDemo } from './demo.js';
import { Draft } from './draft.js';
import { keep } from './keep.js';
import { lintWritten, type Written } from './lint-rules.js';
import type { Answer, Doc, DocError, Opened, Request } from './protocol.js';
import { readFiles } from './read-files.js';
import { openServed } from './served.js';
import { labelsOf, messageOf, tryMessage } from './try-message.js';

const scope = globalThis as unknown as {
  onmessage: ((event: { readonly data: Request }) => void) | null;
  postMessage(answer: Answer): void;
};
const send = (answer: Answer) => scope.postMessage(answer);
const asInput = (rules: unknown) => rules as RuleSetInput;

/**
 * Lints the rules that come through the port, after a pause in the typing; of several that come
 * meanwhile, only the last.
 */
function lintFrom(port: MessagePort): void {
  let next: Written | undefined;
  let isBusy = false;
  const work = async () => {
    isBusy = true;
    while (next !== undefined) {
      const written = next;
      next = undefined;
      const findings = await lintWritten(written);
      if (next === undefined) send({ type: 'findings', findings });
    }
    isBusy = false;
  };
  port.onmessage = ({ data }: { readonly data: Written }) => {
    next = data;
    setTimeout(() => next === data && !isBusy && void work(), 300);
  };
}

/** The largest number of listed messages; others are found by a search. */
const mostRows = 200;

/** The state of the worker that judges. */
class Judge {
  readonly #port: MessagePort;
  #draft = new Draft({ rules: [], lists: [] });
  #corpus = new Corpus([]);
  #names = { rules: '', messages: '' };
  #opened: Engine = createEngine({ rules: [], lists: [] });
  #engine = this.#opened;
  #editing = 0;
  #seeing = 0;
  #tried: Extract<Request, { type: 'try' }> | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  open({ rules, rulesName = '', messages, scores, messagesName = '', note }: Opened): void {
    if (messages !== undefined) {
      this.#corpus = new Corpus(messages as readonly MessageDraft[], scores);
      this.#names = { ...this.#names, messages: messagesName };
    }
    if (rules !== undefined) {
      this.#opened = createEngine(asInput(rules));
      this.#draft = new Draft(rules);
      this.#names = { ...this.#names, rules: rulesName };
      this.#corpus.reset();
    }
    send({
      type: 'opened',
      docs: this.#docs(),
      rulesName: this.#names.rules,
      messagesName: this.#names.messages,
      messages: this.#corpus.messages.length,
      note,
    });
    this.#compile();
  }

  async edit(docs: Readonly<Record<string, string>>): Promise<void> {
    for (const [doc, text] of Object.entries(docs)) this.#draft.edit(doc, text);
    const turn = ++this.#editing;
    // Requests for keys that were pressed meanwhile come first.
    await nextTask();
    if (turn === this.#editing) this.#compile();
  }

  #compile(): void {
    const { ruleSet, texts, errors: ofTexts } = this.#draft;
    const errors: DocError[] = [...ofTexts];
    try {
      this.#engine = createEngine(asInput(ruleSet));
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      errors.push({ doc: 'readings', detail: error.message });
    }
    const rules = [...this.#engine.runningRules()].map(({ ruleId, ruleName }) => ({ ruleId, ruleName }));
    send({ type: 'compiled', errors, labels: labelsOf(ruleSet), rules });
    this.#port.postMessage({ ruleSet, texts } satisfies Written);
    if (this.#tried !== undefined) this.try(this.#tried);
    void this.#see();
  }

  async #see(): Promise<void> {
    const turn = ++this.#seeing;
    const run = {
      isWanted: () => turn === this.#seeing,
      onProgress: (share: number) => send({ type: 'progress', share }),
    };
    const seen = await this.#corpus.see(this.#engine, this.#opened, run);
    if (seen !== undefined) send({ type: 'seen', seen });
  }

  try(request: Extract<Request, { type: 'try' }>): void {
    this.#tried = request;
    const tried = request.text === '' ? undefined : tryMessage(this.#engine, request.text, request.scores);
    send({ type: 'tried', tried });
  }

  whyNot(ruleId: string, text: string, scores: readonly Scores[]): void {
    const answers = whyNot(asInput(this.#draft.ruleSet), messageOf(text), { ruleId, scores });
    send({ type: 'why', ruleId, answers });
  }

  add(list: KeywordList): void {
    this.#draft.add(list);
    send({ type: 'docs', docs: this.#docs() });
    this.#compile();
  }

  /** Returns the texts as they are edited. */
  #docs(): readonly Doc[] {
    return this.#draft.docs.map((doc) => ({ ...doc, text: this.#draft.texts.get(doc.id) ?? doc.text }));
  }

  rows({ query }: Extract<Request, { type: 'rows' }>): void {
    send({ type: 'rows', ...this.#corpus.rows(query, mostRows) });
  }

  keep({ form, text, scores }: Extract<Request, { type: 'keep' }>): void {
    const message = messageOf(text);
    const decision = this.#engine.explain(message, scores);
    send({ type: 'kept', data: keep(form, { ruleSet: this.#draft.ruleSet, message, scores, decision }) });
  }

  async answer(request: Request): Promise<void> {
    if (request.type === 'demo') this.open(await openDemo(request.data));
    else if (request.type === 'files') this.open(await readFiles(request.files, request.map));
    else if (request.type === 'served') this.open(await openServed(request));
    else if (request.type === 'edit') await this.edit(request.docs);
    else if (request.type === 'add') this.add(request.list);
    else if (request.type === 'try') this.try(request);
    else if (request.type === 'why') this.whyNot(request.ruleId, request.text, request.scores);
    else if (request.type === 'rows') this.rows(request);
    else if (request.type === 'keep') this.keep(request);
    else throw new Error(`there is no request \`${request.type}\``);
  }
}

let judge: Judge | undefined;

scope.onmessage = ({ data }) => {
  if (data.type === 'lint') lintFrom(data.port as MessagePort);
  else if (data.type === 'start') judge = new Judge(data.port as MessagePort);
  else
    judge?.answer(data).catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : String(error);
      send({ type: 'failed', detail, columns: error instanceof ColumnError ? error.columns : undefined });
    });
};
