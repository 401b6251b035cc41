// A source of its own: a file with one JSON object a line, an "id" of digits first. Its place in the file is kept in another one.

import { readFile, writeFile } from 'node:fs/promises'
import { ConnectorError } from '../../src/core/errors.ts'
import type { Item, Rejected, Source } from '../../src/core/types.ts'
import type { OpenInput, RunContext } from '../../src/run/open-input.ts'
import { TrackRows } from '../../src/run/track-rows.ts'

const [track, table] = [{ name: 'visits' }, { name: 'visits', keepLast: true }]
const HEAD = Buffer.from('{"keys":["id"],')

/** An origin is a line's number; so is a checkpoint: how many lines are stored. */
type Line = number

class LinesSource implements Source<Line, Line> {
  readonly #file: string
  constructor(file: string) {
    this.#file = file
  }

  async *read(): AsyncGenerator<readonly Item<Line, Line>[]> {
    const lines = (await readFile(this.#file, 'utf8')).trimEnd().split('\n')
    const stored = Number(await readFile(`${this.#file}.stored`, 'utf8').catch(() => 0))
    for (let from = stored; from < lines.length; from += 500) {
      const items = lines.slice(from, from + 500).map((text, at) => itemOf(text, from + at + 1))
      yield [...items, { kind: 'checkpoint', scope: track, checkpoint: from + items.length, bytes: 8 }]
    }
  }

  async settled(line: Line): Promise<void> {
    await writeFile(`${this.#file}.stored`, String(line))
  }
}

/** A point stands in two pieces of memory. A key is text where a number would be rounded: from 2^53 on. */
function itemOf(text: string, origin: Line): Item<Line, Line> {
  const key = /^\{"id":(\d+)[,}]/.exec(text)?.[1]
  if (key === undefined) return { kind: 'rejected', track, table, reason: 'it has no "id" first', origin, held: 0 }
  const [bytes, head] = [Buffer.from(text.slice(1)), { head: HEAD, headFrom: 0, headTo: HEAD.length }]
  return { kind: 'record', track, table, key, origin, held: 0, ...head, bytes, from: 0, to: bytes.length }
}

const put = ({ origin, reason }: Rejected<Line>): never => {
  const message = `Line ${origin} cannot be stored: ${reason}. Correct it, and run again.`
  throw new ConnectorError('config', 'record.rejected', message)
}

export async function openLines(file: string, { tally }: Pick<RunContext, 'tally'>): Promise<OpenInput<Line, Line>> {
  return {
    source: new LinesSource(file),
    rejects: { overlaps: false, placeOf: () => undefined, put: async (rejected) => put(rejected) },
    rejectsPlace: undefined,
    rows: new TrackRows([{ track, table }], tally),
    reserved: [{ file, what: 'what is read' }],
    rejectCounts: { all: [], stop: undefined, recordsOf: () => 0 },
    scopeOf: () => track,
    endWords: () => [],
    [Symbol.asyncDispose]: async () => {},
  }
}
