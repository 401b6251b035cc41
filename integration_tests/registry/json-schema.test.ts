// JSON values that Confluent's serialiser wrote, by a schema of a real registry: read as Python's json reads them.

import { it } from 'vitest'
import { describeRegistry } from './available.ts'
import { CorpusCases } from './corpus-cases.ts'

await describeRegistry('JSON Schema of the reference serialisers', (bootstrap, startApicurio) => {
  const cases = new CorpusCases(bootstrap, startApicurio, { 'json-schema': 1200 })

  it('reads every value', () => cases.allAreAsExpected('json-schema'))
})
