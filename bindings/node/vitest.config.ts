import { fileURLToPath } from 'node:url'

import { defineConfig } from 'vitest/config'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      // The sources, so that their coverage is measured; on Bun the same name is the built package.
      { find: /^@suaveplan\/sandbox$/, replacement: here('./lib/index.ts') },
      { find: /^@suaveplan\/sandbox\/(worker|process)$/, replacement: here('./lib/$1.ts') },
      // The loader finds the addon relative to its own folder, which is dist/esm in the package.
      { find: /^\.\/native\.cjs$/, replacement: here('./dist/esm/native.cjs') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // Processes: an addon that crashes takes one file with it, and chdir works.
    pool: 'forks',
    poolOptions: { forks: { maxForks: 2, minForks: 1 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'istanbul',
      include: ['lib/**/*.ts'],
      reporter: ['text', 'json-summary'],
      reportOnFailure: true,
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
})
