// Random texts that interface A gives out, and what is kept in place of those that are secret.

import { createHash, randomBytes } from 'node:crypto'

/** 64 hexadecimal digits. */
export function secretText(): string {
  return randomBytes(32).toString('hex')
}

/** An SSH public key as it stands in an authorized_keys file; there is no private one. */
export function sshPublicKey(comment: string): string {
  // its type and its bytes, each with the length in front
  const key = Buffer.concat([Buffer.from('\0\0\0\x0bssh-ed25519\0\0\0\x20'), randomBytes(32)])
  return `ssh-ed25519 ${key.toString('base64')} ${comment}`
}

/** SHA-256 of the text's UTF-8, in hexadecimal digits. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
