/** Which requests a fault meets. Without any of these it meets every request. */
export interface FaultSelection {
  /** Path template of an operation (§4), such as `/messages` or `/users/{uid}`. */
  readonly path?: string | undefined;
  readonly method?: 'GET' | 'PUT' | 'POST' | 'DELETE' | undefined;
  /** Share of the requests that it meets, 0..1; 1 when absent. Which ones, the seed says. */
  readonly rate?: number | undefined;
  /** Requests of each route that go by before the first that it may meet; 0 when absent. */
  readonly after?: number | undefined;
  /** How many requests of each route it may meet after those; all when absent. With `after` a burst. */
  readonly count?: number | undefined;
}

/**
 * What goes wrong. `status`, `rate-limited` and `never` keep the request from its operation. All others let it run and spoil
 * the answer, so a PUT whose answer is lost has taken effect.
 */
export type FaultKind =
  /** The answer waits `ms` milliseconds, and up to `jitterMs` more as the seed says. */
  | { readonly kind: 'latency'; readonly ms: number; readonly jitterMs?: number | undefined }
  /** The connection is reset: `head`, the default, before the first byte of the answer; `body` after half of its body. */
  | { readonly kind: 'reset'; readonly at?: 'head' | 'body' | undefined }
  /** The connection ends in good order after `keep` bytes of the body, half of it when absent; `content-length` says more. */
  | { readonly kind: 'truncate'; readonly keep?: number | undefined }
  /** An HTML page with `status`, 200 when absent, as proxies and login walls send. */
  | { readonly kind: 'html'; readonly status?: number | undefined }
  /** The right body, declared as `type`; `text/plain` when absent. */
  | { readonly kind: 'content-type'; readonly type?: string | undefined }
  /** 429. `retryAfter`, 1 when absent, is sent as it stands: seconds, a date, or nonsense. */
  | { readonly kind: 'rate-limited'; readonly retryAfter?: number | string | undefined }
  /** A refusal with `status`, 400..599, 503 when absent, in the platform's error shape. */
  | { readonly kind: 'status'; readonly status?: number | undefined }
  /** The page before comes again, its cursor too, in place of the one asked for. A walk's first page is left alone. */
  | { readonly kind: 'duplicate-page' }
  /** The entries of a page come in an order of the seed's; the cursor is right. */
  | { readonly kind: 'reorder-page' }
  /** The cursor of a page leads to that same page again. A first page has none, and leads on. */
  | { readonly kind: 'cursor-loop' }
  /** The body comes in pieces of `bytes`, 16 when absent, one every `everyMs` milliseconds, 50 when absent. */
  | { readonly kind: 'drip'; readonly everyMs?: number | undefined; readonly bytes?: number | undefined }
  /** One byte inside a string of the body is no UTF-8. */
  | { readonly kind: 'invalid-utf8' }
  /** Nothing ever comes, until the client gives up or the service closes. */
  | { readonly kind: 'never' };

/** One fault of a plan. */
export type Fault = FaultKind & FaultSelection;

/**
 * What goes wrong, and when. Latencies that meet a request add up; of all others the first in the list that meets it is the
 * one that happens. Whether a fault meets a request follows from the seed and from how many requests of the same route came
 * before it, never from time: the same seed and the same requests in the same order give the same faults.
 */
export interface FaultPlan {
  /** Any integer; 0 when absent. */
  readonly seed?: number | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /**
   * Whether a request may choose its own fault with the header `x-sluice-fault`: one fault in the short form
   * (`status=503`), in place of the plan's, or `none`. Default false: the header is ignored.
   */
  readonly controlHeader?: boolean | undefined;
}

/** The main field of each kind: the one that the short form writes as `kind=value`. */
export const mainFields = {
  latency: 'ms',
  reset: 'at',
  truncate: 'keep',
  html: 'status',
  'content-type': 'type',
  'rate-limited': 'retryAfter',
  status: 'status',
  'duplicate-page': undefined,
  'reorder-page': undefined,
  'cursor-loop': undefined,
  drip: 'everyMs',
  'invalid-utf8': undefined,
  never: undefined,
} as const satisfies Record<FaultKind['kind'], string | undefined>;

/** Name of a kind of fault. */
export type FaultName = FaultKind['kind'];
