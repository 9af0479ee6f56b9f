/** The page: what is changed, what is tried, and what all messages show. */
import type { ComponentChildren } from 'preact';
import { Change } from './change.js';
import { Columns } from './columns.js';
import { See } from './see.js';
import type { Session, View } from './session.js';
import { Try } from './try.js';
import { counted, formatCount } from './words.js';

export function App({ session }: { readonly session: Session }) {
  const { view } = session;
  return (
    <div class="page">
      <header>
        <p class="brand">
          <strong>sluice play</strong> <span class="faint">{sourceWords(view)}</span>
        </p>
        <h1 aria-live="polite">{titleOf(view)}</h1>
        <Tools session={session} />
        <p class="status" role="status">
          {view.failed === undefined ? view.said : <span class="error">{view.failed}</span>}
        </p>
        {view.columns !== undefined && <Columns columns={view.columns} session={session} />}
      </header>
      <main>
        <Change session={session} />
        <Try session={session} />
        <See session={session} />
      </main>
      <Footer />
    </div>
  );
}

function sourceWords({ opened }: View): string {
  if (opened === undefined) return '';
  const { rulesName, messagesName, messages } = opened;
  const rules = rulesName === '' ? 'no rules' : `rules of ${rulesName}`;
  return `${rules}, ${messages === 0 ? 'no messages' : `${counted(messages, 'message')} of ${messagesName}`}; nothing leaves this page`;
}

/** Returns the result in one sentence. */
function titleOf({ seen, opened }: View): ComponentChildren {
  if (opened === undefined) return 'Opening…';
  if (seen === undefined) return 'Judging…';
  const { kinds, before, after, messages } = seen;
  const { newlyStopped, released, changed, reasonOnly } = kinds;
  if (messages === 0) return 'Drop messages on this page, and see what the rules do with them';
  const all = `of ${counted(messages, 'message')}`;
  if (newlyStopped + released + changed + reasonOnly === 0) return `${formatCount(after)} ${all} are stopped`;
  const parts = [
    newlyStopped > 0 && <span class="newlyStopped">+{formatCount(newlyStopped)} newly stopped</span>,
    released > 0 && <span class="released">−{formatCount(released)} released</span>,
    newlyStopped + released === 0 && <span>{formatCount(changed + reasonOnly)} stopped otherwise</span>,
  ].filter(Boolean);
  return (
    <>
      {parts.map((part, index) => [index > 0 ? ', ' : '', part])} {all}
      <span class="faint">
        {' '}
        {formatCount(before)} → {formatCount(after)} stopped
      </span>
    </>
  );
}

function Tools({ session }: { readonly session: Session }) {
  const { compiled, opened, text } = session.view;
  const hasErrors = (compiled?.errors.length ?? 0) > 0;
  const choose = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    session.openFiles(input.files);
    input.value = '';
  };
  const commandLine = () =>
    session.copy(
      commandOf(opened?.rulesName ?? '', opened?.messagesName ?? ''),
      'the command line is copied; it says the same of the downloaded rules',
    );
  return (
    <div class="tools">
      <label class="button">
        Open files
        <input type="file" multiple onChange={choose} />
      </label>
      <label class="button">
        Open folder
        <input type="file" ref={(input) => input?.setAttribute('webkitdirectory', '')} onChange={choose} />
      </label>
      <button type="button" disabled={hasErrors} onClick={() => session.keep('json')}>
        Download rules
      </button>
      <details class="engineers">
        <summary>For engineers</summary>
        <div>
          <button type="button" disabled={text === ''} onClick={() => session.keep('case')}>
            Copy golden case
          </button>
          <button type="button" onClick={commandLine}>
            Copy command line
          </button>
        </div>
      </details>
    </div>
  );
}

/**
 * Returns the command line that compares the downloaded rules with those that were opened, over the
 * same messages.
 */
function commandOf(rulesName: string, messagesName: string): string {
  const quoted = (name: string) => (/^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);
  if (rulesName === 'the demo') return 'sluice diff --rules rules.json --demo';
  const files = messagesName.split(', ').map((name) => `--messages ${quoted(name)}`);
  return `sluice diff --rules rules.json --against ${quoted(rulesName)} ${files.join(' ')}`;
}

function Footer() {
  return (
    <footer class="faint">
      Drop files on this page: a rule set (JSON), messages (NDJSON, an array, CSV), gzipped or not; or open a folder of
      rules.
      <details>
        <summary>Licences</summary>
        <p>
          Made with Preact, © 2015–present Jason Miller, RE2JS and noble-hashes, under the MIT licence. The texts of
          these licences are comments in the source of this page.
        </p>
      </details>
    </footer>
  );
}
