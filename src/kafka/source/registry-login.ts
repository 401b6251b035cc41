// Makes the headers by which a request logs in to a schema registry: anew for each request, since files of secrets are renewed, and tokens
// expire.

import type { RegistryLogin } from '../../config/stream/stream-config.ts'
import { BEARER, NoSecretError, type ReadSecret, type Secret } from '../../core/secret.ts'
import { Scrubber } from '../../secrets/scrubber.ts'

export interface LoginHeaders {
  readonly secret: Secret
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

/** The header that holds the secret. Its newest values are masked in texts. */
const HEADER = 'authorization'

export class RegistryAuthorization {
  readonly #login: RegistryLogin<ReadSecret> | undefined
  /** Masks what was sent. User name and password are sent as one text in base64, in which a scrubber of the password alone would not find
   *  it. */
  readonly #sent = new Scrubber()

  constructor(login: RegistryLogin<ReadSecret> | undefined) {
    this.#login = login
  }

  /** Masks in a text what was sent in the header. */
  readonly scrub = (text: string): string => this.#sent.scrub(text)

  /** Reads the secret and makes the headers.
   *  @param refused what the registry did not accept
   *  @returns `undefined` when there is no login
   *  @throws NoSecretError when there is nothing to send just now */
  async headers(refused?: LoginHeaders): Promise<LoginHeaders | undefined> {
    const login = this.#login
    if (login === undefined) return undefined
    const secret = await login.secret(refused?.secret)
    const sent = credentials(login, secret.reveal())
    this.#sent.learn([sent], HEADER)
    if (login.kind === 'basic') return { secret, headers: [HEADER, `Basic ${sent}`] }
    const { logicalCluster, identityPoolId } = login
    const headers = [
      ...(logicalCluster === undefined ? [] : ['target-sr-cluster', logicalCluster]),
      ...(identityPoolId === undefined ? [] : ['confluent-identity-pool-id', identityPoolId]),
      HEADER,
      `Bearer ${sent}`,
    ]
    return { secret, headers }
  }

  /** Makes headers for a second attempt. `undefined` when they would be the refused ones again, or there is no secret now. */
  async others(refused: LoginHeaders): Promise<LoginHeaders | undefined> {
    try {
      const others = await this.headers(refused)
      return others?.headers.at(-1) === refused.headers.at(-1) ? undefined : others
    } catch (error) {
      // what the registry said is what the user gets to know
      if (error instanceof NoSecretError) return undefined
      throw error
    }
  }
}

function credentials(login: RegistryLogin<ReadSecret>, secret: string): string {
  if (login.kind === 'basic') return Buffer.from(`${login.username}:${secret}`).toString('base64')
  const token = secret.trim()
  // its file may be half written
  if (!BEARER.test(token)) throw new NoSecretError('the token of schema_registry holds what no HTTP header can carry')
  return token
}
