// Keeps a login that others could read from leaving this machine. A cluster sends its clients on to whatever addresses it
// tells, and each of these brokers is given the login: that those of the config are right is not enough.

import { Socket } from 'node:net'
import type { ISocketFactory } from 'kafkajs'
import { isThisMachine } from '../../core/network.ts'

export interface BrokerLogin {
  /** Undefined: connections are not encrypted. */
  readonly tls: object | undefined
  readonly sasl: { readonly mechanism: string } | undefined
  readonly allowInsecureLogin: boolean
}

/** @returns opens no connection over which a secret would go in the clear: its socket ends with an OpenLoginError */
export function guardLogin({ tls, sasl, allowInsecureLogin }: BrokerLogin, open: ISocketFactory): ISocketFactory {
  const isReadable = sasl?.mechanism === 'plain' || sasl?.mechanism === 'oauthbearer'
  if (tls || !isReadable || allowInsecureLogin) return open
  return (options) => {
    if (isThisMachine(options.host)) return open(options)
    // after who asked for it listens: of an error that is thrown, kafkajs keeps no code
    return new Socket().destroy(new OpenLoginError())
  }
}

class OpenLoginError extends Error {
  readonly code = 'OPEN_LOGIN'

  constructor() {
    super('a login that others can read is not sent there')
  }
}
