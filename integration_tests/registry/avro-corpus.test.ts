// Avro values that Confluent's serialiser wrote, by schemas of a real registry: read as fastavro reads them.

import { expect, it } from 'vitest'
import { describeRegistry } from './available.ts'
import { CorpusCases } from './corpus-cases.ts'

await describeRegistry('Avro of the reference serialisers', (bootstrap, startApicurio) => {
  const cases = new CorpusCases(bootstrap, startApicurio, { avro: 1200, 'avro-with-avro-keys': 300 })

  it('reads every value of two versions of a schema', async () => {
    await cases.allAreAsExpected('avro')
    const schemas = new Set((await cases.records('avro')).map(({ value }) => value!.readUInt32BE(1)))
    expect(schemas.size).toBe(2)
  })

  it('reads keys that are of a schema too', () => cases.allAreAsExpected('avro-with-avro-keys'))
})
