// For tests: a registry as answers to paths, each of them counted.

import type { RegistryResponse, AskRegistry, RegistryResult } from '../retrying-client.ts'

export function answered(status: number, body: unknown = '', more: Partial<RegistryResponse> = {}): RegistryResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, body: text, isCut: false, words: '', retryAfterMs: undefined, leadsTo: undefined, ...more }
}

export class TestRegistry {
  /** By path; what is absent is not found, with a registry's code. */
  readonly answers = new Map<string, RegistryResult | (() => Promise<RegistryResult>)>([
    ['/schemas/types', answered(200, ['JSON', 'PROTOBUF', 'AVRO'])],
  ])
  /** As they came. */
  readonly paths: string[] = []
  underway = 0
  mostAtOnce = 0

  readonly ask: AskRegistry = async (path) => {
    this.paths.push(path)
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.underway)
    await new Promise((resolve) => setImmediate(resolve))
    this.underway--
    const answer = this.answers.get(path)
    if (answer === undefined) return answered(404, { error_code: 40403, message: 'Schema not found' })
    return typeof answer === 'function' ? await answer() : answer
  }

  /** At path. */
  has(path: string, schema: object): void {
    this.answers.set(path, answered(200, schema))
  }
}
