/**
 * The section "Try": a text, its verdict, its marks, the list and the term of each match, and why
 * other rules did not match.
 */
import { useEffect, useState } from 'preact/hooks';
import { causeOf } from '../../audit/count/cause.js';
import type { Match, RuleHit } from '../../engine/evaluate/decision.js';
import type { Scores } from '../../engine/evaluate/scores.js';
import type { ScoreLabel, Tried } from '../worker/protocol.js';
import type { Session } from './session.js';
import { counted, longestLine, Marked, revisionWords, shortened, Thing, VerdictName } from './words.js';

const most = { matches: 12, reasons: 20 };

export function Try({ session }: { readonly session: Session }) {
  const { text, scores, tried, compiled } = session.view;
  return (
    <section class="try" aria-labelledby="try-title">
      <div class="bar">
        <h2 id="try-title">Try</h2>
        <label for="tried" class="faint">
          a text, or a message in JSON
        </label>
      </div>
      {text.length > longestLine ? (
        <p>
          a text of {counted(text.length, 'character')}{' '}
          <button type="button" onClick={() => session.try('', scores)}>
            Write another
          </button>
        </p>
      ) : (
        <textarea
          id="tried"
          rows={3}
          dir="auto"
          spellcheck={false}
          value={text}
          onInput={(event) => session.try(event.currentTarget.value, scores)}
          onPaste={(event) => {
            const pasted = event.clipboardData?.getData('text') ?? '';
            if (pasted.length <= longestLine) return;
            event.preventDefault();
            session.try(pasted, scores);
          }}
        />
      )}
      <Sliders labels={compiled?.labels ?? []} scores={scores} onChange={(next) => session.try(text, next)} />
      <div aria-live="polite">
        {tried !== undefined && <Result tried={tried} />}
        {tried === undefined && <p class="faint">{text === '' ? 'Type something above.' : 'Reading…'}</p>}
      </div>
      {tried !== undefined && tried.others.length > 0 && <Others session={session} tried={tried} />}
    </section>
  );
}

function Result({ tried }: { readonly tried: Tried }) {
  const { verdict, texts, matched, excepted, unevaluated, isMessage, isTruncated } = tried;
  return (
    <>
      <p class="result">
        <VerdictName verdict={verdict} />
        {isMessage && <span class="faint"> read as a message in JSON</span>}
      </p>
      {texts.map(({ path, segments }) => (
        <blockquote>
          {path !== 'data.text' && <span class="faint">{path} </span>}
          <Marked segments={segments} />
        </blockquote>
      ))}
      {matched.map((hit) => (
        <Chain hit={hit} />
      ))}
      {isTruncated && <p class="faint">There are more matches than are listed.</p>}
      {excepted.length > 0 && (
        <ul class="plain">
          {excepted.slice(0, most.matches).map(({ match, exception, ruleId }) => (
            <li>
              <Thing cause={causeOf(ruleId, match)} /> is excepted by <Thing cause={exception} />
              {exception.listId !== undefined && <span class="faint"> of {exception.listId}</span>}
            </li>
          ))}
        </ul>
      )}
      {unevaluated.length > 0 && (
        <details>
          <summary>{counted(unevaluated.length, 'condition')} could not be checked</summary>
          <ul class="plain">
            {unevaluated.slice(0, most.reasons).map(({ ruleId, conditionId, detail }) => (
              <li>
                {ruleId}, condition {conditionId}: {detail}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** A rule that matched: its conditions, and the list and the term of each match. */
function Chain({ hit }: { readonly hit: RuleHit }) {
  const { ruleName, revisionId, actions, shadow, conditions } = hit;
  return (
    <div class="chain">
      <p>
        <strong>{ruleName}</strong>
        <span class="faint">
          {revisionWords(revisionId)} · {actions.join(', ') || 'no action'}
          {shadow ? ' · in shadow, never decides' : ''}
        </span>
      </p>
      <ul class="plain">
        {conditions.map(({ conditionId, matches }) => (
          <>
            {matches.slice(0, most.matches).map((match) => (
              <li>
                <span class="faint">condition {conditionId} → </span>
                <MatchChain ruleId={hit.ruleId} match={match} />
              </li>
            ))}
            {matches.length === 0 && <li class="faint">condition {conditionId}: holds without a match</li>}
            {matches.length > most.matches && (
              <li class="faint">and {counted(matches.length - most.matches, 'more match')}</li>
            )}
          </>
        ))}
      </ul>
    </div>
  );
}

function MatchChain({ ruleId, match }: { readonly ruleId: string; readonly match: Match }) {
  if (match.kind === 'score') {
    return (
      <>
        {match.label} {match.score}, <Thing cause={causeOf(ruleId, match)} />
      </>
    );
  }
  const isFolded = match.kind === 'word' && match.text !== match.term;
  return (
    <>
      {match.listId !== undefined && (
        <span>
          {match.listId}
          <span class="faint">{revisionWords(match.listRevisionId)} → </span>
        </span>
      )}
      <Thing cause={causeOf(ruleId, match)} />
      {(isFolded || match.kind === 'pattern') && (
        <span class="faint">
          {' '}
          as <bdi>“{shortened(match.text, 60)}”</bdi>
        </span>
      )}
      {match.kind === 'word' && match.transforms !== undefined && (
        <span class="faint"> by {match.transforms.join(', ')}</span>
      )}
    </>
  );
}

function Others({ session, tried }: { readonly session: Session; readonly tried: Tried }) {
  const [ruleId, choose] = useState('');
  const { why } = session.view;
  // An id may be the name of something that all objects have.
  const answers = Object.hasOwn(why, ruleId) ? why[ruleId] : undefined;
  const isOther = tried.others.some((other) => other.ruleId === ruleId);
  useEffect(() => {
    if (isOther && answers === undefined) session.whyNot(ruleId);
  }, [ruleId, answers, isOther]);
  return (
    <div class="why">
      <label>
        <span class="faint">Why not </span>
        <select value={isOther ? ruleId : ''} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">choose a rule…</option>
          {tried.others.map((other) => (
            <option value={other.ruleId}>{shortened(other.ruleName, 60)}</option>
          ))}
        </select>
      </label>
      {isOther && (
        <ul class="plain" aria-live="polite">
          {(answers ?? []).slice(0, most.reasons).map(({ conditionId, detail, near }) => (
            <li>
              {conditionId !== undefined && <span class="faint">condition {conditionId}: </span>}
              {detail}
              {near?.map(({ reading, value, match }) => (
                <div>
                  near: with <code>{`${reading}: ${value}`}</code>{' '}
                  {match.kind !== 'score' && <mark>{shortened(match.text, 60)}</mark>} would match
                </div>
              ))}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface SlidersProps {
  readonly labels: readonly ScoreLabel[];
  readonly scores: readonly Scores[];
  readonly onChange: (scores: readonly Scores[]) => void;
}

/**
 * A slider for each label of scores that rules name; a label without a score is at its left end.
 */
function Sliders({ labels, scores, onChange }: SlidersProps) {
  if (labels.length === 0) return null;
  const scoreOf = ({ operand, label }: ScoreLabel) => {
    const labels = scores.find((one) => one.operand === operand)?.labels ?? {};
    return Object.hasOwn(labels, label) ? labels[label] : undefined;
  };
  const set = ({ operand, label }: ScoreLabel, value: number | undefined) => {
    const { [label]: _, ...others } = { ...scores.find((one) => one.operand === operand)?.labels };
    const own = value === undefined ? others : { ...others, [label]: value };
    const rest = scores.filter((one) => one.operand !== operand);
    onChange(Object.keys(own).length === 0 ? rest : [...rest, { operand, labels: own }]);
  };
  return (
    <details class="sliders">
      <summary>Scores of a classifier: {counted(labels.length, 'label')}</summary>
      <div class="scroll">
        {labels.map((one) => {
          const value = scoreOf(one);
          return (
            <label>
              <span>
                {shortened(one.label, 40)}{' '}
                <span class="faint">
                  of {one.operand}, over {one.thresholds.join(', ')}
                </span>
              </span>
              <input
                type="range"
                min={-1}
                max={100}
                value={value ?? -1}
                aria-valuetext={value === undefined ? 'no score' : String(value)}
                onInput={({ currentTarget: { valueAsNumber } }) =>
                  set(one, valueAsNumber < 0 ? undefined : valueAsNumber)
                }
              />
              <output class={value !== undefined && one.thresholds.some((over) => value > over) ? 'over' : 'faint'}>
                {value ?? '–'}
              </output>
            </label>
          );
        })}
      </div>
    </details>
  );
}
