import type { IncomingMessage } from 'node:http';
import { describeBug, type OnBug, printBug } from './bug.js';
import { defaultLimits, type ServiceLimits } from './limits.js';

/** What holds for a request by the connection that it came on. */
export interface RequestTerms {
  readonly limits: ServiceLimits;
  readonly onBug: OnBug;
  /** Asks for the body, where the client waits to be asked (`expect: 100-continue`). */
  readonly invite?: (() => void) | undefined;
}

const known = new WeakMap<IncomingMessage, RequestTerms>();

/** Sets the terms of a request, so that whoever reads its body or fails at it needs nothing but the request. */
export function setTerms(request: IncomingMessage, terms: RequestTerms): void {
  known.set(request, terms);
}

/** The terms of a request; the defaults for one that no connection of the service brought. */
export function termsOf(request: IncomingMessage): RequestTerms {
  return known.get(request) ?? { limits: defaultLimits, onBug: printBug };
}

/** Tells a bug that a request met. Whoever is told cannot make it worse. */
export function tellBug(request: IncomingMessage, thrown: unknown, operation = 'the connection'): void {
  try {
    termsOf(request).onBug(describeBug(thrown, operation));
  } catch {
    // A hook that fails is not the concern of the request.
  }
}
