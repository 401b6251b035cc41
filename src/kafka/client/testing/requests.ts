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

/** An answer to ApiVersions, with size and correlation id 1. @param ranges of each api its oldest and newest version */
export function versionsBytes(...ranges: readonly (readonly [api: number, oldest: number, newest: number])[]): Buffer {
  const answer = Buffer.alloc(14 + ranges.length * 6)
  answer.writeInt32BE(answer.length - 4, 0)
  answer.writeInt32BE(1, 4)
  answer.writeInt32BE(ranges.length, 10)
  ranges.flat().forEach((number, index) => answer.writeInt16BE(number, 14 + index * 2))
  return answer
}
