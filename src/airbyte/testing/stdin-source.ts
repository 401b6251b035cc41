// For tests: standard input as a source, whose options nobody touched but for what is given.

import type { TablesConfig } from '../../config/write/write-load.ts'
import { mapStreams } from '../../mapping/map-streams.ts'
import { MapperSpace } from '../../mapping/mapper-space.ts'
import type { CatalogStream } from '../../mapping/stream-mapping.ts'
import { UNTOUCHED } from '../../mapping/testing/facts.ts'
import { MappedStream, StreamIndex } from '../find-stream.ts'
import { MessageReader } from '../reader.ts'
import { StdinSource } from '../stdin-source.ts'

type Options = ConstructorParameters<typeof StdinSource>[0]

export function sourceOf(
  catalog: readonly CatalogStream[],
  chunks: () => AsyncIterator<Uint8Array>,
  options: Partial<Options> = {},
  tables: Partial<TablesConfig> = {},
): { source: StdinSource; streams: readonly MappedStream[] } {
  const { space = new MapperSpace() } = options
  const mappings = mapStreams(catalog, { ...UNTOUCHED, tableNames: 'hashed', ...tables })
  const streams = mappings.map((mapping) => new MappedStream(mapping, space))
  const index = new StreamIndex(streams)
  const source = new StdinSource({
    input: { [Symbol.asyncIterator]: chunks, destroy: () => {} },
    reader: new MessageReader<MappedStream>((namespace, name) => index.find(namespace, name)),
    space,
    maxLineBytes: 1e6,
    keepsLines: false,
    print: () => Promise.resolve(),
    awaitStop: () => Promise.resolve(),
    collect: () => {},
    warn: () => {},
    ...options,
  })
  return { source, streams }
}
