// Why a proxy opened no way to the service. Knows no words.

/** Either the proxy answered with a `status` that is no 2xx, or `cause` is why it did not answer. */
export class TunnelError extends Error {
  override readonly name = 'TunnelError'
  /** Not one of undici's own codes: to some of those it answers by connecting again for ever. */
  readonly code = 'TUNNEL'
  readonly status: number | undefined

  constructor(status: number | undefined, cause?: unknown) {
    super('no tunnel', { cause })
    this.status = status
  }
}
