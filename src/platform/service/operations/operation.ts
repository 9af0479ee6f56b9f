/**
 * The operations of the service: a function for each row of the endpoint table, and the state that
 * they share.
 */
import type { endpoints, Operation, PathOf } from '../../contract/endpoints.js';
import type { LoadedRows } from '../data-directory.js';
import { ReadMarkers } from '../read-markers.js';
import { ModerationRows, Store, type UserRecord } from '../store.js';

/** Tags of a conversation, and when they were last set, in seconds since the epoch. */
interface TagState {
  readonly tags: readonly string[];
  readonly changedAt: number;
}

/** The state of a service: the rows that it serves, and the changes by operations. */
export interface ServiceState {
  readonly store: Store;
  readonly moderation: { readonly rules: ModerationRows; readonly lists: ModerationRows };
  readonly markers: ReadMarkers;
  /** All tags that were ever set (§4.1), by conversation id. */
  readonly tags: Map<string, TagState>;
}

/** Makes the initial state of a service. Throws `ShapeError` for a read marker of no message. */
export function createState(rows: LoadedRows): ServiceState {
  const groups = rows.groups.map(({ row }) => row);
  const store = new Store(rows.users, groups, rows.messages);
  const moderation = { rules: new ModerationRows(rows.rules), lists: new ModerationRows(rows.lists) };
  return { store, moderation, markers: new ReadMarkers(store, rows.groups), tags: new Map() };
}

type Row<Name extends Operation> = (typeof endpoints)[Name];

type ActorOf<Name extends Operation> = {
  readonly required: UserRecord;
  readonly optional: UserRecord | undefined;
  readonly none: undefined;
}[Row<Name>['onBehalfOf']];

type BodyOf<Name extends Operation> =
  Row<Name> extends { readonly body: { readonly _zod: { readonly output: infer Body } } } ? Body : undefined;

/** A request to an operation; everything is checked that does not depend on a resource. */
export interface OperationCall<Name extends Operation> {
  readonly path: PathOf<Name>;
  readonly search: URLSearchParams;
  /** The user of `onBehalfOf`, who exists. */
  readonly actor: ActorOf<Name>;
  /** The body by the contract's schema; an absent body is an empty one. */
  readonly body: BodyOf<Name>;
}

/** Answers an operation with the document of its 200, or throws a `Problem`. */
export type OperationHandler<Name extends Operation> = (call: OperationCall<Name>, state: ServiceState) => object;

/** A handler for each row of the endpoint table: a row without one does not type-check. */
export type OperationHandlers = { readonly [Name in Operation]: OperationHandler<Name> };
