/** The faults of pages. They hold for every list that has pages, of messages or rules. */
import type { IncomingMessage } from 'node:http';
import { splitTarget } from '../../../foundation/listener/target.js';
import type { Chance } from './plan.js';
import type { Fault, FaultPlan } from './schema.js';

/** A page of a list: entries under `data`, and `meta` (§2.7). */
interface JsonPage {
  readonly data: readonly unknown[];
  readonly meta: Readonly<Record<string, unknown>>;
}

const pageFaults = ['duplicate-page', 'reorder-page', 'cursor-loop'] as const;

/** Walks whose last page is kept for `duplicate-page`. */
const keptWalks = 64;

/** Whether a fault changes the document of a page. */
export function isPageFault(fault: Fault): fault is Extract<Fault, { kind: (typeof pageFaults)[number] }> {
  return pageFaults.some((kind) => kind === fault.kind);
}

/** Makes the faults of pages of a plan. */
export function createPageFaults({ faults = [], controlHeader = false }: FaultPlan) {
  const keepsPages = controlHeader || faults.some(({ kind }) => kind === 'duplicate-page');
  const lastOf = new Map<string, JsonPage>();
  return {
    /** Whether documents must be looked at when no fault of pages is simulated on a request. */
    keepsPages,
    /** Returns the document in the place of one; undefined for one that goes out as it is, which is kept as the last page of its walk. */
    spoil: (kind: Fault['kind'] | undefined, request: IncomingMessage, document: unknown, chance: Chance) => {
      const { data, meta } = Object(document) as JsonPage;
      if (!Array.isArray(data) || typeof meta !== 'object' || meta === null) return undefined;
      const page = document as JsonPage;
      const walk = walkOf(request);
      if (kind === 'reorder-page') return { ...page, data: shuffled(data, chance) };
      if (kind === 'cursor-loop') return looped(page, request);
      if (kind === 'duplicate-page') return cursorOf(request) && lastOf.get(walk);
      if (!keepsPages) return undefined;
      lastOf.delete(walk);
      lastOf.set(walk, page);
      if (lastOf.size > keptWalks) lastOf.delete([...lastOf.keys()][0]!);
      return undefined;
    },
  };
}

/** Returns what tells a walk from others: its target without the parameters that say where in the walk a request is, and its acting user. */
function walkOf(request: IncomingMessage): string {
  const [path, written] = splitTarget(request);
  const query = new URLSearchParams(written);
  for (const name of ['affix', 'id', 'sentAt']) query.delete(name);
  query.sort();
  return JSON.stringify([path, query.toString(), request.headers.onbehalfof ?? '']);
}

/** Returns the cursor that a request came with, in the form of §2.7. */
function cursorOf(request: IncomingMessage): Readonly<Record<string, unknown>> | undefined {
  const query = new URLSearchParams(splitTarget(request)[1]);
  const [id, sentAt] = [query.get('id'), query.get('sentAt')];
  if (id === null) return undefined;
  return { affix: query.get('affix') ?? 'append', ...(sentAt !== null && { sentAt: Number(sentAt) }), id };
}

/** Makes a page lead to itself. A first page without a next leads to the empty page after its last entry, which leads to itself. */
function looped(page: JsonPage, request: IncomingMessage): JsonPage {
  const last = page.data.at(-1) as { readonly id?: unknown; readonly sentAt?: unknown } | undefined;
  const after = last && { affix: 'append', sentAt: last.sentAt, id: last.id };
  const next = cursorOf(request) ?? page.meta.next ?? after;
  return { ...page, meta: { ...page.meta, ...(next !== undefined && { next }) } };
}

/** Shuffles by the method of Fisher and Yates; a page of two and more always comes in another order. */
function shuffled(entries: readonly unknown[], chance: Chance): readonly unknown[] {
  const order = [...entries];
  for (let left = order.length - 1; left > 0; left -= 1) {
    const taken = Math.floor(chance(`shuffle ${left}`) * (left + 1));
    [order[left], order[taken]] = [order[taken], order[left]];
  }
  return order.every((entry, index) => entry === entries[index]) ? order.reverse() : order;
}
