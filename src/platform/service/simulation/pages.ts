/** Faults of pages. They hold for every list that has pages, of messages or rules. */
import type { IncomingMessage } from 'node:http';
import { splitTarget } from '../../../foundation/listener/target.js';
import type { Chance } from './plan.js';
import type { Fault, FaultName, FaultPlan } from './schema.js';

/** A page of a list: entries under `data`, and `meta` (§2.7). */
interface JsonPage {
  readonly data: readonly unknown[];
  readonly meta: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Kinds of faults that change the document of a page. */
export type PageFaultName = Extract<FaultName, 'duplicate-page' | 'reorder-page' | 'cursor-loop'>;

/** Walks whose last page is kept for `duplicate-page`. */
const keptWalks = 64;

/** The parameters of a query that say where in a walk it is; the others say which walk. */
const cursorParameters = ['affix', 'id', 'sentAt'] as const;

/** Whether a fault is one of these. */
export function isPageFault(fault: Fault): fault is Extract<Fault, { kind: PageFaultName }> {
  return (['duplicate-page', 'reorder-page', 'cursor-loop'] as FaultName[]).includes(fault.kind);
}

/** Makes the faults of pages of a plan. */
export function createPageFaults({ faults = [], controlHeader = false }: FaultPlan) {
  const keepsPages = controlHeader || faults.some(({ kind }) => kind === 'duplicate-page');
  const lastOf = new Map<string, JsonPage>();
  /** Notes a page that goes out as it is. */
  const keep = (walk: string, page: JsonPage): void => {
    lastOf.delete(walk);
    lastOf.set(walk, page);
    const [oldest] = lastOf.keys();
    if (lastOf.size > keptWalks && oldest !== undefined) lastOf.delete(oldest);
  };
  return {
    /** Whether documents have to be looked at when no fault of pages is simulated on a request. */
    keepsPages,
    /** The document that stands in the place of one; undefined for what is to go out as it is. */
    spoil: (kind: PageFaultName | undefined, request: IncomingMessage, document: unknown, chance: Chance) => {
      if (!isPage(document)) return undefined;
      if (kind === 'reorder-page') return { ...document, data: shuffled(document.data, chance) };
      if (kind === 'cursor-loop') return looped(document, request);
      if (kind === 'duplicate-page') return cursorOf(request) && lastOf.get(walkOf(request));
      if (keepsPages) keep(walkOf(request), document);
      return undefined;
    },
  };
}

function isPage(document: unknown): document is JsonPage {
  const { data, meta } = Object(document) as JsonPage;
  return Array.isArray(data) && typeof meta === 'object' && meta !== null;
}

function walkOf(request: IncomingMessage): string {
  const [path, written] = splitTarget(request);
  const query = new URLSearchParams(written);
  for (const name of cursorParameters) query.delete(name);
  query.sort();
  return JSON.stringify([path, query.toString(), request.headers.onbehalfof ?? '']);
}

/** The cursor that a request came with, in the form of §2.7. */
function cursorOf(request: IncomingMessage): Readonly<Record<string, unknown>> | undefined {
  const query = new URLSearchParams(splitTarget(request)[1]);
  const id = query.get('id');
  if (id === null) return undefined;
  const sentAt = query.get('sentAt');
  return { affix: query.get('affix') ?? 'append', ...(sentAt === null ? {} : { sentAt: Number(sentAt) }), id };
}

/** A first page without a next leads to the empty page after its last entry, which leads to itself. */
function looped(page: JsonPage, request: IncomingMessage): JsonPage {
  const last = page.data.at(-1) as { readonly id?: unknown; readonly sentAt?: unknown } | undefined;
  const after = last === undefined ? undefined : { affix: 'append', sentAt: last.sentAt, id: last.id };
  const next = cursorOf(request) ?? page.meta.next ?? after;
  return { ...page, meta: { ...page.meta, ...(next === undefined ? {} : { next }) } };
}

/** Fisher and Yates; a page of two and more always comes in another order. */
function shuffled(entries: readonly unknown[], chance: Chance): readonly unknown[] {
  const order = [...entries];
  for (let left = order.length - 1; left > 0; left -= 1) {
    const taken = Math.floor(chance(`shuffle ${left}`) * (left + 1));
    [order[left], order[taken]] = [order[taken], order[left]];
  }
  const isSame = order.every((entry, index) => entry === entries[index]);
  return isSame ? order.reverse() : order;
}
