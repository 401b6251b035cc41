// The file of a run report: in nobody's way, and the words when it cannot be written.

import { codeOf, ConnectorError } from '../../core/errors.ts'
import { fileFault, OtherKind } from '../../files/file-faults.ts'
import { WholeFile } from '../../files/whole-file.ts'

/** A file that the report must not take the place of: by its path, or, once it is open, its descriptor; and what it is. */
export interface ReservedPath {
  readonly file: string | number
  readonly what: string
}

const ANOTHER = 'Give the path of a file in a folder that can be written to'

export class ReportFile {
  /** Its path, as it was given. */
  readonly given: string
  readonly #file: WholeFile

  private constructor(given: string, file: WholeFile) {
    this.given = given
    this.#file = file
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
      const file = await WholeFile.at(given)
      // a device or a pipe must not get a page a minute
      if (file.isSpecial) throw new OtherKind('NO_FILE')
      await file.tryOut()
      return new ReportFile(given, file)
    } catch (error) {
      throw problem(given, error)
    }
  }

  /** @throws ConnectorError config when it is one of these */
  async keepApartFrom(reservedPaths: readonly ReservedPath[]): Promise<void> {
    for (const { file, what } of reservedPaths)
      if (await this.#file.isSame(file))
        throw new ConnectorError(
          'config',
          `The file ${JSON.stringify(this.given)} of --report is ${what}, which the report would replace. Give it a file of its own.`,
        )
  }

  /** Whether writing it takes nothing away: there is none, or it begins so. */
  async isFreeOr(head: string): Promise<boolean> {
    const found = await this.#file.beginning(head.length).catch(() => Buffer.from('unreadable'))
    return found === undefined || found.length === 0 || found.toString('latin1') === head
  }

  /** Replaces what is there, as a whole.
   *  @throws ConnectorError when that cannot be: what was there is as it was */
  async write(text: string): Promise<void> {
    await this.#file.write(text).catch((error: unknown) => {
      throw problem(this.given, error)
    })
  }
}

function problem(given: string, cause: unknown): ConnectorError {
  const found = fileFault(cause, 'write')
  const message = `The file ${JSON.stringify(given)} of --report cannot be written: ${found ?? codeOf(cause)}. ${ANOTHER}, or leave --report out.`
  return new ConnectorError(found === undefined ? 'system' : 'config', message, { cause })
}
