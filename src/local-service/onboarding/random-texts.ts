// Random bytes as the texts that interface A gives out, and what is kept in place of those that are secret.

import { createHash } from 'node:crypto'

export type RandomBytes = (size: number) => Buffer

/** 64 hexadecimal digits. */
export function secretText(random: RandomBytes): string {
  return random(32).toString('hex')
}

/** A UUID, version 4. */
export function uuid(random: RandomBytes): string {
  const bytes = random(16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const SSH_TYPE = 'ssh-ed25519'

/** An SSH public key as it stands in an authorized_keys file; there is no private one. */
export function sshPublicKey(random: RandomBytes, comment: string): string {
  const blob = Buffer.concat([field(Buffer.from(SSH_TYPE)), field(random(32))])
  return `${SSH_TYPE} ${blob.toString('base64')} ${comment}`
}

/** With its length in front, as SSH writes it. */
function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** SHA-256 of the text's UTF-8, in hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
