/** Places for the requests that are in flight: bounded in number, and together in bytes. */
import { type Answer, Refusal } from './answer.js';

/** The place of one request, from its head until its client has taken the answer. */
export interface Place {
  /** The bytes that the request counts for. */
  readonly bytes: number;
  /** Counts the request for so many bytes from now on. Throws a `Refusal` (429) when these are more and there is no room. */
  readonly hold: (bytes: number) => void;
  /** Counts the request for the bytes of its answer, in which a long body is kept: as a string it may take twice the room. */
  readonly carry: (answer: Answer) => Answer;
}

/** Gives places to requests. */
export interface Places {
  /** How many requests have a place. */
  readonly taken: number;
  /** Throws a `Refusal` (429) when there is no place left, or no room. */
  readonly take: () => Place & { readonly release: () => void };
}

/** What each request counts for at least: its head, and what else the server keeps for it. Most bodies and answers are shorter. */
const least = 4_096;

/** Characters from which an answer is kept as bytes. */
const long = 16_384;

const encoder = new TextEncoder();
const again = { 'retry-after': '1' };

/** Makes so many places. Their requests hold bytes while `inFlight`, which other places may share, is `mostBytes` at most. */
export function createPlaces(most: number, mostBytes: number, inFlight: { bytes: number }): Places {
  let taken = 0;
  const take = (): ReturnType<Places['take']> => {
    if (taken >= most) throw new Refusal(429, `${most} requests are being answered; try again`, again);
    let held = 0;
    let isReleased = false;
    const hold = (bytes: number): void => {
      // Work that is given up may go on for a while after its request is answered.
      if (isReleased) return;
      const more = Math.max(bytes, least) - held;
      if (more > 0 && inFlight.bytes + more > mostBytes) {
        throw new Refusal(429, 'the requests that are being answered hold too many bytes; try again', again);
      }
      inFlight.bytes += more;
      held += more;
    };
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      inFlight.bytes -= held;
      taken--;
    };
    hold(least);
    taken++;
    return {
      get bytes() {
        return held;
      },
      hold,
      carry: (answer) => {
        const { body: text } = answer;
        const body = typeof text === 'string' && text.length > long ? encoder.encode(text) : text;
        hold(body.length);
        return { ...answer, body, release };
      },
      release,
    };
  };
  return {
    get taken() {
      return taken;
    },
    take,
  };
}
