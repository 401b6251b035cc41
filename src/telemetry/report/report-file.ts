// A file that tells of a run: it never replaces another file of the run; and the error when it cannot be written.

import { codeOf, ConnectorError } from '../../core/errors.ts'
import { fileFault, OtherKind } from '../../files/file-faults.ts'
import { WholeFile } from '../../files/whole-file.ts'
import type { ReservedPath } from '../../run/open-input.ts'

/** The page for people, the object for programs. Each is an option. */
export type ReportKind = 'report' | 'summary'

/** Files that a run leaves, by their paths as given. Absent when not asked for. */
export type ReportFiles = { readonly [Kind in ReportKind]?: string | undefined } & {
  /** An older summary, which the new one is compared with. */
  readonly compare?: string | undefined
}

const ANOTHER = 'Give the path of a file in a folder that can be written to'

export class ReportFile {
  /** Its path, as given by the user. */
  readonly given: string
  readonly what: ReportKind
  /** That it could not be written was said. */
  hasWarned = false
  readonly #file: WholeFile

  private constructor(given: string, what: ReportKind, file: WholeFile) {
    this.given = given
    this.what = what
    this.#file = file
  }

  /** Checks that it can be written, without changing anything.
   *  @throws ConnectorError config if not */
  static async open(given: string, what: ReportKind = 'report'): Promise<ReportFile> {
    if (given === '-' || given === '')
      throw new ConnectorError(
        'config',
        'report.file-unusable',
        `--${what} takes the path of a file, found ${given === '' ? 'nothing' : '"-"'}: standard output is for messages. ${ANOTHER}.`,
      )
    try {
      const file = await WholeFile.at(given)
      // a device or a pipe must not get a page every minute
      if (file.isSpecial) throw new OtherKind('NOT_REGULAR')
      await file.tryOut()
      return new ReportFile(given, what, file)
    } catch (error) {
      throw problem(given, what, error)
    }
  }

  /** @throws ConnectorError config if it is one of these */
  async keepApartFrom(reservedPaths: readonly ReservedPath[]): Promise<void> {
    for (const { file, what } of reservedPaths)
      if (this.#file.isSame(file))
        throw new ConnectorError(
          'config',
          'report.file-unusable',
          `The file ${JSON.stringify(this.given)} of --${this.what} is ${what}, which the ${this.what} would replace. Give it a file of its own.`,
        )
  }

  /** Whether writing it destroys nothing: it does not exist, is empty, or begins with `head`. */
  async isFreeOr(head: string): Promise<boolean> {
    const found = await this.#file.beginning(head.length).catch(() => Buffer.from('unreadable'))
    return found === undefined || found.length === 0 || found.toString('latin1') === head
  }

  /** Replaces the file atomically.
   *  @throws ConnectorError when that fails; then the old file is unchanged */
  async write(text: string): Promise<void> {
    await this.#file.write(text).catch((error: unknown) => {
      throw problem(this.given, this.what, error)
    })
  }
}

function problem(given: string, what: ReportKind, cause: unknown): ConnectorError {
  const found = fileFault(cause, 'write')
  const message = `The file ${JSON.stringify(given)} of --${what} cannot be written: ${found ?? codeOf(cause)}. ${ANOTHER}, or leave --${what} out.`
  return new ConnectorError(found === undefined ? 'system' : 'config', 'report.file-unusable', message, { cause })
}
