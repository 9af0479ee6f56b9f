/** The list of messages: the first of those that a query selects. */
import { type Query, type Row, termOfKey } from '../worker/protocol.js';
import type { Session } from './session.js';
import { counted, formatCount, Marked, shortened, VerdictName } from './words.js';

const views: readonly (readonly [Query['view'], string])[] = [
  ['all', 'all messages'],
  ['stopped', 'stopped'],
  ['allowed', 'allowed'],
  ['newlyStopped', 'newly stopped'],
  ['released', 'released'],
  ['changed', 'blocked or dropped otherwise'],
  ['reasonOnly', 'stopped for another reason'],
];

export function Messages({ session }: { readonly session: Session }) {
  const { query, rows, seen } = session.view;
  const total = rows?.total ?? 0;
  const shown = rows?.rows ?? [];
  return (
    <div class="messages">
      <h3>Messages</h3>
      <Filters session={session} />
      <p class="faint" role="status">
        {counted(total, 'message')}
        {query.term !== undefined && (
          <>
            {' '}
            with “{shortened(termOfKey(query.term), 60)}”{' '}
            <button type="button" class="link" onClick={() => session.list({ ...query, term: undefined })}>
              any term
            </button>
          </>
        )}
        {total > shown.length && `, of which the first ${formatCount(shown.length)} are listed; search for others`}
        {seen?.messages === 0 && ': drop a file with messages on this page'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <div class="rows" tabIndex={0}>
        <ul class="plain" aria-label="Messages">
          {shown.map((row) => (
            <MessageRow row={row} />
          ))}
        </ul>
      </div>
    </div>
  );
}

function Filters({ session }: { readonly session: Session }) {
  const { query, compiled } = session.view;
  const ask = (change: Partial<Query>) => session.list({ ...query, ...change });
  return (
    <div class="bar">
      <select
        aria-label="Which messages"
        value={query.view}
        onChange={(event) => ask({ view: event.currentTarget.value as Query['view'] })}
      >
        {views.map(([view, words]) => (
          <option value={view}>{words}</option>
        ))}
      </select>
      <select
        aria-label="By rule"
        value={query.ruleId ?? ''}
        onChange={(event) => ask({ term: undefined, ruleId: event.currentTarget.value || undefined })}
      >
        <option value="">any rule</option>
        {compiled?.rules.map(({ ruleId, ruleName }) => (
          <option value={ruleId}>{shortened(ruleName, 60)}</option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Search in texts"
        placeholder="search"
        value={query.search ?? ''}
        onInput={(event) => ask({ search: event.currentTarget.value || undefined })}
      />
    </div>
  );
}

function MessageRow({ row }: { readonly row: Row }) {
  const { id, sender, time, segments, before, after, rules } = row;
  return (
    <li title={id}>
      <p class="faint">
        {before !== after && (
          <>
            <VerdictName verdict={before} /> →{' '}
          </>
        )}
        <VerdictName verdict={after} /> <bdi>{shortened(sender, 30)}</bdi> {time}{' '}
        {rules.map((name) => shortened(name, 40)).join(', ')}
      </p>
      <p class="quote">
        <Marked segments={segments} />
      </p>
    </li>
  );
}
