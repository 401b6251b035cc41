// What a broker says to a token, and what becomes of it.

import kafkajs from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../core/secret.ts'
import { oauthBearer } from './oauth-bearer.ts'

type Authenticate = Parameters<ReturnType<typeof oauthBearer>['authenticationProvider']>[0]['saslAuthenticate']

function sized(text: string): Buffer {
  const size = Buffer.alloc(4)
  size.writeInt32BE(Buffer.byteLength(text))
  return Buffer.concat([size, Buffer.from(text)])
}

/** @param answers texts, or errors @returns what was sent */
async function logIn(answers: readonly (string | Error)[]): Promise<string[]> {
  const sent: string[] = []
  const saslAuthenticate: Authenticate = async ({ request, response }) => {
    const bytes = await request.encode()
    expect(bytes.readInt32BE(0)).toBe(bytes.length - 4)
    sent.push(bytes.toString('utf8', 4))
    const answer = answers[sent.length - 1]!
    if (answer instanceof Error) throw answer
    return response?.parse(await response.decode(sized(answer)))
  }
  const args = { host: 'one', port: 9092, logger: undefined as never, saslAuthenticate }
  await oauthBearer(new Secret('tökén')).authenticationProvider(args).authenticate()
  return sent
}

const refusal = Object.assign(new kafkajs.KafkaJSNonRetriableError('{"status":"invalid_token"}'), {
  type: 'SASL_AUTHENTICATION_FAILED',
})

describe('oauthBearer', () => {
  it('sends the token as it is, and is in when nothing is said', async () => {
    expect(await logIn([''])).toEqual(['n,,\u0001auth=Bearer tökén\u0001\u0001'])
  })

  it.each([
    ['confirmed', ['{"status":"invalid_token"}', refusal]],
    ['not confirmed', ['{"status":"invalid_token"}', '']],
    ['at once', [refusal]],
  ])('is not in when a refusal is said as data (%s)', async (_, answers) => {
    await expect(logIn(answers)).rejects.toMatchObject({
      name: 'KafkaJSSASLAuthenticationError',
      message: 'SASL OAUTHBEARER authentication failed: {"status":"invalid_token"}',
    })
  })

  it('leaves a connection that ends what it is', async () => {
    const error = new Error('Closed connection')
    await expect(logIn([error])).rejects.toBe(error)
  })
})
