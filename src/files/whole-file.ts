// A file that is replaced as a whole, for every reader and however this process ends: text goes into a new file
// beside it, onto the disk, and then takes its name; a new one only its owner can read. A pipe or a device is written
// to as it is.

import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from '../core/errors.ts'
import { OtherKind } from './file-faults.ts'
import { fileIdentity, realPlaceOf } from './file-identity.ts'

/** A file at a path; `WholeFile.at` makes one. All members throw what node:fs throws, or an OtherKind: file-faults.ts has the words. */
export class WholeFile {
  /** Whether there is something that is not a regular file. */
  readonly isSpecial: boolean
  /** The path of the file itself, where a link leads: the link stays one. */
  readonly #path: string

  private constructor(path: string, isSpecial: boolean) {
    this.#path = path
    this.isSpecial = isSpecial
  }

  static async at(given: string): Promise<WholeFile> {
    if (given.endsWith('/')) throw new OtherKind('EISDIR')
    const path = await realPlaceOf(given)
    const found = await stat(path).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    if (found?.isDirectory() === true) throw new OtherKind('EISDIR')
    return new WholeFile(path, found?.isFile() === false)
  }

  /** Tries whether it can be written, and leaves everything as it is. */
  async tryOut(): Promise<void> {
    if (!this.isSpecial) await rm(await this.#beside(''))
  }

  /** Whether it is that file: by its path, or, once that is open, its descriptor. */
  isSame(other: string | number): boolean {
    if (typeof other === 'string' && resolve(other) === this.#path) return true
    const own = fileIdentity(this.#path)
    return own !== undefined && own === fileIdentity(other)
  }

  /** The first bytes of what is there. `undefined` when nothing is. */
  async beginning(length: number): Promise<Buffer | undefined> {
    try {
      await using file = await open(this.#path, 'r')
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
      return buffer.subarray(0, bytesRead)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  }

  /** Replaces what is there. It is on the disk when this resolves; if this throws, what was there is as it was. */
  async write(text: string): Promise<void> {
    if (this.isSpecial) {
      await using file = await open(this.#path, 'w')
      await file.writeFile(text)
      return
    }
    const beside = await this.#beside(text)
    await rename(beside, this.#path).catch(async (error: unknown) => {
      await rm(beside, { force: true }).catch(() => {})
      throw error
    })
  }

  /** Writes a new file in the same folder.
   *  @returns its path */
  async #beside(text: string): Promise<string> {
    const path = join(dirname(this.#path), `.${randomUUID()}.tmp`)
    const file = await open(path, 'wx', 0o600)
    try {
      await this.#fill(file, text)
    } catch (error) {
      await file.close()
      await rm(path, { force: true })
      throw error
    }
    await file.close()
    return path
  }

  async #fill(file: FileHandle, text: string): Promise<void> {
    const before = await stat(this.#path).catch(() => {})
    // who may read it stays as it is
    if (before !== undefined) await file.chmod(before.mode & 0o777)
    await file.writeFile(text)
    // a machine that fails must not leave half of it under its name
    await file.sync()
  }
}
