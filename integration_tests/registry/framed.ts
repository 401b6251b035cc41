/** A value in a registry's wire format: behind the id of its schema. */
export function framed(id: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(id, 1)
  return Buffer.concat([head, payload])
}
