// A file the user named → its text. Knows nothing of what is in it.

import { open } from 'node:fs/promises'

import { ConnectorError } from '../core/errors.ts'

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a directory',
  ELOOP: 'its links lead in a circle',
}

/** UTF-8, a byte order mark taken off; a pipe is read to its end. Throws a ConnectorError (config).
 *  `what`: what the path was given as, for its message, as in `--config`. */
export async function readFileText(path: string, what: string, maxBytes = 67_108_864): Promise<string> {
  const bytes = await readBytes(path, maxBytes).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw unusable(path, what, WORDS[code] ?? code, error)
  })
  if (bytes.length > maxBytes) throw unusable(path, what, `it is larger than ${maxBytes} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw unusable(path, what, 'it is not UTF-8 text')
  }
}

function unusable(path: string, what: string, why: string, cause?: unknown): ConnectorError {
  // which may hold a secret
  const isContent = /^\s*\{|[\r\n]/.test(path)
  const message = isContent
    ? `${what} takes the path of a file, found what looks like its content: write that into a file.`
    : `The file ${JSON.stringify(path)} of ${what} cannot be read: ${why}. Give the path of a readable file.`
  return new ConnectorError('config', message, { cause })
}

/** At most `maxBytes` and one more, which shows that it is too large. */
async function readBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  await using file = await open(path, 'r')
  const chunks: Uint8Array[] = []
  let length = 0
  while (length <= maxBytes) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(65_536, maxBytes + 1 - length)))
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    length += bytesRead
  }
  return Buffer.concat(chunks)
}
