// The messages the image's tests send, and what they read of those that come back and of the tables.

import assert from 'node:assert/strict'
import type { Stage } from './stage.ts'

export function record(stream: string, data: string): string {
  return `{"type":"RECORD","record":{"stream":"${stream}","data":${data},"emitted_at":1763700000000}}`
}

export function state(stream: string, members: string, recordCount: number): string {
  const inner = `"stream":{"stream_descriptor":{"name":"${stream}"},"stream_state":{${members}}}`
  return `{"type":"STATE","state":{"type":"STREAM",${inner},"sourceStats":{"recordCount":${recordCount}.0},"id":1}}`
}

export function stream(name: string, mode: string): unknown {
  return {
    stream: {
      name,
      json_schema: { type: 'object', properties: { id: { type: 'integer' } } },
      supported_sync_modes: [],
    },
    sync_mode: 'incremental',
    destination_sync_mode: mode,
    cursor_field: [],
    ...(mode === 'append_dedup' ? { primary_key: [['id']] } : {}),
  }
}

/** Of each STATE of a stream, in order: the records it counts as written, and its own text. */
export function statesOf({ stdout }: { readonly stdout: string }, name: string): [number, string][] {
  return stdout.split('\n').flatMap((line): [number, string][] => {
    if (!line.includes('"type":"STATE"') || !line.includes(`"name":"${name}"`)) return []
    const { state } = JSON.parse(line) as { state: { destinationStats: { recordCount: number }; id: number } }
    assert.equal(state.id, 1)
    return [[state.destinationStats.recordCount, /"stream_state":\{(.*?)\}/.exec(line)![1]!]]
  })
}

/** A table's rows as texts, first arrival first. */
export async function rows(stage: Stage, table: string): Promise<string[]> {
  const text = await stage.ask(`/_local/tables/${table}?client_id=7`)
  return text
    .trim()
    .replace(/^\[|\]$/g, '')
    .split(',\n')
    .map((row) => row.trim())
}
