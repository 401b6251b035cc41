// Writes the bench's inputs: messages as a source sends them, catalogs, a config. Deterministic; knows no program.

import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { createRandom } from './random.ts'
import type { RecordText } from './records.ts'

export type Mode = 'append_dedup' | 'append'

/** Messages for one run: the files, read one after another, and what is in them. */
export interface Input {
  readonly files: readonly string[]
  readonly records: number
  readonly states: number
  readonly bytes: number
}

export interface MessagesWanted {
  readonly text: RecordText
  readonly records: number
  /** A STATE after this many records, and one at the end. */
  readonly stateEvery: number
  /** The first key; keys count up from it, so inputs with ranges of their own can follow each other. */
  readonly firstId?: number
  /** Absent: three. */
  readonly streams?: readonly string[]
}

const STREAMS: readonly string[] = ['orders', 'customers', 'events']
const FIRST_EMITTED_AT = Date.UTC(2026, 0, 1)
const BLOCK_CHARACTERS = 1 << 20

/**
 * Writes one file of RECORD and STATE messages, the records of its streams mixed at random, keys all distinct.
 * Each STATE is of the stream whose record came before it and names that record's key: they rise within a stream.
 */
export function writeMessages(
  file: string,
  { text, records, stateEvery, firstId = 1, streams = STREAMS }: MessagesWanted,
): Input {
  const random = createRandom(firstId)
  const fd = openSync(file, 'w')
  let [block, states] = ['', 0]
  try {
    for (let done = 1; done <= records; done++) {
      const id = firstId + done - 1
      const stream = random.pick(streams)
      const emittedAt = FIRST_EMITTED_AT + Math.floor(id / 3)
      block += `{"type":"RECORD","record":{"stream":"${stream}","data":${text(id, random)},"emitted_at":${emittedAt}}}\n`
      if (done % stateEvery === 0 || done === records) {
        block += stateLine(stream, id)
        states++
      }
      if (block.length >= BLOCK_CHARACTERS || done === records) {
        writeSync(fd, block)
        block = ''
      }
    }
  } finally {
    closeSync(fd)
  }
  return { files: [file], records, states, bytes: statSync(file).size }
}

/** Several inputs as one, in order. */
export function joinInputs(inputs: readonly Input[]): Input {
  const sum = (of: (input: Input) => number): number => inputs.reduce((total, input) => total + of(input), 0)
  return {
    files: inputs.flatMap((input) => input.files),
    records: sum((input) => input.records),
    states: sum((input) => input.states),
    bytes: sum((input) => input.bytes),
  }
}

/** The end of a sync that went well, without records: one COMPLETE a stream. */
export function writeCompletes(file: string, streams = STREAMS): Input {
  const status = (name: string): string =>
    `"stream_status":{"stream_descriptor":{"name":"${name}"},"status":"COMPLETE"}`
  const lines = streams.map(
    (name) => `{"type":"TRACE","trace":{"type":"STREAM_STATUS","emitted_at":1767225600000,${status(name)}}}\n`,
  )
  writeFileSync(file, lines.join(''))
  return { files: [file], records: 0, states: 0, bytes: statSync(file).size }
}

export function writeCatalog(file: string, mode: Mode, names = STREAMS): void {
  const streams = names.map((name) => ({
    stream: {
      name,
      json_schema: { type: 'object', properties: { id: { type: 'integer' } } },
      supported_sync_modes: ['full_refresh', 'incremental'],
    },
    sync_mode: 'incremental',
    destination_sync_mode: mode,
    cursor_field: ['updated_at'],
    primary_key: mode === 'append' ? [] : [['id']],
    generation_id: 1,
    minimum_generation_id: 0,
    sync_id: 1,
  }))
  writeFileSync(file, JSON.stringify({ streams }))
}

export function writeConfig(file: string, importUrl: string, options: Readonly<Record<string, unknown>>): void {
  writeFileSync(file, JSON.stringify({ import_url: importUrl, client_id: 7, api_key: 'demo-key', ...options }))
}

function stateLine(stream: string, id: number): string {
  const descriptor = `"stream_descriptor":{"name":"${stream}"}`
  return `{"type":"STATE","state":{"type":"STREAM","stream":{${descriptor},"stream_state":{"id":${id}}}}}\n`
}
