// Logins at brokers (SASL): by a password that is read at each login, or by a token (OAUTHBEARER, RFC 7628). kafkajs logs in when it opens
// a connection, and again before the login expires. No secret is sent without encryption, unless that is allowed.

import { Socket } from 'node:net'
import kafkajs, { type ISocketFactory, type Mechanism, type SASLOptions } from 'kafkajs'
import { SENT_AS_IT_STANDS, type SaslMechanism } from '../../config/stream/kafka-options.ts'
import type { KafkaSaslConfig } from '../../config/stream/stream-config.ts'
import { isThisMachine } from '../../config/address.ts'
import type { ReadSecret } from '../../core/secret.ts'
import { asError } from '../../process/waiting.ts'
import { isLoginRefused, kafkaErrorType } from './kafka-problem.ts'

/** Makes kafkajs's option for logins. */
export function saslOptions(sasl: KafkaSaslConfig<ReadSecret>): SASLOptions | Mechanism {
  const { mechanism, secret } = sasl
  if (mechanism === 'oauthbearer') return oauthBearer(secret, sasl.extensions)
  return withFreshPassword({ mechanism, username: sasl.username, password: '' }, secret)
}

type PasswordOptions = Extract<SASLOptions, { password: string }>
type Provider = Mechanism['authenticationProvider']

/** Makes kafkajs read the password at each login. kafkajs sets `authenticationProvider` of these options to a function of its own, which
 *  takes the password from them; a setter wraps that in one that reads the password before. @param secret called at each login */
export function withFreshPassword(options: PasswordOptions, secret: ReadSecret): PasswordOptions {
  let wrapped: Provider | undefined
  return Object.defineProperty(options, 'authenticationProvider', {
    get: () => wrapped,
    set(kafkajsProvider: Provider) {
      wrapped = (connection) => ({
        async authenticate() {
          options.password = (await secret().catch(throwUnread)).reveal()
          await kafkajsProvider(connection).authenticate()
        },
      })
    },
  })
}

/** Separates parts of a message of OAUTHBEARER, which begins with "n,," (no channel binding); alone it acknowledges a refusal. */
const SEPARATOR = '\u0001'

/** An error after which kafkajs does not retry. (Its type declares one argument only.) */
const FinalError = kafkajs.KafkaJSNonRetriableError as new (error: Error | string, more?: { cause: unknown }) => Error

/** Throws an error that ends the client: after any other, kafkajs would go on with the login that it began, and fall silent. */
function throwUnread(error: unknown): never {
  const cause = asError(error)
  throw new FinalError(cause, { cause })
}

/** Matches the refusal of a renewed token that names its owner in another way: brokers take it on a new connection only. A client that
 *  opens some of its connections anew may fall silent, so the whole client is replaced. */
const OTHER_OWNER = /Cannot change principals/
const OTHER_OWNER_MESSAGE =
  'the renewed token names another owner than the one before, so the connections are opened anew'

/** Makes the mechanism that logs in by a token. @param readToken called at each login; and after a refused one with the token that was
 *  refused, so that another is fetched @param extensions values that are sent beside the token, by name */
export function oauthBearer(readToken: ReadSecret, extensions: Readonly<Record<string, string>> = {}): Mechanism {
  const extensionParts = Object.entries(extensions).map(([name, value]) => `${name}=${value}${SEPARATOR}`)
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const token = await readToken().catch(throwUnread)
        const login = `n,,${SEPARATOR}auth=Bearer ${token.reveal()}${SEPARATOR}${extensionParts.join('')}${SEPARATOR}`
        try {
          const refusal = await exchange(saslAuthenticate, login)
          if (refusal === '') return
          await exchange(saslAuthenticate, SEPARATOR)
          throw refused(refusal)
        } catch (error) {
          if (OTHER_OWNER.test((error as Error).message)) throw new FinalError(OTHER_OWNER_MESSAGE)
          // begins to fetch another token, where tokens are fetched: the next login waits for it
          if (isLoginRefused(error)) void readToken(token).catch(() => {})
          throw error
        }
      },
    }),
  }
}

type Authenticate = Parameters<Mechanism['authenticationProvider']>[0]['saslAuthenticate']

/** Sends a message of the login. @returns the broker's answer: '' at success, otherwise why it refuses
 *  @throws if the broker refuses by an error code, or does not answer */
async function exchange(saslAuthenticate: Authenticate, text: string): Promise<string> {
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

/** Makes a factory of sockets that opens no connection on which a secret would be sent unencrypted, except to this machine: it returns a
 *  socket that ends with the error OPEN_LOGIN. @param open opens a connection */
export function guardLogin({ tls, sasl, allowInsecureLogin }: BrokerLogin, open: ISocketFactory): ISocketFactory {
  const sendsSecret = sasl !== undefined && SENT_AS_IT_STANDS[sasl.mechanism] !== undefined
  if (tls || !sendsSecret || allowInsecureLogin) return open
  return (options) => {
    if (isThisMachine(options.host)) return open(options)
    // kafkajs keeps the code of a socket's error, but not of an error thrown here
    const error = Object.assign(new Error('a login that others can read is not sent there'), { code: 'OPEN_LOGIN' })
    return new Socket().destroy(error)
  }
}
