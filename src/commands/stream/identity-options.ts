// What a token server is asked with, where logins take tokens that are fetched.

import type { IdentityOptions } from '../../kafka/source/identity-route.ts'
import type { Io } from '../../process/io.ts'
import { serviceRoute } from '../../service/http/proxy.ts'

export function identityOptions(
  io: Pick<Io, 'env' | 'scrubber'>,
  { onExchange }: Pick<IdentityOptions, 'onExchange'> = {},
): IdentityOptions {
  return { proxyTo: (url) => serviceRoute(url, io), learn: (secrets, of) => io.scrubber.learn(secrets, of), onExchange }
}
