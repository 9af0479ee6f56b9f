import type { Operation } from '../../src/platform/contract/endpoints.js';
import { operations } from '../../src/platform/service/app.js';
import { type LoadedRows, load } from '../../src/platform/service/data-directory.js';
import type { ServiceData } from '../../src/platform/service/index.js';
import { createState, type ServiceState } from '../../src/platform/service/operations/operation.js';
import type { Query } from './call.js';

/** A service without its socket, for tests that ask thousands of questions. */
export interface InProcess {
  readonly rows: LoadedRows;
  readonly state: ServiceState;
  /** What an operation answers, as a client reads it. Throws the `Problem`. */
  readonly run: (name: Operation, call: object, onBehalfOf?: string) => { data: never; meta: never };
  /** Ids of a page of 1,000. */
  readonly ids: (query: Query, onBehalfOf?: string) => readonly string[];
}

export async function inProcess(data: string | ServiceData): Promise<InProcess> {
  const rows = await load(data);
  const state = createState(rows);
  const run: InProcess['run'] = (name, call, onBehalfOf) => {
    const actor = onBehalfOf === undefined ? undefined : state.store.users.get(onBehalfOf);
    const handler = operations[name] as (given: object, of: ServiceState) => object;
    const answer = handler({ path: {}, search: new URLSearchParams(), body: {}, ...call, actor }, state);
    return JSON.parse(JSON.stringify(answer));
  };
  const ids: InProcess['ids'] = (query, onBehalfOf) => {
    const search = new URLSearchParams(
      Object.entries({ limit: 1000, ...query }).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const { data: page } = run('listMessages', { search }, onBehalfOf) as unknown as { data: { id: string }[] };
    return page.map(({ id }) => id);
  };
  return { rows, state, run, ids };
}
