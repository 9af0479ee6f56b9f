/**
 * The section "See": the effects of the change on all messages, by day and by cause, and the
 * messages themselves.
 */
import type { DiffCause, DiffKind } from '../../audit/count/diff-causes.js';
import { type DayCounts, type Seen, termKey } from '../worker/protocol.js';
import { Messages } from './messages.js';
import type { Session } from './session.js';
import { counted, formatCount, Marked, Thing } from './words.js';

const kinds: readonly { readonly kind: DiffKind; readonly sign: string; readonly words: string }[] = [
  { kind: 'newlyStopped', sign: '+', words: 'newly stopped' },
  { kind: 'released', sign: '−', words: 'released' },
  { kind: 'changed', sign: '', words: 'blocked before, dropped now, or the other way' },
  { kind: 'reasonOnly', sign: '', words: 'stopped for another reason' },
];

export function See({ session }: { readonly session: Session }) {
  const { seen, share } = session.view;
  return (
    <section class="see" aria-labelledby="see-title">
      <div class="bar">
        <h2 id="see-title">See</h2>
        {share !== undefined && <progress max={1} value={share} aria-label="messages judged" />}
        {share === undefined && seen !== undefined && (
          <span class="faint">{`${counted(seen.messages, 'message')} in ${Math.max(1, Math.round(seen.tookMs))} ms`}</span>
        )}
      </div>
      {seen !== undefined && (
        <>
          <Days days={seen.days} />
          <Causes session={session} seen={seen} />
          <Messages session={session} />
        </>
      )}
    </section>
  );
}

const chart = { height: 64, bar: 10, gap: 2 };

/**
 * Columns by day: what was stopped before and still is, what is newly stopped, and what is
 * released.
 */
function Days({ days }: { readonly days: readonly DayCounts[] }) {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return null;
  const highest = Math.max(1, ...days.map(({ after, released }) => after + released));
  const peak = days.reduce((most, day) => (day.after > most.after ? day : most));
  const heightOf = (messages: number) => (messages * chart.height) / highest;
  const words = `Stopped messages by day from ${first.day} to ${last.day}, most on ${peak.day}: ${counted(peak.after, 'message')}`;
  return (
    <figure class="days">
      <svg
        role="img"
        aria-label={words}
        viewBox={`0 0 ${days.length * chart.bar} ${chart.height}`}
        preserveAspectRatio="none"
      >
        {days.map(({ after, newlyStopped, released }, index) => {
          const parts: readonly [name: string, messages: number][] = [
            ['kept', after - newlyStopped],
            ['newlyStopped', newlyStopped],
            ['released', released],
          ];
          let below = 0;
          return parts.map(([name, messages]) => {
            below += messages;
            const place = { x: index * chart.bar, y: chart.height - heightOf(below), width: chart.bar - chart.gap };
            return messages > 0 && <rect class={name} {...place} height={heightOf(messages)} />;
          });
        })}
      </svg>
      <figcaption>
        <span>{first.day}</span>
        <span>
          most on {peak.day}: {formatCount(peak.after)}
        </span>
        <span>{last.day}</span>
      </figcaption>
    </figure>
  );
}

function Causes({ session, seen }: { readonly session: Session; readonly seen: Seen }) {
  const present = kinds.filter(({ kind }) => seen.kinds[kind] > 0);
  if (present.length === 0) {
    return (
      <p class="hint">
        Nothing has changed yet. Write a term on a line of its own in a list, and see what it would have done to these
        messages.
      </p>
    );
  }
  return (
    <>
      {present.map(({ kind, sign, words }) => (
        <div class={`causes ${kind}`}>
          <h3>
            <span class="number">
              {sign}
              {formatCount(seen.kinds[kind])}
            </span>{' '}
            {words}
          </h3>
          <ul class="plain">
            {seen.causes
              .filter((cause) => cause.kind === kind)
              .map((cause, index) => (
                <CauseRow session={session} cause={cause} isOpen={index < 3} />
              ))}
          </ul>
        </div>
      ))}
      {seen.moreCauses > 0 && <p class="faint">and {counted(seen.moreCauses, 'more cause')}</p>}
    </>
  );
}

interface CauseProps {
  readonly session: Session;
  readonly cause: DiffCause;
  readonly isOpen: boolean;
}

function CauseRow({ session, cause, isOpen }: CauseProps) {
  const { kind, ruleId, ruleName, listId, term, pattern, messages, onlyCause, exception, examples } = cause;
  const written = term ?? pattern;
  const list = () =>
    session.list({ view: kind, ruleId, ...(written !== undefined && { term: termKey(listId, written) }) });
  return (
    <li>
      <details open={isOpen}>
        <summary>
          <span>
            <Thing cause={cause} />
            <span class="faint">
              {listId === undefined ? '' : ` ${listId}`} → {ruleName}
            </span>
          </span>
          <span class="n">{formatCount(messages)}</span>
        </summary>
        {exception !== undefined && (
          <p class="faint">
            excepted by <Thing cause={exception} />
          </p>
        )}
        {examples.map(({ text, span }) => (
          <blockquote>
            <Marked segments={exampleSegments(text, span)} />
          </blockquote>
        ))}
        <p class="faint">
          {onlyCause < messages && `${formatCount(messages - onlyCause)} have another cause as well. `}
          <button type="button" class="link" onClick={list}>
            list {messages === 1 ? 'this message' : 'these messages'}
          </button>
        </p>
      </details>
    </li>
  );
}

/** Returns the text around a match, short enough for a line or two. */
function exampleSegments(text: string, span: DiffCause['examples'][number]['span']) {
  if (span === undefined) return [{ text: text.slice(0, 160).toWellFormed(), isMarked: false }];
  const [from, to] = [Math.max(0, span.start - 80), Math.min(text.length, span.end + 80)];
  const part = (begin: number, end: number) => text.slice(begin, end).toWellFormed();
  return [
    { text: `${from > 0 ? '…' : ''}${part(from, span.start)}`, isMarked: false },
    { text: part(span.start, Math.min(span.end, span.start + 400)), isMarked: true },
    { text: `${part(span.end, to)}${to < text.length ? '…' : ''}`, isMarked: false },
  ];
}
