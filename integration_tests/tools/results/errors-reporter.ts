// For Vitest, beside its JSON reporter: the errors that are no test's, which make a run fail all the same. RESULTS_ERRORS names
// the file that gets them, an array.

import { writeFile } from 'node:fs/promises'
import type { Reporter, SerializedError } from 'vitest/node'
import type { OtherError } from './results.ts'

export default class ErrorsReporter implements Reporter {
  async onTestRunEnd(_: unknown, errors: readonly SerializedError[]): Promise<void> {
    const file = process.env['RESULTS_ERRORS']
    if (file !== undefined) await writeFile(file, JSON.stringify(errors.map(otherError)))
  }
}

function otherError({ message, VITEST_TEST_PATH: file }: SerializedError): OtherError {
  return { message, ...(typeof file === 'string' ? { file } : {}) }
}
