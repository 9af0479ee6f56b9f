/**
 * The section "Change": a text of the rules, with the findings of lint and the numbers of messages
 * beside its lines.
 */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { parseTermList } from '../../platform/loader/term-list.js';
import { type DocError, type PlacedFinding, type Seen, termKey } from '../worker/protocol.js';
import { NewParts } from './new-parts.js';
import type { Session } from './session.js';
import { counted, formatCount, longestLine, shortened } from './words.js';

/** The height of a line in pixels, as the style has it. */
const lineHeight = 24;
const mostFindings = 60;

/** A note beside a line. */
interface Note {
  readonly line: number;
  readonly tone: 'error' | 'warning' | 'info' | '';
  readonly words: string;
  /** Messages that the term of the line matches. */
  readonly messages?: number | undefined;
}

export function Change({ session }: { readonly session: Session }) {
  const { view } = session;
  const { opened, doc, compiled } = view;
  const errors = (compiled?.errors ?? []).filter((error) => error.doc === doc);
  const findings = view.findings?.filter((finding) => finding.doc === doc);
  const elsewhere = (view.findings?.length ?? 0) - (findings?.length ?? 0);
  const editor = useRef<HTMLTextAreaElement>(null);
  const goTo = (line: number) => {
    const element = editor.current;
    if (element === null) return;
    const before = element.value.split('\n').slice(0, line);
    const start = before.join('\n').length + (line > 0 ? 1 : 0);
    element.focus();
    const end = element.value.indexOf('\n', start);
    element.setSelectionRange(start, end < 0 ? element.value.length : end);
    element.scrollTop = Math.max(0, (line - 3) * lineHeight);
  };
  return (
    <section class="change" aria-labelledby="change-title">
      <div class="bar">
        <h2 id="change-title">Change</h2>
        <select
          aria-label="What to edit"
          value={doc}
          onChange={(event) => session.set({ doc: event.currentTarget.value })}
        >
          {opened?.docs.map(({ id, title }) => (
            <option value={id}>
              {id.startsWith('list:') ? `List: ${shortened(title, 60)}` : title}
              {view.texts[id] === opened.docs.find((one) => one.id === id)?.text ? '' : ' (changed)'}
            </option>
          ))}
        </select>
      </div>
      <NewParts session={session} />
      <Editor session={session} errors={errors} findings={findings ?? []} editor={editor} />
      {errors.map(({ line, detail }) => (
        <p class="error" role="alert">
          {line === undefined ? detail : `line ${line + 1}: ${detail}`}; the last good state is judged
        </p>
      ))}
      <Findings findings={findings} elsewhere={elsewhere} onGo={goTo} />
    </section>
  );
}

interface FindingsProps {
  /** The findings of lint; absent until the rules are checked. */
  readonly findings: readonly PlacedFinding[] | undefined;
  readonly elsewhere: number;
  readonly onGo: (line: number) => void;
}

function Findings({ findings: given, elsewhere, onGo }: FindingsProps) {
  const findings = given ?? [];
  const rank = { error: 0, warning: 1, info: 2 };
  const ordered = [...findings].sort((a, b) => rank[a.severity] - rank[b.severity] || a.line - b.line);
  return (
    <details class="findings" open={findings.some(({ severity }) => severity === 'error')}>
      <summary>
        {given === undefined ? 'looking for findings…' : `${counted(findings.length, 'finding')} here`}
        {elsewhere > 0 ? `, ${formatCount(elsewhere)} elsewhere` : ''}
      </summary>
      <ul class="plain">
        {ordered.slice(0, mostFindings).map(({ id, severity, line, term, pattern, detail, mend, witness }) => (
          <li>
            <button type="button" class="link" onClick={() => onGo(line)}>
              line {line + 1}
            </button>{' '}
            <span class={severity}>{id}</span> {shortened(term ?? pattern ?? '', 60)}
            <div>{detail}</div>
            {witness !== undefined && (
              <blockquote>
                <bdi>“{shortened(witness, 200)}”</bdi>
              </blockquote>
            )}
            {mend !== undefined && <div class="faint">fix: {mend}</div>}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface EditorProps {
  readonly session: Session;
  readonly errors: readonly DocError[];
  readonly findings: readonly PlacedFinding[];
  readonly editor: { current: HTMLTextAreaElement | null };
}

/**
 * The text with a margin. Only the lines in sight have notes, so that a long list costs no more
 * than a short one. Each text that was shown keeps its field, so that the browser can undo what was
 * typed there.
 */
function Editor({ session, errors, findings, editor }: EditorProps) {
  const { doc, texts, seen } = session.view;
  const text = texts[doc] ?? '';
  const isTooLong = useMemo(() => text.split('\n').some((line) => line.length > longestLine), [text]);
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const fields = useRef(new Set<string>());
  fields.current = new Set([...fields.current, doc].filter((id) => id in texts));
  const isNew = useRef(new Set<string>());
  useLayoutEffect(() => {
    const element = editor.current;
    if (element === null) return;
    if (!isNew.current.has(doc) && doc.startsWith('list:')) element.scrollTop = element.scrollHeight;
    isNew.current.add(doc);
    setScroll({ top: element.scrollTop, height: element.clientHeight });
  }, [doc]);
  const first = Math.floor(scroll.top / lineHeight);
  const last = first + Math.ceil(scroll.height / lineHeight);
  const notes = notesOf({
    text,
    listId: doc.startsWith('list:') ? doc.slice('list:'.length) : undefined,
    first,
    last,
    seen,
  });
  const ofFindings = findings.filter(({ line }) => line >= first && line <= last);
  for (const { line, severity, id } of ofFindings)
    notes.set(line, { ...notes.get(line), line, tone: severity, words: id });
  for (const { line = 0 } of errors) notes.set(line, { line, tone: 'error', words: 'cannot be read' });
  if (isTooLong)
    return <p class="hint">A line of this text is too long to be edited here; edit it in a file, and open that.</p>;
  return (
    <div class="editor">
      {[...fields.current].map((id) => (
        <textarea
          key={id}
          {...(id === doc && { ref: editor })}
          hidden={id !== doc}
          aria-label="Text that is edited"
          wrap="off"
          spellcheck={false}
          autocapitalize="off"
          autocomplete="off"
          value={texts[id] ?? ''}
          onInput={(event) => session.edit(id, event.currentTarget.value)}
          onScroll={({ currentTarget: { scrollTop, clientHeight } }) =>
            setScroll({ top: scrollTop, height: clientHeight })
          }
        />
      ))}
      <div class="margin" aria-hidden="true">
        {[...notes.values()].map(({ line, tone, words, messages }) => (
          <span style={{ top: `${line * lineHeight - scroll.top}px` }}>
            <span class={tone}>{words.replaceAll('-', ' ')}</span>
            <span class="count">{messages === undefined ? '' : formatCount(messages)}</span>
          </span>
        ))}
      </div>
    </div>
  );
}

interface Lines {
  readonly text: string;
  readonly listId: string | undefined;
  readonly first: number;
  readonly last: number;
  readonly seen: Seen | undefined;
}

/** Returns how many messages each term in sight matches. */
function notesOf({ text, listId, first, last, seen }: Lines): Map<number, Note> {
  const notes = new Map<number, Note>();
  if (listId === undefined || seen === undefined) return notes;
  let at = 0;
  for (let line = 0; line < first && at >= 0; line++) at = text.indexOf('\n', at) + 1 || -1;
  for (let line = first; line <= last && at >= 0 && at < text.length; line++) {
    const end = text.indexOf('\n', at);
    const messages = seen.terms[termKey(listId, termIn(text.slice(at, end < 0 ? undefined : end)) ?? '')];
    if (messages !== undefined) notes.set(line, { line, tone: '', words: '', messages });
    at = end < 0 ? -1 : end + 1;
  }
  return notes;
}

/** Returns the term of a line; `undefined` for a comment, and for a line that is being typed. */
function termIn(line: string): string | undefined {
  try {
    return parseTermList(line, '').terms[0];
  } catch {
    return undefined;
  }
}
