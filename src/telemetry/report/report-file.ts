// A file that tells of a run, its report or its summary: found fit before the run (it replaces no other file of it), and written whole.

import { codeOf, ConnectorError } from '../../core/errors.ts'
import { fileFault, OtherKind } from '../../files/file-faults.ts'
import { WholeFile } from '../../files/whole-file.ts'
import type { ReservedPath } from '../../run/open-input.ts'

/** The kind of a file, called as its option. report: a page for people · summary: an object for programs. */
export type ReportKind = 'report' | 'summary'

/** Paths of the files that a run leaves, as the user gave them. Absent when not asked for. */
export type ReportFiles = { readonly [Kind in ReportKind]?: string | undefined } & {
  /** An older summary, which the new one is compared with. */
  readonly compare?: string | undefined
}

const ADVICE = 'Give the path of a file in a folder that can be written to'

export class ReportFile {
  /** Its path, as given by the user. */
  readonly given: string
  readonly what: ReportKind
  /** Whether the user was told that it could not be written. The owner sets it. */
  hasWarned = false
  readonly #file: WholeFile

  private constructor(given: string, what: ReportKind, file: WholeFile) {
    this.given = given
    this.what = what
    this.#file = file
  }

  /** Makes one after checking that it can be written, without changing anything. @throws ConnectorError config if not */
  static async open(given: string, what: ReportKind = 'report'): Promise<ReportFile> {
    if (given === '-' || given === '') {
      const found = given === '' ? 'nothing' : '"-"'
      throw unusable(`--${what} takes the path of a file, found ${found}: standard output is for messages. ${ADVICE}.`)
    }
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

  /** Throws a ConnectorError (config) when this file is one of the reserved ones. */
  async keepApartFrom(reservedPaths: readonly ReservedPath[]): Promise<void> {
    for (const { file, what } of reservedPaths)
      if (this.#file.isSame(file))
        throw unusable(
          `The file ${JSON.stringify(this.given)} of --${this.what} is ${what}, which the ${this.what} would replace. Give it a file of its own.`,
        )
  }

  /** Tells whether writing it destroys nothing: it does not exist, is empty, or begins with `head`, as an older one of its kind does. */
  async isFreeOr(head: string): Promise<boolean> {
    const beginning = await this.#file.beginning(head.length).catch(() => Buffer.from('unreadable, so not free'))
    return beginning === undefined || beginning.length === 0 || beginning.toString('latin1') === head
  }

  /** Replaces the file atomically. @throws ConnectorError when that fails; then the old file is unchanged */
  async write(text: string): Promise<void> {
    await this.#file.write(text).catch((error: unknown) => {
      throw problem(this.given, this.what, error)
    })
  }
}

function unusable(message: string): ConnectorError {
  return new ConnectorError('config', 'report.file-unusable', message)
}

function problem(given: string, what: ReportKind, cause: unknown): ConnectorError {
  const fault = fileFault(cause, 'write')
  const message = `The file ${JSON.stringify(given)} of --${what} cannot be written: ${fault ?? codeOf(cause)}. ${ADVICE}, or leave --${what} out.`
  return new ConnectorError(fault === undefined ? 'system' : 'config', 'report.file-unusable', message, { cause })
}
