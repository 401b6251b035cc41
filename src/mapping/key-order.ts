// The order of a key's fields wherever it is compared. A row is the same whichever order a config, a record or a Kafka key
// lists its key fields in, so everything that tells rows apart goes by this order; `keys` itself may keep its own.

/** By UTF-16 code units of the names that a point's `keys` would hold: the same in every process and locale. */
export function inKeyOrder(names: readonly string[]): string[] {
  return [...names].sort()
}
