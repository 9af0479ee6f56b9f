import { UsageError } from '../errors.js';
import { defaultSemantics, type Semantics } from '../semantics.js';

/**
 * The pattern engine of a name, as the reading `engine` of semantics; no name, no reading. `re2-wasm` is loaded only
 * when it is asked for: its module takes a heap of 16 MiB. Throws `UsageError` that begins with `what` for other names.
 */
export async function engineNamed(name: unknown, what: string): Promise<Pick<Partial<Semantics>, 'engine'>> {
  if (name === undefined) return {};
  if (name === 're2js') return { engine: defaultSemantics.engine };
  if (name !== 're2-wasm') throw new UsageError(`${what} must be one of re2js, re2-wasm`);
  const { re2wasm } = await import('../re2-wasm.js');
  return { engine: re2wasm };
}
