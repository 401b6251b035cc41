// What a request to a schema registry says of who asks, and how that is renewed.

import type { RegistryLogin } from '../../config/stream/stream-config.ts'
import { ConnectorError } from '../../core/errors.ts'
import { Secret } from '../../core/secret.ts'
import { Scrubber } from '../../secrets/scrubber.ts'

/** The text behind "Bearer". */
const TOKEN = /^[\x21-\x7e]+$/
/** The header of `own`, which has no other source. */
const OWN = 'authorization'

export class RegistryAuthorization {
  readonly #login: RegistryLogin | undefined
  /** Knows user name and password as they are sent: one text in base64, whose letters are not those of the password alone. */
  readonly #own = new Scrubber()
  /** The password or token in hand, and the header that has it. */
  #held: { readonly secret: Secret; readonly header: Secret } | undefined

  /** @throws ConnectorError config when the token can be no token */
  constructor(login: RegistryLogin | undefined) {
    this.#login = login
    const secret = login && ('username' in login ? login.password : login.token)
    if (secret) this.#hold(secret)
  }

  /** Takes the header out of a text. Needs no `this`. */
  readonly scrub = (text: string): string => this.#own.scrub(text)

  /** The value of the header `authorization`; `undefined` when there is no login.
   *  @throws Error when there is no token to send */
  async now(): Promise<Secret | undefined> {
    const login = this.#login
    if (login && 'oauth' in login && login.oauth) return this.#hold(await login.again!())
    return this.#held?.header
  }

  /** Headers beside it: names and values in turn. */
  get beside(): readonly string[] {
    if (this.#login === undefined || 'username' in this.#login) return []
    const { logicalCluster, identityPoolId } = this.#login
    return [
      ...(logicalCluster === undefined ? [] : ['target-sr-cluster', logicalCluster]),
      ...(identityPoolId === undefined ? [] : ['confluent-identity-pool-id', identityPoolId]),
    ]
  }

  /** @param refused what `now` was when the registry refused it
   *  @returns another one, to ask with once more; `undefined` when there is none, or no file that can be read */
  async renewed(refused: Secret | undefined): Promise<Secret | undefined> {
    const held = this.#held
    if (held?.header.reveal() !== refused?.reveal()) return held?.header
    try {
      const secret = await this.#login?.again?.(held?.secret)
      const header = secret && this.#hold(secret)
      return header?.reveal() === refused?.reveal() ? undefined : header
    } catch {
      // it may be half written: what the registry said is what the user gets to know
      return undefined
    }
  }

  /** @returns the same header as long as it is the same secret */
  #hold(secret: Secret): Secret {
    if (secret === this.#held?.secret) return this.#held.header
    const text = headerOf(this.#login!, secret.reveal())
    this.#own.learn([text.replace(/^\w+ /, '')], OWN)
    const header = new Secret(text)
    this.#held = { secret, header }
    return header
  }
}

function headerOf(login: RegistryLogin, secret: string): string {
  if ('username' in login) return `Basic ${Buffer.from(`${login.username}:${secret}`).toString('base64')}`
  const token = secret.trim()
  if (TOKEN.test(token)) return `Bearer ${token}`
  throw new ConnectorError(
    'config',
    'config.option',
    'The token in schema_registry contains what no HTTP header can carry: a line break, a space or a non-ASCII character. Check it.',
  )
}
