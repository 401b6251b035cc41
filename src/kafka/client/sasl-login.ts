// Logins at brokers (SASL): by a password that is read at each login, or by a token (OAUTHBEARER, RFC 7628). kafkajs logs in when it opens
// a connection, and again before the session that the broker granted ends. No secret is sent over an open connection, unless that is
// allowed.

import { Socket } from 'node:net'
import kafkajs, { type ISocketFactory, type Mechanism, type SASLOptions } from 'kafkajs'
import { SENT_AS_IT_STANDS, type SaslMechanism } from '../../config/stream/kafka-options.ts'
import type { KafkaSaslConfig } from '../../config/stream/stream-config.ts'
import { isThisMachine } from '../../config/address.ts'
import type { ReadSecret } from '../../core/secret.ts'
import { asError } from '../../process/waiting.ts'
import { isLoginRefused, kafkaErrorType } from './kafka-problem.ts'

/** How kafkajs is to log in. It keeps what is given, and adds to it. */
export function saslOptions(sasl: KafkaSaslConfig<ReadSecret>): SASLOptions | Mechanism {
  const { mechanism, secret } = sasl
  if (mechanism === 'oauthbearer') return oauthBearer(secret, sasl.extensions)
  return withFreshPassword({ mechanism, username: sasl.username, password: '' }, secret)
}

type PasswordOptions = Extract<SASLOptions, { password: string }>
type Provider = Mechanism['authenticationProvider']

/** kafkajs sets its own provider where an option's `authenticationProvider` is absent, and that one looks at the password when it
 *  logs in. Ours reads it before.
 *  @param secret called at each login */
export function withFreshPassword(options: PasswordOptions, secret: ReadSecret): PasswordOptions {
  let provider: Provider | undefined
  return Object.defineProperty(options, 'authenticationProvider', {
    get: () => provider,
    set(own: Provider) {
      provider = (given) => ({
        async authenticate() {
          options.password = (await secret().catch(throwUnread)).reveal()
          await own(given).authenticate()
        },
      })
    },
  })
}

/** Separates parts of a message; alone it acknowledges a refusal. */
const SEPARATOR = '\u0001'

// its type declares one argument
const FinalError = kafkajs.KafkaJSNonRetriableError as new (error: Error | string, more?: { cause: unknown }) => Error

/** kafkajs would go on with the login that it has begun, and fall silent: instead, the client is replaced. */
function throwUnread(error: unknown): never {
  const cause = asError(error)
  throw new FinalError(cause, { cause })
}

/** A renewed token may name its owner in another way, and brokers take it on a new connection only. A client that opens some of its
 *  connections anew may fall silent, so the whole of it is replaced at once. */
const OTHER_OWNER = /Cannot change principals/
const ANEW = 'the renewed token names another owner than the one before, so the connections are opened anew'

/** @param readToken called at each login, and after one with the token that the broker refused
 *  @param extensions by their names: what is sent beside the token */
export function oauthBearer(readToken: ReadSecret, extensions: Readonly<Record<string, string>> = {}): Mechanism {
  const beside = Object.entries(extensions).map(([name, value]) => `${name}=${value}${SEPARATOR}`)
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const token = await readToken().catch(throwUnread)
        const sent = `n,,${SEPARATOR}auth=Bearer ${token.reveal()}${SEPARATOR}${beside.join('')}${SEPARATOR}`
        try {
          const refusal = await ask(saslAuthenticate, sent)
          if (refusal === '') return
          await ask(saslAuthenticate, SEPARATOR)
          throw refused(refusal)
        } catch (error) {
          if (OTHER_OWNER.test((error as Error).message)) throw new FinalError(ANEW)
          // another one, where there is another: the next login waits for it
          if (isLoginRefused(error)) void readToken(token).catch(() => {})
          throw error
        }
      },
    }),
  }
}

type Authenticate = Parameters<Mechanism['authenticationProvider']>[0]['saslAuthenticate']

/** @returns the broker's answer; '' means success @throws if it refuses, or does not answer */
async function ask(saslAuthenticate: Authenticate, text: string): Promise<string> {
  const bytes = Buffer.from(text)
  const size = Buffer.alloc(4)
  size.writeInt32BE(bytes.length)
  try {
    const answer = await saslAuthenticate<string>({
      request: { encode: () => Buffer.concat([size, bytes]) },
      // the answer begins with its size too
      response: { decode: (raw) => raw, parse: (raw) => raw.toString('utf8', 4) },
    })
    return answer ?? ''
  } catch (error) {
    throw kafkaErrorType(error) === 'SASL_AUTHENTICATION_FAILED' ? refused((error as Error).message) : error
  }
}

/** The same error as from kafkajs's own mechanisms. */
function refused(why: string): Error {
  // its type declares no arguments
  const Refused = kafkajs.KafkaJSSASLAuthenticationError as unknown as new (message: string) => Error
  return new Refused(`SASL OAUTHBEARER authentication failed: ${why}`)
}

interface BrokerLogin {
  /** `undefined` when connections are not encrypted. */
  readonly tls: object | undefined
  readonly sasl: { readonly mechanism: SaslMechanism } | undefined
  readonly allowInsecureLogin: boolean
}

/** @returns a factory that opens no connection on which a secret would be sent unencrypted: the socket ends with an OpenLoginError */
export function guardLogin({ tls, sasl, allowInsecureLogin }: BrokerLogin, open: ISocketFactory): ISocketFactory {
  if (tls || !sasl || SENT_AS_IT_STANDS[sasl.mechanism] === undefined || allowInsecureLogin) return open
  return (options) => {
    if (isThisMachine(options.host)) return open(options)
    // kafkajs keeps the code of a socket's error, but not of an error thrown here
    return new Socket().destroy(new OpenLoginError())
  }
}

class OpenLoginError extends Error {
  readonly code = 'OPEN_LOGIN'

  constructor() {
    super('a login that others can read is not sent there')
  }
}
