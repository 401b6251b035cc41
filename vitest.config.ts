import { defineConfig } from 'vitest/config'
import { colourless } from './integration_tests/tools/results/colours.ts'

colourless(process.stdout)
colourless(process.stderr)

/** Those that take long: brokers of their own, groups that wait for time to pass, a process a situation, whole captures. */
const LONG = [
  'bench/kafka',
  'broken-setups/broken-setups',
  'canary/canary',
  'canary/identity',
  'canary/library',
  'canary/onboard',
  'cli/without-parts',
  'documents/documents',
  'dry-run/lines',
  'engine/fleet/fleet',
  'fuzz/fuzz',
  'identity/check',
  'identity/stream',
  'kafka/broker',
  'kafka/codecs',
  'kafka/consumer',
  'kafka/consumer-anew',
  'kafka/consumer-leaving',
  'kafka/consumer-positions',
  'kafka/consumer-trouble',
  'kafka/dead-letters',
  'kafka/foreign-logs',
  'kafka/sasl-broker',
  'kafka/tls-broker',
  'onboard/kill',
  'onboard/unread',
  'plan/and-write',
  'promises/budget',
  'promises/bytes',
  'promises/checkpoint',
  'promises/kill',
  'promises/memory',
  'promises/order',
  'promises/outage',
  'promises/poison',
  'promises/secrets',
  'promises/stop',
  'promises/summary',
  'registry/apicurio',
  'registry/avro-corpus',
  'registry/debezium',
  'registry/faults',
  'registry/genuine',
  'registry/json-schema',
  'registry/protobuf-corpus',
  'registry/protobuf-sets',
  'registry/routing',
  'registry/stream',
  'serve/data',
  'stream/broken-setups',
  'stream/check',
  'stream/check-refused',
  'stream/cut-off',
  'stream/dry-run',
  'stream/group',
  'stream/losses',
  'stream/memory',
  'stream/metrics-lag',
  'stream/metrics-prometheus',
  'stream/outage',
  'stream/outage-told',
  'stream/partition-growth',
  'stream/readme',
  'stream/sent-again',
  'stream/stopped-told',
  'stream/stops',
  'stream/stops-late',
  'stream/topic-anew',
  'write/captures',
  'write/crash',
  'write/long-lines',
  'write/long-lines-bytes',
  'write/pressure',
  'write/renamed-stream',
].map((name) => `integration_tests/${name}.test.ts`)

const SAY_SKIPPED = 'integration_tests/tools/results/say-skipped.ts'

/** These keep nothing in their modules that another could find: loading them again for each file took a third of the time. */
const shared = { globalSetup: SAY_SKIPPED, testTimeout: 60_000, isolate: false }

const processes = {
  globalSetup: [SAY_SKIPPED, 'integration_tests/kafka/shared-broker.ts'],
  testTimeout: 240_000,
  hookTimeout: 180_000,
}

export default defineConfig({
  test: {
    // most of the time is waiting, for processes and for time itself
    maxWorkers: 4,
    projects: [
      { test: { name: 'unit', include: ['src/**/*.test.ts'], ...shared } },
      { test: { name: 'spec', include: ['spec/**/*.spec.ts'], ...shared } },
      {
        test: {
          name: 'integration',
          include: ['integration_tests/**/*.test.ts'],
          exclude: ['integration_tests/package/**', ...LONG],
          ...processes,
        },
      },
      { test: { name: 'long', include: LONG, ...processes } },
      { test: { name: 'package', include: ['integration_tests/package/*.test.ts'], ...processes } },
    ],
  },
})
