/** The list of messages. Only those in sight are in the page, however many there are. */
import { useEffect, useRef } from 'preact/hooks';
import { type Query, type Row, termOfKey } from '../worker/protocol.js';
import type { Session } from './session.js';
import { counted, formatCount, Marked, shortened, VerdictName } from './words.js';

/** The height of a row in pixels, as the style has it. */
const rowHeight = 76;
/** The tallest list that browsers lay out; rows of a longer one are found by search. */
const mostRows = 200_000;

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
  const scroller = useRef<HTMLDivElement>(null);
  const total = rows?.total ?? 0;
  const from = rows?.from ?? 0;
  useEffect(() => {
    if (scroller.current !== null) scroller.current.scrollTop = 0;
  }, [query]);
  const onScroll = () => {
    const first = Math.floor((scroller.current?.scrollTop ?? 0) / rowHeight);
    if (first < from || first + 15 > from + (rows?.rows.length ?? 0)) session.list(first - 20);
  };
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
            <button type="button" class="link" onClick={() => session.list(0, { ...query, term: undefined })}>
              any term
            </button>
          </>
        )}
        {total > mostRows && `, of which the first ${formatCount(mostRows)} are listed`}
        {seen?.messages === 0 && ': drop a file with messages on this page'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
      <div class="rows" ref={scroller} tabIndex={0} onScroll={onScroll}>
        <ul class="plain" aria-label="Messages" style={{ height: `${Math.min(total, mostRows) * rowHeight}px` }}>
          {rows?.rows.map((row, index) => (
            <MessageRow row={row} position={from + index} total={total} />
          ))}
        </ul>
      </div>
    </div>
  );
}

function Filters({ session }: { readonly session: Session }) {
  const { query, compiled } = session.view;
  const ask = (change: Partial<Query>) => session.list(0, { ...query, ...change });
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

interface RowProps {
  readonly row: Row;
  readonly position: number;
  readonly total: number;
}

function MessageRow({ row, position, total }: RowProps) {
  const { id, sender, time, segments, before, after, rules } = row;
  return (
    <li aria-posinset={position + 1} aria-setsize={total} style={{ top: `${position * rowHeight}px` }} title={id}>
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
