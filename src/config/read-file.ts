// Reads a file that the user named, and says why it cannot be read.

import { existsSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Code } from '../core/codes.ts'
import { codeOf, ConnectorError } from '../core/errors.ts'
import { fileFault } from '../files/file-faults.ts'
import { nearestName } from '../text/nearest-name.ts'

const MOST_BYTES = 64 * 2 ** 20
const GIVE_ANOTHER = 'Give the path of a readable file.'
/** Error codes by the option that gave the path; `config.option` is that of all others. */
const CODES_OF: Readonly<Record<string, Code>> = {
  '--config': 'config.unreadable',
  '--catalog': 'catalog.unreadable',
  '--compare': 'report.not-a-summary',
}

/** Reads a file as UTF-8, without a byte order mark. A pipe is read to its end.
 *  @param option the one that gave the path, for messages: of the command line (`--config`) or of a config (`api_key`)
 *  @throws ConnectorError config when the file is not there, not readable, larger than `maxBytes`, or not UTF-8 */
export async function readFileText(path: string, option: string, maxBytes = MOST_BYTES): Promise<string> {
  const bytes = await readBytes(path, maxBytes).catch(async (error: unknown) => {
    const near = codeOf(error) === 'ENOENT' ? await nearFile(path) : undefined
    const todo = near === undefined ? GIVE_ANOTHER : `Did you mean ${JSON.stringify(near)}?`
    throw unusable(path, option, fileFault(error, 'read') ?? codeOf(error), todo, error)
  })
  if (bytes.length > maxBytes) throw unusable(path, option, `it is larger than ${maxBytes} bytes`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw unusable(path, option, 'it is not UTF-8 text', 'Save it as UTF-8.')
  }
}

/** Most files of a folder that are compared with the name that was not found. */
const MOST_NAMES = 1000

/** Finds a file of a similar name in the same folder. `undefined` when there is none, or the folder cannot be read. */
export async function nearFile(path: string): Promise<string | undefined> {
  const names = await readdir(dirname(path)).catch(() => [])
  const near = nearestName(basename(path), names.slice(0, MOST_NAMES))
  return near === undefined ? undefined : join(dirname(path), near)
}

function unusable(path: string, option: string, why: string, todo = GIVE_ANOTHER, cause?: unknown): ConnectorError {
  const code = CODES_OF[option] ?? 'config.option'
  return new ConnectorError('config', code, messageOf(path, option, why, todo), { cause })
}

/** Words why a file cannot be read (`why` is a clause, `todo` a sentence). What was given as its path may be a secret by mistake: it is
 *  shown only if there is a file of that name, or it looks like a path. */
function messageOf(path: string, option: string, why: string, todo: string): string {
  if (/^\s*(?:\{|[\w-]+:\s)|[\r\n]/.test(path))
    return `${option} takes the path of a file, found what looks like its content: write that into a file.`
  if (/^\w+:\/\/|[?&=]/.test(path))
    return `${option} takes the path of a file, found what looks like an address: write what it needs into a file.`
  // with a slash, with an extension, or one short word
  const isPath = existsSync(path) || /[/\\]|\.[a-z]\w{0,7}$|^[a-z][a-z-]{0,15}$/i.test(path)
  const shown = isPath ? ` ${JSON.stringify(path)}` : ''
  const unshown = isPath ? '' : ' (its name is not shown, for it may be a key)'
  // `report` takes its one file without the option too
  return `The file${shown}${option === '--summary' ? '' : ` of ${option}`} cannot be read: ${why}${unshown}. ${todo}`
}

/** Reads at most one byte more than `maxBytes`: where that byte is there, the file is too large. */
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
