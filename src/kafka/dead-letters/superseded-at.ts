// Where older versions of a dead letter's row were read, as JSON and back: the same in a header and in a line of a file.

import type { PartitionPosition } from '../types.ts'

const OFFSET = /^\d{1,19}$/

/** `[{"topic":"orders","partition":0,"offset":"12"}]`, to be written as JSON: an offset can be large and is text. */
export function toldPlaces(places: readonly PartitionPosition[]): object[] {
  return places.map(({ topic, partition, offset }) => ({ topic, partition, offset: `${offset}` }))
}

/** @returns undefined when it is not what `toldPlaces` gives */
export function placesIn(told: unknown): PartitionPosition[] | undefined {
  if (!Array.isArray(told)) return undefined
  const places: PartitionPosition[] = []
  for (const each of told as readonly unknown[]) {
    const { topic, partition, offset } = { ...(each as Partial<Readonly<Record<string, unknown>>>) }
    if (typeof topic !== 'string' || typeof offset !== 'string' || !OFFSET.test(offset)) return undefined
    if (typeof partition !== 'number' || !Number.isSafeInteger(partition) || partition < 0) return undefined
    places.push({ topic, partition, offset: BigInt(offset) })
  }
  return places
}
