/**
 * JSON paths such as `data.customData.body[2]`: parsed from the semantics, and printed for
 * decisions.
 */

/**
 * A step of a JSON path, linked to the one before, so that deep data costs no long strings until a
 * match is reported.
 */
export interface PathNode {
  readonly key: string | number;
  readonly parent?: PathNode;
  /** The printed path, for the one that nearly every message has. */
  readonly printed?: string;
}

/**
 * Reads a JSON path such as `data.customData.body[2]` or `data["a key"]`; `undefined` when it is
 * not one.
 */
export function parsePath(path: string): PathNode | undefined {
  const step = /\.?([^.[\]"\s]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  let node: PathNode | undefined;
  for (step.lastIndex = 0; step.lastIndex < path.length; ) {
    const found = step.exec(path);
    if (found === null) return undefined;
    const key = found[1] ?? (found[2] === undefined ? unquote(found[3]!) : Number(found[2]));
    if (key === undefined) return undefined;
    node = node === undefined ? { key } : { key, parent: node };
  }
  return node;
}

/** Returns the value of a JSON string; `undefined` when it has an invalid escape. */
function unquote(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

/** Writes a JSON path: `data.customData.body[2]`, with other keys quoted as in `data["a key"]`. */
export function printPath(node: PathNode): string {
  if (node.printed !== undefined) return node.printed;
  const steps: string[] = [];
  for (let at: PathNode | undefined = node; at !== undefined; at = at.parent) {
    if (typeof at.key === 'number') steps.push(`[${at.key}]`);
    else if (!/^[A-Za-z_$][\w$]*$/.test(at.key)) steps.push(`[${JSON.stringify(at.key)}]`);
    else steps.push(at.parent === undefined ? at.key : `.${at.key}`);
  }
  return steps.reverse().join('');
}
