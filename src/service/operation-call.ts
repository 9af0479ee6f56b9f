import type { endpoints, Operation, PathOf } from '../contract/endpoints.js';
import type { ConversationTags } from './conversation-tags.js';
import type { Moderation } from './moderation.js';
import type { UserRecord } from './parties.js';
import type { ReadMarkers } from './read-markers.js';
import type { Store } from './store.js';

/** What the service knows, and what its operations change. */
export interface ServiceState {
  readonly store: Store;
  /** The rules and lists of one revision; those of the store when the service was started without. */
  readonly moderation: Moderation;
  readonly markers: ReadMarkers;
  readonly tags: ConversationTags;
}

type Row<Name extends Operation> = (typeof endpoints)[Name];

type ActorOf<Name extends Operation> = {
  readonly required: UserRecord;
  readonly optional: UserRecord | undefined;
  readonly none: undefined;
}[Row<Name>['onBehalfOf']];

type BodyOf<Name extends Operation> =
  Row<Name> extends { readonly body: { readonly _zod: { readonly output: infer Body } } } ? Body : undefined;

/** One request to an operation, all that can be checked without knowing its resource checked. */
export interface OperationCall<Name extends Operation> {
  readonly path: PathOf<Name>;
  readonly search: URLSearchParams;
  /** The user of `onBehalfOf`, who exists. */
  readonly actor: ActorOf<Name>;
  /** The body by the contract's schema; an absent body is an empty one. */
  readonly body: BodyOf<Name>;
}

/** Answers an operation with the document of its 200, or throws a `Refusal`. */
export type Handler<Name extends Operation> = (call: OperationCall<Name>, state: ServiceState) => object;

/** A handler for each row of the endpoint table: a row without one does not type-check. */
export type Handlers = { readonly [Name in Operation]: Handler<Name> };
