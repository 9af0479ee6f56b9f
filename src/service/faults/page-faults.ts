import type { IncomingMessage } from 'node:http';
import type { Reply } from '../reply.js';
import type { Chance } from './chance.js';
import type { FaultName, FaultPlan } from './fault.js';
import { type JsonPage, jsonReply, pageOf } from './json-page.js';

/** Spoils the page that a reply holds. A reply that holds none is given back as it is. */
export type SpoilPage = (kind: FaultName, request: IncomingMessage, reply: Reply, chance: Chance) => Reply;

/** Walks whose last page is kept for `duplicate-page`. */
const keptWalks = 64;

/** The parameters of a query that say where in a walk it is; the others say which walk. */
const cursorParameters = ['affix', 'id', 'sentAt'] as const;

/** What `duplicate-page` needs: pages are noted as they are answered. */
export interface Pages {
  readonly spoil: SpoilPage;
  /** Notes an answer that went out as it was. */
  readonly note: (request: IncomingMessage, reply: Reply) => void;
}

/** Makes the faults of pages. They hold for every list that has pages, of messages or rules. */
export function createPages({ faults = [], controlHeader = false }: FaultPlan): Pages {
  const keepsPages = controlHeader || faults.some(({ kind }) => kind === 'duplicate-page');
  const lastOf = new Map<string, Reply>();
  return {
    note: (request, reply) => {
      if (!keepsPages || pageOf(reply) === undefined) return;
      const walk = walkOf(request);
      lastOf.delete(walk);
      lastOf.set(walk, reply);
      const [oldest] = lastOf.keys();
      if (lastOf.size > keptWalks && oldest !== undefined) lastOf.delete(oldest);
    },
    spoil: (kind, request, reply, chance) => {
      const page = pageOf(reply);
      if (page === undefined) return reply;
      if (kind === 'reorder-page') return jsonReply(reply, { ...page, data: shuffled(page.data, chance) });
      if (kind === 'cursor-loop') return jsonReply(reply, looped(page, request));
      return cursorOf(request) === undefined ? reply : (lastOf.get(walkOf(request)) ?? reply);
    },
  };
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}

function walkOf(request: IncomingMessage): string {
  const query = queryOf(request);
  for (const name of cursorParameters) query.delete(name);
  query.sort();
  const [path] = (request.url ?? '').split('?', 1);
  return JSON.stringify([path, query.toString(), request.headers.onbehalfof ?? '']);
}

/** The cursor that a request came with, in the form of §2.7. */
function cursorOf(request: IncomingMessage): Readonly<Record<string, unknown>> | undefined {
  const query = queryOf(request);
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
