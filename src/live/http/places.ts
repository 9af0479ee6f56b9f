/** Places for the requests that are in flight: bounded in number, and together in bytes. */
import { again } from '../../foundation/requests/refusal.js';
import { type Answer, LimitRefusal } from './answer.js';

/**
 * Bytes that each request counts for at least: its head, and what else the server keeps for it.
 * Most bodies and answers are shorter.
 */
const least = 4_096;

/** Characters from which an answer is kept as bytes. */
const long = 16_384;

const encoder = new TextEncoder();

/**
 * A number of places. Their requests hold bytes while `inFlight`, which other places may share, is
 * `mostBytes` at most.
 */
export class Places {
  readonly most: number;
  readonly mostBytes: number;
  readonly inFlight: { bytes: number };
  /** How many requests have a place. */
  taken = 0;
  /** How many others wait for a scorer. */
  waiting = 0;

  constructor(most: number, mostBytes: number, inFlight: { bytes: number }) {
    this.most = most;
    this.mostBytes = mostBytes;
    this.inFlight = inFlight;
  }

  /** Throws a `Refusal` (429) when there is no place left, or no room. */
  take(): Place {
    if (this.taken >= this.most)
      throw new LimitRefusal(429, `${this.most} requests are being answered; try again`, again);
    const place = new Place(this);
    place.hold(least);
    this.taken++;
    return place;
  }
}

/** The place of one request, from its head until its client has taken the answer. */
export class Place {
  /** The bytes that the request counts for. */
  bytes = 0;
  readonly #places: Places;
  /** Messages of the request that wait. */
  #waits = 0;
  #isReleased = false;

  constructor(places: Places) {
    this.#places = places;
  }

  /**
   * Sets the number of bytes for which the request counts. Throws a `Refusal` (429) if there is no
   * room for more.
   */
  hold(bytes: number): void {
    // Work that is given up may go on for a while after its request is answered.
    if (this.#isReleased) return;
    const { inFlight, mostBytes } = this.#places;
    const more = Math.max(bytes, least) - this.bytes;
    if (more > 0 && inFlight.bytes + more > mostBytes) {
      throw new LimitRefusal(429, 'the requests that are being answered hold too many bytes; try again', again);
    }
    inFlight.bytes += more;
    this.bytes += more;
  }

  /**
   * Counts the request for the bytes of its answer, in which a long body is kept: as a string it
   * may take twice the room.
   */
  carry({ status, headers, body: text }: Answer): Answer {
    const body = typeof text === 'string' && text.length > long ? encoder.encode(text) : text;
    this.hold(body.length);
    return { status, headers, body, release: () => this.release() };
  }

  /**
   * Moves the request to those that wait for a scorer, and so hold up no others, until `resume` is
   * called. Messages of one request wait together. Returns false, and moves nothing, if as many
   * requests wait as there are places.
   */
  wait(): boolean {
    if (this.#waits === 0 && !this.#isReleased) {
      if (this.#places.waiting >= this.#places.most) return false;
      this.#places.waiting++;
      this.#places.taken--;
    }
    this.#waits++;
    return true;
  }

  /** Moves the request back once its last message has waited. */
  resume(): void {
    this.#waits--;
    if (this.#waits > 0 || this.#isReleased) return;
    this.#places.waiting--;
    this.#places.taken++;
  }

  /** Gives the place back; once. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#places.inFlight.bytes -= this.bytes;
    if (this.#waits > 0) this.#places.waiting--;
    else this.#places.taken--;
  }
}
