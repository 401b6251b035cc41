// The bench's files, made when first asked for, in a temporary directory that goes with them. Knows no scenario.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { joinInputs, writeCatalog, writeCompletes, writeConfig, writeMessages } from './generate.ts'
import type { Input, MessagesWanted, Mode } from './generate.ts'
import { nestedRecord, smallRecord } from './records.ts'

/** small: 500k x 200 B · sample: 20k of the same · often: small, a STATE every 50 · large: small and four more of it · nested: 100k x 1.5 KB ·
 *  nested-large: nested and four more of it · streams: 30k of small's, of 6,000 streams. */
export type InputName = 'small' | 'sample' | 'often' | 'large' | 'nested' | 'nested-large' | 'streams'

export interface Inputs extends Disposable {
  /** Every input but `often` has a STATE every 10,000 records, and COMPLETE for each stream at its end. */
  messages(name: InputName): Input
  /** @param of the input it is for; absent: any of three streams */
  catalog(mode: Mode, of?: InputName): string
  /** The path of a file that a program may leave. */
  output(name: string): string
  config(importUrl: string, options?: Readonly<Record<string, unknown>>): string
}

const MANY = Array.from({ length: 6000 }, (_, index) => `stream_${index}`)
const PARTS = [0, 1, 2, 3, 4]

/** `scale` shrinks every count of records: 1 is the size the bars are meant for. */
export function createInputs(scale: number): Inputs {
  const directory = mkdtempSync(join(tmpdir(), 'analytics-service-bench-'))
  const made = new Map<string, Input>()

  function once(name: string, make: (file: string) => Input): Input {
    let input = made.get(name)
    if (input === undefined) {
      input = make(join(directory, `${name}.jsonl`))
      made.set(name, input)
    }
    return input
  }

  function file(name: string, wanted: MessagesWanted): Input {
    return once(name, (path) => writeMessages(path, wanted))
  }

  function part(index: number, kind: 'small' | 'nested' = 'small'): Input {
    const [text, most] = kind === 'small' ? [smallRecord, 500_000] : [nestedRecord, 100_000]
    const records = most * scale
    return file(`${kind}-${index}`, { text, records, stateEvery: 10_000, firstId: 1 + index * records })
  }

  const records: Record<InputName, () => readonly Input[]> = {
    small: () => [part(0)],
    sample: () => [file('sample', { text: smallRecord, records: 20_000 * scale, stateEvery: 10_000 })],
    often: () => [file('often', { text: smallRecord, records: 500_000 * scale, stateEvery: 50 })],
    large: () => PARTS.map((index) => part(index)),
    nested: () => [part(0, 'nested')],
    'nested-large': () => PARTS.map((index) => part(index, 'nested')),
    streams: () => [file('streams', { text: smallRecord, records: 30_000 * scale, stateEvery: 10_000, streams: MANY })],
  }

  return {
    messages: (name) =>
      joinInputs([
        ...records[name](),
        name === 'streams'
          ? once('completes-of-streams', (path) => writeCompletes(path, MANY))
          : once('completes', (path) => writeCompletes(path)),
      ]),
    catalog(mode, of) {
      const path = join(directory, of === 'streams' ? 'catalog-of-streams.json' : `catalog-${mode}.json`)
      writeCatalog(path, mode, of === 'streams' ? MANY : undefined)
      return path
    },
    output: (name) => join(directory, name),
    config(importUrl, options = {}) {
      const path = join(directory, 'config.json')
      writeConfig(path, importUrl, options)
      return path
    },
    [Symbol.dispose]() {
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
