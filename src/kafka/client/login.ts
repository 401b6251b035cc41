// The login with a token (SASL OAUTHBEARER, RFC 7628), and where a login goes at all.

import { Socket } from 'node:net'
import kafkajs, { type Mechanism } from 'kafkajs'
import type { ISocketFactory } from 'kafkajs'
import type { Secret } from '../../core/secret.ts'
import { isThisMachine } from '../../core/network.ts'
import { kafkaErrorType } from './kafka-problem.ts'

/** What ends parts of a message; alone it confirms a refusal. */
const MARK = '\u0001'

/** @param readToken called at each login: tokens expire */
export function oauthBearer(readToken: () => Promise<Secret>): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const token = await readToken()
        const refusal = await ask(saslAuthenticate, `n,,${MARK}auth=Bearer ${token.reveal()}${MARK}${MARK}`)
        if (refusal === '') return
        await ask(saslAuthenticate, MARK)
        throw refused(refusal)
      },
    }),
  }
}

type Authenticate = Parameters<Mechanism['authenticationProvider']>[0]['saslAuthenticate']

/** @returns what the broker answers; '' is yes @throws when it says no, or nothing */
async function ask(saslAuthenticate: Authenticate, text: string): Promise<string> {
  const bytes = Buffer.from(text)
  const size = Buffer.alloc(4)
  size.writeInt32BE(bytes.length)
  try {
    const answer = await saslAuthenticate<string>({
      request: { encode: () => Buffer.concat([size, bytes]) },
      // the answer too has its size in front
      response: { decode: (raw) => raw, parse: (raw) => raw.toString('utf8', 4) },
    })
    return answer ?? ''
  } catch (error) {
    throw kafkaErrorType(error) === 'SASL_AUTHENTICATION_FAILED' ? refused((error as Error).message) : error
  }
}

/** As kafkajs's own mechanisms end. */
function refused(why: string): Error {
  // its types know no arguments
  const Refused = kafkajs.KafkaJSSASLAuthenticationError as unknown as new (message: string) => Error
  return new Refused(`SASL OAUTHBEARER authentication failed: ${why}`)
}

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
