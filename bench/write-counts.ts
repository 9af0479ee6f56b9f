import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { curveSchema, type Definition, definitionSchema, definitionsOf } from './definition.js';
import { naiveCount } from './naive.js';
import { type Mode, prepareMaterial } from './prepare-material.js';
import { projectRoot } from './project-root.js';

/**
 * Counts every definition the long way and writes what is right into the files. To be run when a definition or a corpus is
 * meant to change, never to make a failing run pass: the difference it makes is what a review has to look at.
 */
export function writeCounts(isWanted: (named: { name: string }) => boolean, tell: (words: string) => void): void {
  const right = (definition: Definition, mode: Mode) => {
    const count = naiveCount(definition.model, prepareMaterial(definition, mode));
    tell(`${definition.name}, ${mode}: ${count}`);
    return count;
  };
  const both = (definition: Definition) => ({ quick: right(definition, 'quick'), full: right(definition, 'full') });
  rewrite('bench/definitions', (value) =>
    z
      .array(z.looseObject({}))
      .parse(value)
      .map((raw) => {
        const definition = definitionSchema.parse(raw);
        return isWanted(definition) ? { ...raw, expected: both(definition) } : raw;
      }),
  );
  rewrite('bench/curves', (value) =>
    z
      .array(z.looseObject({ points: z.array(z.looseObject({})) }))
      .parse(value)
      .map((raw) => {
        const curve = curveSchema.parse(raw);
        if (!isWanted(curve)) return raw;
        const definitions = definitionsOf(curve);
        return {
          ...raw,
          points: raw.points.map((point, index) => ({ ...point, expected: both(definitions[index]!) })),
        };
      }),
  );
}

function rewrite(folder: string, change: (value: unknown) => unknown): void {
  for (const name of readdirSync(join(projectRoot, folder)).filter((entry) => entry.endsWith('.json'))) {
    const path = join(projectRoot, folder, name);
    writeFileSync(path, `${JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8'))), null, 2)}\n`);
  }
}
