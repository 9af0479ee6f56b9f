/**
 * Contenders of `rows`: the loop of `sluice audit` over a file of NDJSON, with rows of some 800
 * bytes as a platform exports them, against a bare loop.
 */
import { Readable } from 'node:stream';
import { auditCounting } from '../../src/audit/count/counters.js';
import { judgeBlock } from '../../src/audit/judge-block.js';
import { BlockCutter } from '../../src/audit/source/blocks.js';
import { readerOf } from '../../src/audit/source/open-file.js';
import { plainFormat } from '../../src/audit/source/rows.js';
import { createEngine } from '../../src/engine/engine.js';
import { engineParts } from '../../src/engine/evaluate/engine-parts.js';
import { createPlainTexts } from '../../src/engine/evaluate/plain-texts.js';
import { type Contender, ours, verdictWeights } from '../rules/contenders.js';
import { listedMessages, timed } from './audit.js';
import { readlineContender } from './judge.js';

/** Messages of these texts with senders and receivers as exports have them. */
function exportedMessages(texts: readonly string[]) {
  const entityOf = (uid: string) => {
    const avatar = `https://assets.example.com/images/avatars/${uid}.png`;
    const entity = { uid, name: uid, role: 'default', avatar, status: 'available', lastActiveAt: 1_780_000_000 };
    return { entity, entityType: 'user' };
  };
  return listedMessages(texts).map(({ data, ...message }) => {
    const entities = { sender: entityOf(message.sender), receiver: entityOf(message.receiver) };
    const resource = 'WEB-4_0_1-1f2e3d4c5b6a7988';
    return {
      ...message,
      conversationId: `${message.sender}_user_${message.receiver}`,
      data: { ...data, resource, entities },
    };
  });
}

const blocks: Contender = {
  name: ours,
  note: 'blocks of rows, judged and counted as `sluice audit` does',
  prepare: ({ ruleSet, semantics, texts }) => {
    const lines = exportedMessages(texts).map((message) => `${JSON.stringify(message)}\n`);
    const bytes = Buffer.from(lines.join(''));
    const engine = createEngine(ruleSet, semantics);
    const parts = engine[engineParts]?.();
    const engines = { engine, plainTexts: parts && createPlainTexts(parts.compiled, parts.semantics) };
    const start = auditCounting({ summary: {} }).prepare(engines);
    const options = { selection: {}, onBadRow: 'stop', scores: new Map(), rows: 'findings' } as const;
    const walk = async () => {
      const sum = start();
      const file = { source: 'rows', format: plainFormat, reader: readerOf(Readable.from([bytes])) };
      for await (const block of new BlockCutter(undefined, { isKept: false }).blocksOf(file))
        sum.merge(judgeBlock(block, { engines, start }, options).counts);
      const verdicts = Object.entries(sum.toJSON().summary?.verdicts ?? {});
      return verdicts.reduce((all, [verdict, count]) => all + count * verdictWeights[verdict as 'allow'], 0);
    };
    return { pass: (times) => timed(times, walk), close: () => engine.close() };
  },
};

export const rowContenders: readonly Contender[] = [blocks, readlineContender(exportedMessages)];
