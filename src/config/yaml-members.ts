// The members of a YAML document by their names: which names stand there twice, and what stands at a path. The library's own
// ways compare each name with all before it. Knows no option.

import type { Document, YAMLMap } from 'yaml'
import { isAlias, isCollection, isMap, isNode, isPair, isScalar, isSeq } from 'yaml'

type Members = ReadonlyMap<string, unknown>

export interface Names {
  /** Where in the text a name begins that its map has already, in the order of the text. Names that become one in JavaScript
   *  are one (`1` and `"1"`); a list or a map as a name is no other's equal. */
  readonly repeated: readonly number[]
  /** Aliases, and names that are lists or maps: the library compares each of them with all anchors. */
  readonly costly: number
}

export function namesIn(document: Document): Names {
  const repeated: number[] = []
  let costly = 0
  const open: unknown[] = [document.contents]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isAlias(node)) costly++
    if (!isCollection(node)) continue
    if (isMap(node)) addRepeated(node, repeated)
    for (const item of node.items) {
      if (!isPair(item)) open.push(item)
      else {
        if (isCollection(item.key)) costly++
        open.push(item.key ?? null, item.value ?? null)
      }
    }
  }
  return { repeated: repeated.toSorted((a, b) => a - b), costly }
}

function addRepeated({ items }: YAMLMap, places: number[]): void {
  const names = new Set<string>()
  for (const { key } of items) {
    const name = nameOf(key)
    if (name === undefined) continue
    if (names.has(name)) places.push((isNode(key) ? key.range?.[0] : undefined) ?? 0)
    names.add(name)
  }
}

/** What stands at paths of one document. */
export class YamlPlaces {
  readonly #document: Document
  readonly #known = new Map<YAMLMap, Members>()

  constructor(document: Document) {
    this.#document = document
  }

  /** undefined: nothing stands there. */
  at(path: readonly PropertyKey[]): unknown {
    let node: unknown = this.#document.contents
    for (const step of path) {
      if (isMap(node)) node = this.#members(node).get(String(step))
      else if (isSeq(node)) node = node.get(step, true)
      else return undefined
    }
    return node ?? undefined
  }

  #members(map: YAMLMap): Members {
    const known = this.#known.get(map)
    if (known !== undefined) return known
    const members = new Map<string, unknown>()
    for (const { key, value } of map.items) {
      const name = nameOf(key)
      if (name !== undefined) members.set(name, value)
    }
    this.#known.set(map, members)
    return members
  }
}

/** As the library names a member of an object; undefined: it is no text. */
function nameOf(key: unknown): string | undefined {
  const value: unknown = isScalar(key) ? key.value : key
  if (value === null) return ''
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? `${value}` : undefined
}
