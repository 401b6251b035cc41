// What a run of tests came to, as Vitest's JSON reporter writes it, and what is asked of it here. Reads and writes no file.

export interface TestResult {
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo' | 'disabled'
  readonly fullName: string
  readonly failureMessages?: readonly string[]
}

export interface FileResult {
  /** Its path. */
  readonly name: string
  /** `failed` also when it could not be loaded, or a hook of it failed. */
  readonly status: 'passed' | 'failed'
  /** Why it could not be loaded. */
  readonly message: string
  readonly assertionResults: readonly TestResult[]
}

export interface Results {
  readonly testResults: readonly FileResult[]
}

/** One that is no test's. */
export interface OtherError {
  readonly message: string
  /** Of the file during which it came up, where that is known. */
  readonly file?: string
}

/** A file that failed in one run, and passed when it was run again by itself. */
export interface Flaky {
  readonly name: string
  /** What failed of it at first: tests by their full names, or why it could not be loaded. */
  readonly failed: readonly string[]
}

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export function failedFiles({ testResults }: Results): FileResult[] {
  return testResults.filter(({ status }) => status === 'failed')
}

/** A file during which another error came up has failed. */
export function withErrors({ testResults }: Results, errors: readonly OtherError[]): Results {
  return {
    testResults: testResults.map((result): FileResult => {
      const own = errors.find(({ file }) => file === result.name)
      return own === undefined ? result : { ...result, status: 'failed', message: result.message || own.message }
    }),
  }
}

/** Those of which not every test ran. */
export function filesWithSkipped({ testResults }: Results): FileResult[] {
  return testResults.filter(({ assertionResults }) => assertionResults.some(isSkipped))
}

/** What failed of a file, for a person. */
export function failuresOf({ assertionResults, message }: FileResult): string[] {
  const tests = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
  return tests.length > 0 ? tests : [message.split('\n')[0] || 'a hook of it']
}

/** One result a file: that of a later run stands for that of an earlier. */
export function latest(earlier: Results, later: Results): Results {
  return { testResults: [...withoutFilesOf(earlier, later).testResults, ...later.testResults] }
}

export function withoutFilesOf({ testResults }: Results, others: Results): Results {
  const names = new Set(others.testResults.map(({ name }) => name))
  return { testResults: testResults.filter(({ name }) => !names.has(name)) }
}

/** A failed file without a failed test counts as one. */
export function countsOf({ testResults }: Results): Counts {
  let [passed, failed, skipped] = [0, 0, 0]
  for (const { status, assertionResults } of testResults) {
    const failedHere = assertionResults.filter((test) => test.status === 'failed').length
    passed += assertionResults.filter((test) => test.status === 'passed').length
    skipped += assertionResults.filter(isSkipped).length
    failed += status === 'failed' ? Math.max(1, failedHere) : failedHere
  }
  return { passed, failed, skipped }
}

function isSkipped({ status }: TestResult): boolean {
  return status !== 'passed' && status !== 'failed'
}
