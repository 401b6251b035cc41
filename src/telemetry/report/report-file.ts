// The file of a run report: whole or not there, whoever looks, and in nobody's way.

import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { ConnectorError } from '../../core/errors.ts'
import { fileIdentity, realPlaceOf } from '../../files/file-identity.ts'

/** A file that the report must not take the place of: by its path, or, once it is open, its descriptor; and what it is. */
export interface ReservedPath {
  readonly file: string | number
  readonly what: string
}

const ANOTHER = 'Give the path of a file in a folder that can be written to'
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'what it is on can only be read',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its path is too long',
  ERR_INVALID_ARG_VALUE: 'no path has a NUL in it',
  ENOSPC: 'there is no room left',
  EDQUOT: 'there is no room left',
  EFBIG: 'this process may write no file of that size (ulimit -f)',
  EBUSY: 'it is in use and cannot be replaced (a file that was mounted by itself, perhaps: mount its folder)',
  NO_FILE: 'it is no ordinary file',
}

export class ReportFile {
  /** Its path, as it was given. */
  readonly given: string
  /** Where it really is: a link stays one. */
  readonly #path: string

  private constructor(given: string, path: string) {
    this.given = given
    this.#path = path
  }

  /** Tries whether it can be written, and leaves everything as it is.
   *  @throws ConnectorError config when not */
  static async open(given: string): Promise<ReportFile> {
    if (given === '-' || given === '')
      throw new ConnectorError(
        'config',
        `--report takes the path of a file, found ${given === '' ? 'nothing' : '"-"'}: standard output is for messages. ${ANOTHER}.`,
      )
    try {
      const path = await fitPlaceOf(given)
      const file = new ReportFile(given, path)
      await rm(await file.#beside(''))
      return file
    } catch (error) {
      throw problem(given, error)
    }
  }

  /** @throws ConnectorError config when it is one of these */
  async keepApartFrom(reservedPaths: readonly ReservedPath[]): Promise<void> {
    const own = await fileIdentity(this.#path)
    for (const { file, what } of reservedPaths) {
      const isSame =
        (typeof file === 'string' && resolve(file) === resolve(this.#path)) ||
        (own !== undefined && own === (await fileIdentity(file)))
      if (isSame)
        throw new ConnectorError(
          'config',
          `The file ${JSON.stringify(this.given)} of --report is ${what}, which the report would replace. Give it a file of its own.`,
        )
    }
  }

  /** Whether writing it takes nothing away: there is none, or it begins so. */
  async isFreeOr(head: string): Promise<boolean> {
    try {
      await using file = await open(this.#path, 'r')
      const { buffer, bytesRead } = await file.read(Buffer.alloc(head.length), 0, head.length, 0)
      return bytesRead === 0 || buffer.toString('latin1', 0, bytesRead) === head
    } catch (error) {
      return codeOf(error) === 'ENOENT'
    }
  }

  /** Replaces what is there, as a whole.
   *  @throws ConnectorError when that cannot be: what was there is as it was */
  async write(text: string): Promise<void> {
    let beside: string | undefined
    try {
      beside = await this.#beside(text)
      await rename(beside, this.#path)
    } catch (error) {
      if (beside !== undefined) await rm(beside, { force: true }).catch(() => {})
      throw problem(this.given, error)
    }
  }

  /** @returns a new file in the same folder, whose name is no longer than others */
  async #beside(text: string): Promise<string> {
    const path = join(dirname(this.#path), `.report-${randomUUID().slice(0, 13)}.tmp`)
    const file = await open(path, 'wx')
    try {
      const before = await stat(this.#path).catch(() => {})
      // who may read it stays as it is
      if (before !== undefined) await file.chmod(before.mode & 0o777)
      await file.writeFile(text)
      // a machine that fails must not leave half of it under its name
      await file.sync()
    } catch (error) {
      await file.close()
      await rm(path, { force: true })
      throw error
    }
    await file.close()
    return path
  }
}

/** @returns where to write, its links followed */
async function fitPlaceOf(given: string): Promise<string> {
  if (given.endsWith('/')) throw new Unfit('EISDIR')
  const path = await realPlaceOf(given)
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
  if (found?.isDirectory()) throw new Unfit('EISDIR')
  // a device or a pipe must not become a file
  if (found && !found.isFile()) throw new Unfit('NO_FILE')
  return path
}

class Unfit extends Error {
  readonly code: 'NO_FILE' | 'EISDIR'

  constructor(code: 'NO_FILE' | 'EISDIR') {
    super(code)
    this.code = code
  }
}

function problem(given: string, cause: unknown): ConnectorError {
  const code = codeOf(cause)
  const found = WORDS[code]
  const message = `The file ${JSON.stringify(given)} of --report cannot be written: ${found ?? code}. ${ANOTHER}, or leave --report out.`
  return new ConnectorError(found === undefined ? 'system' : 'config', message, { cause })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
