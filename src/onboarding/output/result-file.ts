// Checks and writes the file of --output, which may not be another file of the run. The check comes before anything is sent.

import { codeOf, ConnectorError, NO_CODE } from '../../core/errors.ts'
import { fileFault } from '../../files/file-faults.ts'
import { WholeFile } from '../../files/whole-file.ts'

/** Throws a ConnectorError (config) when the file cannot be written, or is one of `others`, be it by another name. These must exist. */
export async function checkResultFile(path: string, others: readonly string[]): Promise<void> {
  await explained(path, async () => {
    const file = await WholeFile.at(path)
    for (const other of others)
      if (file.isSame(other)) throw unusable(path, 'it is the config, the journal or its lock')
    await file.tryOut()
  })
}

/** Writes the result into a file, which is replaced, a pipe or a device. It is on the disk when this resolves. Throws a ConnectorError. */
export async function writeResultFile(path: string, result: object): Promise<void> {
  await explained(path, async () => (await WholeFile.at(path)).write(`${JSON.stringify(result, null, 2)}\n`))
}

/** Does `act`, and turns its errors of the file system into ConnectorErrors. */
async function explained(path: string, act: () => Promise<void>): Promise<void> {
  await act().catch((error: unknown) => {
    throw error instanceof ConnectorError ? error : unusable(path, fileFault(error, 'write') ?? codeOf(error), error)
  })
}

function unusable(path: string, why: string, cause?: unknown): ConnectorError {
  return new ConnectorError(
    'config',
    NO_CODE,
    `The file ${JSON.stringify(path)} of --output cannot be written: ${why}. Give the path of a file in a folder that is there.`,
    { cause },
  )
}
