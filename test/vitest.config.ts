import { defineConfig } from 'vitest/config';

/**
 * What takes machines (a browser, data engines), many processes or many seconds: `npm run
 * test:slow`.
 */
const slow = 'test/**/*.slow.test.ts';

/**
 * Files that look at the memory of their process, collect its garbage again and again, put modules
 * in the place of others, listen to the whole process, or leave connections and watchers to the
 * next file.
 */
const alone = [
  'test/cli/judge.test.ts',
  'test/cli/moderate.test.ts',
  'test/evaluate/allocation.test.ts',
  'test/evaluate/exceptions-budget.test.ts',
  'test/loader/file-source.test.ts',
  'test/moderator/canary.test.ts',
  'test/service/hygiene/bugs.test.ts',
];

const minute = 60_000;

/**
 * Time-outs only end what hangs: no test passes or fails by how fast its machine is. The files of
 * `shared` share their modules: loading them anew for each took a third of all the time. `npm test`
 * runs `shared` and `alone`.
 */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    testTimeout: (process.env.SLUICE_FULL === '1' ? 60 : 10) * minute,
    hookTimeout: 10 * minute,
    teardownTimeout: minute,
    maxWorkers: 2,
    setupFiles: ['test/support/setup.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'shared', isolate: false, include: ['test/**/*.test.ts'], exclude: [...alone, slow] },
      },
      { extends: true, test: { name: 'alone', include: alone } },
      { extends: true, test: { name: 'slow', include: [slow] } },
    ],
  },
});
