import { defineConfig } from 'vitest/config'

/** Those that take long: brokers of their own, groups that wait for time to pass, a process a situation, whole captures. */
const LONG = [
  'avro-corpus',
  'broken-setups',
  'canary',
  'canary-library',
  'canary-onboard',
  'captures',
  'crash',
  'documents',
  'fuzz/fuzz',
  'kafka-bench',
  'kafka-broker',
  'kafka-codecs',
  'kafka-consumer',
  'kafka-consumer-leaving',
  'kafka-consumer-positions',
  'kafka-consumer-trouble',
  'kafka-dead-letters',
  'kafka-foreign-logs',
  'kill',
  'long-lines',
  'metrics-lag',
  'long-lines-bytes',
  'metrics-prometheus',
  'onboard-kill',
  'onboard-unread',
  'plan-and-write',
  'pressure',
  'protobuf-corpus',
  'registry-apicurio',
  'registry-debezium',
  'registry-faults',
  'registry-genuine',
  'registry-json-schema',
  'registry-stream',
  'sasl-broker',
  'serve-data',
  'stream-broken-setups',
  'stream-check',
  'stream-check-refused',
  'stream-cut-off',
  'stream-group',
  'stream-losses',
  'stream-memory',
  'stream-outage',
  'stream-outage-told',
  'stream-partition-growth',
  'stream-readme',
  'stream-repeats',
  'stream-report',
  'stream-stopped-told',
  'stream-stops',
  'stream-stops-late',
  'stream-topic-anew',
  'tls-broker',
  'without-parts',
].map((name) => `integration_tests/${name}.test.ts`)

const SAY_SKIPPED = 'integration_tests/results/say-skipped.ts'

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
      { test: { name: 'unit', include: ['src/**/*.test.ts'], globalSetup: SAY_SKIPPED, testTimeout: 60_000 } },
      { test: { name: 'spec', include: ['spec/**/*.spec.ts'], globalSetup: SAY_SKIPPED, testTimeout: 60_000 } },
      {
        test: {
          name: 'integration',
          include: ['integration_tests/**/*.test.ts'],
          exclude: ['integration_tests/image/**', ...LONG],
          ...processes,
        },
      },
      { test: { name: 'long', include: LONG, ...processes } },
    ],
  },
})
