import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // most of the time is waiting, for processes and for time itself
    maxWorkers: 4,
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], testTimeout: 60_000 } },
      { test: { name: 'spec', include: ['spec/**/*.spec.ts'], testTimeout: 60_000 } },
      {
        test: {
          name: 'integration',
          include: ['integration_tests/**/*.test.ts'],
          exclude: ['integration_tests/image/**'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
