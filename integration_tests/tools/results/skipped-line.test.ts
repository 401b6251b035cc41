import { expect, it } from 'vitest'
import type { Need } from './needs.ts'
import { skippedLine } from './skipped-line.ts'

const file = 'integration_tests/a.test.ts'
const some = (count: number, needs?: Need) => Array.from({ length: count }, () => ({ needs, file }))
const REMEDY = 'npm run fetch:test-parts && npm test runs'

it.each([
  [some(0), undefined],
  [some(1, 'a Kafka broker'), `1 test skipped: it needs a Kafka broker. ${REMEDY} it too (needs Java 17 and Maven).`],
  [
    [...some(3, 'promtool'), ...some(40, 'a Kafka broker'), ...some(2, 'Apicurio Registry'), ...some(1), ...some(1)],
    `47 tests skipped: they need a Kafka broker (40), promtool (3) and Apicurio Registry (2); 2 by what is said in ${file}. ${REMEDY} them too (needs Java 17, Maven and Debian's apt).`,
  ],
  [some(2), `2 tests skipped by what is said in ${file}.`],
])('says what was skipped, and what runs it', (skipped, line) => {
  expect(skippedLine(skipped, 'npm test')).toBe(line)
})
