// The streams of a catalog by namespace and name. A namespace of "" is none.

import type { MappedStream } from './stdin-source.ts'

export class StreamIndex {
  readonly #streams = new Map<string, MappedStream>()

  constructor(streams: readonly MappedStream[]) {
    for (const stream of streams) {
      const { name, namespace } = stream.mapping.track
      this.#streams.set(keyOf(namespace, name), stream)
    }
  }

  find(namespace: string | undefined, name: string): MappedStream | undefined {
    return this.#streams.get(keyOf(namespace, name))
  }
}

function keyOf(namespace: string | undefined, name: string): string {
  return JSON.stringify([namespace ?? '', name])
}
