import { defineConfig } from 'vitest/config'
import { colourless } from '../tools/results/colours.ts'

colourless(process.stdout)
colourless(process.stderr)

// Apart from the other projects: a browser is not on every machine. `npm run test:page` looks for one first.
export default defineConfig({
  test: {
    name: 'page',
    root: new URL('../../', import.meta.url).pathname,
    include: ['integration_tests/page/*.browser.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000, interval: 50 } },
    maxWorkers: 2,
  },
})
