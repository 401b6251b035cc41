// Whom we talk to, as far as a message may say it. Knows neither key nor query.

import type { Proxy } from './proxy.ts'

export interface Target {
  /** scheme://host:port */
  readonly origin: string
  readonly clientId: number | string
  /** The option that names the address, for remedies: `import_url` or `sandbox_import_url`. */
  readonly addressOption: string
  /** What the way leads through. */
  readonly proxy?: Proxy | undefined
  /** What to do where answers take too long, without an end; absent: to raise the option that limits them. */
  readonly slowRemedy?: string | undefined
  /** Takes every form of every secret out of a text. */
  readonly scrub: (text: string) => string
}

/** `baseUrl` is shown no further than its origin. */
export function targetOf({
  baseUrl,
  clientId,
  addressOption,
  proxy,
  slowRemedy,
  scrub,
}: Omit<Target, 'origin'> & { baseUrl: string }): Target {
  return { origin: new URL(baseUrl).origin, clientId, addressOption, proxy, slowRemedy, scrub }
}
