// Requests for tests, as kafkajs writes them.

/** @param client its id, or none
 *  @param body what follows the head, in pieces */
export function requestOf(api: number, version: number, client: string | null, ...body: Uint8Array[]): Buffer {
  const name = Buffer.from(client ?? '')
  const head = Buffer.alloc(14)
  head.writeInt16BE(api, 4)
  head.writeInt16BE(version, 6)
  head.writeInt16BE(client === null ? -1 : name.length, 12)
  const whole = Buffer.concat([head, name, ...body])
  whole.writeInt32BE(whole.length - 4)
  return whole
}
