// Runs protobuf_sets.py. By itself it records what spec/protobuf.spec.ts reads, two minutes:
//   node integration_tests/registry/make-protobuf-sets.ts

import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runPython } from '../kafka/run-python.ts'
import { readProtobufSets, type ProtobufSet } from './protobuf-sets.ts'

export interface ProtobufSetsOptions {
  readonly seed: string
  readonly sets: number
  /** Of each set. */
  readonly values: number
  /** Of a line, in characters: only sets in which what a file does not see matters. */
  readonly longest?: number
}

/** The same options give the same sets. @param keep path of a copy of the lines */
export async function makeProtobufSets(options: ProtobufSetsOptions, keep?: URL): Promise<ProtobufSet[]> {
  const folder = await mkdtemp(join(tmpdir(), 'protobuf-sets-'))
  try {
    const file = join(folder, 'sets.jsonl')
    await runPython(new URL('protobuf_sets.py', import.meta.url), [], JSON.stringify({ ...options, file }))
    if (keep) await copyFile(file, keep)
    return readProtobufSets(await readFile(file, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const recorded = new URL('../../spec/protobuf/sets.jsonl', import.meta.url)
  await makeProtobufSets({ seed: 'recorded', sets: 24, values: 5, longest: 9000 }, recorded)
}
