// Records for kafkajs to take apart in place of others. Knows not what for.

/** @param lastOffsetDelta the offset of each, from its batch's first: kafkajs drops what is before the one it asked for
 *  @returns so many records with a value of one byte, in memory of their own, by which they are found again */
export function standInRecords(count: number, lastOffsetDelta: number): Buffer {
  // attributes, time, offset, no key, a value of one byte, no headers
  const record = Buffer.concat([Buffer.from([0, 0]), varint(lastOffsetDelta), Buffer.from([1, 2, 0, 0])])
  const whole = Buffer.concat([varint(record.length), record])
  return Buffer.alloc(Math.max(1, whole.length * count), whole)
}

/** Of a number that is not negative. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value * 2
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  return Buffer.from([...bytes, rest])
}
