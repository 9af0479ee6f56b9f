/** Slots for the requests that are in flight: bounded in number, and together in bytes. */
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
 * A number of slots. Their requests hold bytes while `inFlight`, which other slots may share, is
 * `mostBytes` at most.
 */
export class Slots {
  readonly most: number;
  readonly mostBytes: number;
  readonly inFlight: { bytes: number };
  /** The number of requests that have a slot. */
  taken = 0;
  /** The number of further requests, which wait for a scorer. */
  waiting = 0;

  constructor(most: number, mostBytes: number, inFlight: { bytes: number }) {
    this.most = most;
    this.mostBytes = mostBytes;
    this.inFlight = inFlight;
  }

  /** Throws a `Refusal` (429) when there is no slot left, or no room. */
  take(): Slot {
    if (this.taken >= this.most)
      throw new LimitRefusal(429, `${this.most} requests are being answered; try again`, again);
    const slot = new Slot(this);
    slot.hold(least);
    this.taken++;
    return slot;
  }
}

/** The slot of one request, from its head until its client has taken the answer. */
export class Slot {
  /** The bytes that the request counts for. */
  bytes = 0;
  readonly #slots: Slots;
  /** Messages of the request that wait. */
  #waits = 0;
  #isReleased = false;

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  /**
   * Sets the number of bytes for which the request counts. Throws a `Refusal` (429) if there is no
   * room for more.
   */
  hold(bytes: number): void {
    // Work that is given up may go on for a while after its request is answered.
    if (this.#isReleased) return;
    const { inFlight, mostBytes } = this.#slots;
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
   * requests wait as there are slots.
   */
  wait(): boolean {
    if (this.#waits === 0 && !this.#isReleased) {
      if (this.#slots.waiting >= this.#slots.most) return false;
      this.#slots.waiting++;
      this.#slots.taken--;
    }
    this.#waits++;
    return true;
  }

  /** Moves the request back once its last message has waited. */
  resume(): void {
    this.#waits--;
    if (this.#waits > 0 || this.#isReleased) return;
    this.#slots.waiting--;
    this.#slots.taken++;
  }

  /** Gives the slot back; once. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#slots.inFlight.bytes -= this.bytes;
    if (this.#waits > 0) this.#slots.waiting--;
    else this.#slots.taken--;
  }
}
