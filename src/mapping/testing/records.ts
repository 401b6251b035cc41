// For tests: a record as the envelope locates it, and what becomes of it.

import type { TablesConfig } from '../../config/write/write-load.ts'
import { RecordData } from '../../json/record-data.ts'
import { Scanner } from '../../json/scanner.ts'
import { mapStreams } from '../map-streams.ts'
import { RecordMapper } from '../record-mapper.ts'
import { MapperSpace } from '../mapper-space.ts'
import { Provenance } from '../provenance.ts'
import { emptySlot, type CatalogStream } from '../stream-mapping.ts'
import { factsOf, UNTOUCHED } from './facts.ts'
import { pointIn } from './topic-rows.ts'

/** @param meta the text of an object; empty: the record has none
 *  @throws when `data` is no object */
export function recordDataOf(data: string, emittedAt = '1700000000000', meta = ''): RecordData {
  const front = Buffer.from(`${emittedAt}\n${meta}\n`)
  const bytes = Buffer.concat([front, Buffer.from(`${data}\n`)])
  const scanner = new Scanner()
  scanner.start(bytes, front.length, bytes.length - 1)
  if (!scanner.table() || !scanner.finish()) throw new Error(`no object: ${data}`)
  const emittedTo = Buffer.byteLength(emittedAt)
  const record = new RecordData()
  record.hold(scanner, bytes, front.length, bytes.length - 1)
  return Object.assign(record, { emittedTo, metaFrom: emittedTo + 1, metaTo: front.length - 1 })
}

export type Made = { readonly point: string; readonly key: unknown } | { readonly rejected: string }

/** A stream's mapper that tells points as texts.
 *  @throws ConnectorError when the stream is refused */
export function mapping(
  facts: Partial<CatalogStream>,
  options: Partial<TablesConfig> = {},
): (record: RecordData) => Made {
  const space = new MapperSpace(new Provenance('run-1', () => 1))
  const stream = mapStreams([factsOf(facts)], { ...UNTOUCHED, ...options })[0]!
  const mapper = new RecordMapper<number>(stream, space)
  return (record) => {
    space.reset()
    const item = mapper.map(record, 1, 0, emptySlot(0))
    if (item.kind === 'rejected') return { rejected: item.reason }
    return pointIn(item)
  }
}
