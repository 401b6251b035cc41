// Runs the connector at full load with a STATE every 1,000 records, and tells how long each took to come back. Some of the
// records may be of one hot key. Knows no bars.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Inputs } from '../inputs.ts'
import type { ShapedServer } from './run-shaped.ts'
import type { Shape } from './shape.ts'

export interface StatesRun {
  readonly shape: Shape
  readonly chunks: number
  /** Share of the records that are of one key. */
  readonly hot: number
}

export interface StatesSeen {
  readonly recordsPerSecond: number
  /** From its way into the pipe to its way out, milliseconds, in order. */
  readonly delays: readonly number[]
}

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const PER_CHUNK = 1000
const PAD = 'x'.repeat(120)

export async function runStates(run: StatesRun, server: ShapedServer, inputs: Inputs): Promise<StatesSeen> {
  await server.become(run.shape)
  const args = ['write', '--config', inputs.config(server.url), '--catalog', inputs.catalog('append_dedup')]
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const written: number[] = []
  const delays: number[] = []
  let rest = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      const number = /"n":(\d+)/.exec(line)
      if (line.startsWith('{"type":"STATE"') && number) delays.push(performance.now() - written[Number(number[1])]!)
    }
  })
  const ended = once(child, 'close') as Promise<[number | null]>
  const started = performance.now()
  for (let index = 0; index < run.chunks; index++) {
    const isFree = child.stdin.write(chunkOf(index, run.hot))
    written.push(performance.now())
    if (!isFree) await once(child.stdin, 'drain')
  }
  child.stdin.end()
  const [code] = await ended
  if (code !== 0 || delays.length !== run.chunks) throw new Error(`exit code ${code}, ${delays.length} states`)
  return {
    recordsPerSecond: (run.chunks * PER_CHUNK * 1000) / (performance.now() - started),
    delays: delays.toSorted((a, b) => a - b),
  }
}

function chunkOf(index: number, hot: number): string {
  let text = ''
  for (let more = 0; more < PER_CHUNK; more++) {
    // every so many, so that the share is the same everywhere
    const isHot = Math.floor((more + 1) * hot) > Math.floor(more * hot)
    const id = isHot ? 0 : index * PER_CHUNK + more + 1
    text += `{"type":"RECORD","record":{"stream":"orders","data":{"id":${id},"n":${more},"text":"${PAD}"},"emitted_at":1767225600000}}\n`
  }
  return `${text}{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":{"name":"orders"},"stream_state":{"n":${index}}}}}\n`
}
