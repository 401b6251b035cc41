// Whether a test may start a server that not every machine can run. It may within the guard that asks for one and skips its
// tests where none can be had; people's own programs always may. Knows no server.

export interface Leave {
  /** The variable that says it, for the processes of a test too. */
  readonly variable: string
  readonly server: string
  /** What a test calls. */
  readonly guard: string
}

export const BROKER: Leave = {
  variable: 'GUARDED_BROKER',
  server: 'Kafka broker',
  guard: 'describeOwnKafka',
}

export const REGISTRY: Leave = {
  variable: 'GUARDED_REGISTRY',
  server: 'schema registry',
  guard: 'describeApicurio or describeRegistry',
}

/** @param environment VITEST and the leave's own @throws in a test that has none */
export function checkLeave({ variable, server, guard }: Leave, environment: NodeJS.ProcessEnv): void {
  if (!environment['VITEST'] || environment[variable]) return
  throw new Error(`A test starts a ${server} only within ${guard}: where none can be had, its tests are skipped.`)
}

/** Until it is disposed of. @param environment is written to */
export function giveLeave({ variable }: Leave, environment: NodeJS.ProcessEnv): Disposable {
  const before = environment[variable]
  environment[variable] = '1'
  return {
    [Symbol.dispose]() {
      if (before === undefined) delete environment[variable]
      else environment[variable] = before
    },
  }
}
