import { type Effort, measure } from '../src/bench/measure.js';
import type { Contender } from '../src/bench/model.js';
import { models } from '../src/bench/models/models.js';
import type { MeasurementResult } from '../src/bench/record.js';
import type { Definition } from './definition.js';
import { hyperscan } from './hyperscan.js';
import { npmFilters } from './npm-filters.js';
import { type Mode, prepareMaterial } from './prepare-material.js';

/** Everybody who can answer the question of a definition, those with packages of their own included. */
export function contendersOf({ model, ask, ruleSet, only }: Definition): Contender[] {
  const own = models[model].contenders(ask);
  // An npm filter says whether there is a hit, no more: under rules of two strengths it would answer another question.
  const oneStrength = model === 'decide' && ruleSet.patterns === 0 && ruleSet.rules < 5;
  const filters = (model === 'words' && ask === 'first') || oneStrength ? npmFilters : [];
  const other = model === 'explain' || model === 'audit' || model === 'hardened' ? [] : [hyperscan(model, ask)];
  const all = [...own.slice(0, 1), ...other, ...own.slice(1, -1), ...filters, ...own.slice(-1)];
  return only === undefined ? all : all.filter(({ name }) => only.includes(name));
}

/** Runs one definition. */
export function runDefinition(
  definition: Definition,
  mode: Mode,
  effort: Effort,
  tell?: (words: string) => void,
): Promise<MeasurementResult> {
  const { name, why, model, expected, own = {}, rounds = effort.rounds } = definition;
  return measure(
    {
      name,
      why,
      model: models[model],
      material: prepareMaterial(definition, mode),
      contenders: contendersOf(definition),
      expected: {
        count: expected[mode],
        own: Object.fromEntries(Object.entries(own).map(([contender, counts]) => [contender, counts[mode]])),
      },
    },
    { ...effort, rounds: Math.min(rounds, effort.rounds) },
    tell,
  );
}
