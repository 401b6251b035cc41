// Random sets of .proto files, judged by protoc and Google's library: PROTOBUF_SEED=another draws other ones.

import { describe, expect, it } from 'vitest'
import { describeParts } from '../kafka/available.ts'
import { findPythonKafka } from '../kafka/find-python-kafka.ts'
import { makeProtobufSets } from './make-protobuf-sets.ts'
import { differencesOf } from './protobuf-sets.ts'

const SEED = process.env['PROTOBUF_SEED'] || 'sets'
const SETS = 1000
const VALUES = 20
const python = await findPythonKafka(process.env)

describe('sets of .proto files that import each other', () => {
  describeParts('sets of .proto files', { "Kafka's clients for Python": python }, () => {
    it('mean to us what they mean to protoc, as texts and as descriptors', async () => {
      const sets = await makeProtobufSets({ seed: SEED, sets: SETS, values: VALUES })
      expect(sets.flatMap(({ values }) => values)).toHaveLength(SETS * VALUES)
      const differences = sets.flatMap((set, at) => differencesOf(set).map((difference) => `set ${at}: ${difference}`))
      const told = [`PROTOBUF_SEED=${SEED}`, ...differences.slice(0, 5)].join('\n')
      expect(`${differences.length} differ`, told).toBe('0 differ')
    })
  })
})
