// Reads Avro's binary values by their writer's schema, as JSON texts. What each type becomes: avro-readers.ts.

import { AvroOutput } from '../json-output.ts'
import { SchemaTrouble, ValueTrouble } from '../trouble.ts'
import type { Decoded, MakeDecoder } from '../types.ts'
import { AvroInput } from './avro-input.ts'
import { compileAvro, rawBytes } from './avro-readers.ts'
import type { AvroReader } from './avro-readers.ts'
import { parseRegistered } from './avro-schema.ts'

export const avroDecoder: MakeDecoder = (schema, mostBytes) => {
  try {
    const root = parseRegistered(schema)
    // the registry's wire format writes a value that is bytes without their length
    const read = root.kind === 'bytes' ? rawBytes(root.logical) : compileAvro(root)
    const input = new AvroInput()
    const output = new AvroOutput(mostBytes)
    return { type: 'AVRO', decode: (bytes, from) => decoded(read, input, output, bytes, from) }
  } catch (error) {
    if (error instanceof SchemaTrouble) return { problem: error.message }
    throw error
  }
}

function decoded(read: AvroReader, input: AvroInput, output: AvroOutput, bytes: Buffer, from: number): Decoded {
  input.load(bytes, from)
  output.begin(bytes.length - from)
  try {
    read(input, output)
    return input.at === input.end ? { json: output.take() } : { problem: 'goes on after what its schema describes' }
  } catch (error) {
    if (error instanceof ValueTrouble) return { problem: error.words() }
    throw error
  } finally {
    input.unload()
    output.drop()
  }
}
