import type { Context, Env } from 'hono';
import { Refusal } from './refusal.js';

/** Answers the requests for a path by one method. */
export type Answer<E extends Env> = (context: Context<E>) => Response | Promise<Response>;

/**
 * Returns a handler of one path from its answers by method. A path with GET answers HEAD too. The
 * handler throws a `Refusal` (405) that names the methods of the path for any other one.
 */
export function byMethod<E extends Env>(answers: Readonly<Record<string, Answer<E>>>): Answer<E> {
  const taken = new Map(Object.entries(answers));
  const get = taken.get('GET');
  if (get !== undefined) taken.set('HEAD', get);
  return (context) => {
    const { method } = context.req;
    const answer = taken.get(method);
    if (answer !== undefined) return answer(context);
    const names = Object.keys(answers).flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]));
    throw new Refusal(405, `the path takes ${names.join(', ')} and no other method`, { allow: names.join(', ') });
  };
}
