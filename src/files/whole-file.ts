// A file that is replaced as a whole: a reader sees all of the old text or all of the new, even if this process is killed. The new text
// is written into a temporary file in the same folder, flushed to the disk, and renamed. A pipe or a device is written to directly.

import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from '../core/errors.ts'
import { OtherKind } from './file-faults.ts'
import { fileIdentity, realPlaceOf } from './file-identity.ts'

/** The mode of a file that only its owner may read and write. */
export const OWNERS_ALONE = 0o600

/** The file at a path; it need not exist yet. Members throw what node:fs throws, or an OtherKind; file-faults.ts has words for both. */
export class WholeFile {
  /** Whether the path names something that is not a regular file: a pipe, say, or a device. */
  readonly isSpecial: boolean
  /** The path without links, so that a link to the file stays a link when the file is replaced. */
  readonly #path: string

  private constructor(path: string, isSpecial: boolean) {
    this.#path = path
    this.isSpecial = isSpecial
  }

  /** Finds the file at a path, behind links. Throws an OtherKind when that is a folder. */
  static async at(givenPath: string): Promise<WholeFile> {
    if (givenPath.endsWith('/')) throw new OtherKind('EISDIR')
    const path = await realPlaceOf(givenPath)
    const existing = await stat(path).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    if (existing?.isDirectory() === true) throw new OtherKind('EISDIR')
    return new WholeFile(path, existing?.isFile() === false)
  }

  /** Throws if the file cannot be written. Leaves everything as it is; a pipe or a device is not tried. */
  async tryOut(): Promise<void> {
    if (!this.isSpecial) await rm(await this.#writeTemporary(''))
  }

  /** Tells whether another path, or a descriptor, leads to this file. */
  isSame(other: string | number): boolean {
    if (typeof other === 'string' && resolve(other) === this.#path) return true
    const identity = fileIdentity(this.#path)
    return identity !== undefined && identity === fileIdentity(other)
  }

  /** Reads the first `length` bytes, or all where there are fewer. `undefined` when there is no file. */
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

  /** Replaces the file. The text is on the disk when this resolves; when this rejects, the old file is as it was. */
  async write(text: string): Promise<void> {
    if (this.isSpecial) {
      await using file = await open(this.#path, 'w')
      await file.writeFile(text)
      return
    }
    const temporary = await this.#writeTemporary(text)
    await rename(temporary, this.#path).catch(async (error: unknown) => {
      await rm(temporary, { force: true }).catch(() => {})
      throw error
    })
  }

  /** Writes a temporary file in the same folder, from where it can be renamed. @returns its path */
  async #writeTemporary(text: string): Promise<string> {
    const path = join(dirname(this.#path), `.${randomUUID()}.tmp`)
    const file = await open(path, 'wx', OWNERS_ALONE)
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
    const replaced = await stat(this.#path).catch(() => {})
    // the same users as before may read and write it; 0o777 leaves out bits such as setuid
    if (replaced !== undefined) await file.chmod(replaced.mode & 0o777)
    await file.writeFile(text)
    // after the renaming, a crash of the machine must not leave half of the text under the file's name
    await file.sync()
  }
}
