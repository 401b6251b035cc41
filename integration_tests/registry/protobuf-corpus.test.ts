// Protobuf values that Confluent's serialiser wrote, by schemas of a real registry: read as Google's json_format reads them,
// but for integers of 64 bits, which are numbers.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { protobufDecoder } from '../../src/registry/protobuf/protobuf-decoder.ts'
import { describeRegistry } from './available.ts'
import { CorpusCases } from './corpus-cases.ts'

const OLD = new URL('schemas/old.proto', import.meta.url)

await describeRegistry('Protobuf of the reference serialisers', (bootstrap, startApicurio) => {
  const cases = new CorpusCases(bootstrap, startApicurio, { protobuf: 1000, 'protobuf-text': 500, 'protobuf-2': 500 })

  it('reads every value of a message within a message, by the schema that the serialiser registered', async () => {
    await cases.allAreAsExpected('protobuf')
    const [first] = await cases.records('protobuf')
    // two indexes, 1 and 1
    expect(first!.value!.subarray(5, 8)).toEqual(Buffer.from([4, 2, 2]))
  })

  it('reads every value by a schema that is the text of its file', () => cases.allAreAsExpected('protobuf-text'))

  it('reads every value of the older syntax', () => cases.allAreAsExpected('protobuf-2'))

  it('reads them by the text of its file too, which this registry does not take for its groups', async () => {
    const decoder = protobufDecoder({ type: 'PROTOBUF', text: await readFile(OLD, 'utf8'), references: [] })
    if ('problem' in decoder) throw new Error(decoder.problem)
    await cases.allAreAsExpected('protobuf-2', decoder)
  })
})
