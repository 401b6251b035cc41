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

  /** As `find`; without a namespace also the only stream of that name. */
  findByName(namespace: string | undefined, name: string): MappedStream | undefined {
    const found = this.find(namespace, name)
    if (found || (namespace ?? '') !== '') return found
    const namesakes = Array.from(this.#streams.values()).filter(({ mapping }) => mapping.track.name === name)
    return namesakes.length === 1 ? namesakes[0] : undefined
  }
}

function keyOf(namespace: string | undefined, name: string): string {
  return JSON.stringify([namespace ?? '', name])
}
