// Errors as kafkajs throws them, and what a person is told.

import kafkajs from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { ConnectorError } from '../../core/errors.ts'
import { kafkaErrorType, kafkaProblem, namingTopics } from './kafka-problem.ts'
import { tlsProblem } from './tls-problem.ts'

const { KafkaJSConnectionError, KafkaJSNonRetriableError, KafkaJSNumberOfRetriesExceeded } = kafkajs
const context = { brokers: ['one:9092', 'two:9092'], group: 'orders-group', answered: undefined }

const protocol = (type: string, message: string): Error =>
  Object.assign(new KafkaJSNonRetriableError(message), { type, name: 'KafkaJSProtocolError' })
const retried = (cause: Error): Error => new KafkaJSNumberOfRetriesExceeded(cause, { retryCount: 3, retryTime: 1000 })

describe('kafkaProblem', () => {
  it.each([
    ['SASL_AUTHENTICATION_FAILED', 'refused', /refused the login.*sasl/],
    ['UNSUPPORTED_SASL_MECHANISM', 'refused', /refused the login.*kafka\.sasl\.mechanism/],
    ['ILLEGAL_SASL_STATE', 'refused', /one:9092, two:9092 accept no login.*kafka\.sasl/],
    ['TOPIC_AUTHORIZATION_FAILED', 'refused', /may not read topics: why/],
    ['GROUP_AUTHORIZATION_FAILED', 'refused', /refuse group orders-group/],
    ['INVALID_SESSION_TIMEOUT', 'refused', /orders-group cannot be joined: why/],
    ['GROUP_MAX_SIZE_REACHED', 'refused', /orders-group cannot be joined/],
    ['UNSUPPORTED_VERSION', 'refused', /too new or too old/],
    ['INCONSISTENT_GROUP_PROTOCOL', 'absent', /orders-group is in use by consumers of another kind/],
    ['UNKNOWN_TOPIC_OR_PARTITION', 'absent', /do not exist: why/],
    ['INVALID_TOPIC_EXCEPTION', 'final', /a name that is not valid/],
  ])('%s', (type, kind, text) => {
    for (const error of [protocol(type, 'why'), retried(protocol(type, 'why'))]) {
      const problem = kafkaProblem(error, context)
      expect(problem.kind).toBe(kind)
      expect(problem).toHaveProperty('error.kind', 'config')
      expect(problem).toHaveProperty('error.message', expect.stringMatching(text))
    }
  })

  it('knows a login that failed without the protocol', () => {
    const error = Object.assign(new KafkaJSNonRetriableError('invalid credentials'), {
      name: 'KafkaJSSASLAuthenticationError',
    })
    expect(kafkaProblem(error, context)).toMatchObject({ kind: 'refused', error: { kind: 'config' } })
  })

  it('takes a connection that ended in the middle of a login for what it is', () => {
    const error = Object.assign(
      new KafkaJSNonRetriableError('SASL SCRAM SHA256 authentication failed: Closed connection'),
      {
        name: 'KafkaJSSASLAuthenticationError',
      },
    )
    expect(kafkaProblem(error, context)).toMatchObject({ kind: 'passing' })
  })

  it.each([
    ['WANTS_TLS', 'refused', /one:9092 speaks TLS.*kafka\.tls/],
    ['WANTS_LOGIN', 'absent', /one:9092 closes.*kafka\.sasl/],
    [
      'OPEN_LOGIN',
      'refused',
      /sends its clients on to one:9092\. .*was not sent\. Set kafka\.tls, .*allow_insecure_login/,
    ],
  ])('tells what a port wants, or what it does not get (%s)', (code, kind, text) => {
    const error = new KafkaJSConnectionError('Connection error: why', { broker: 'one:9092', code })
    expect(kafkaProblem(retried(error), context)).toMatchObject({
      kind,
      error: { kind: 'config', message: expect.stringMatching(text) as string },
    })
  })

  it.each(['self-signed certificate', "Hostname/IP does not match certificate's altnames", 'SSL alert number 42'])(
    'knows TLS trouble (%s)',
    (text) => {
      const error = retried(new KafkaJSConnectionError(`Connection error: ${text}`, { code: 'ERR_SSL_X' }))
      expect(kafkaProblem(error, context)).toHaveProperty('error.message', expect.stringMatching(/TLS to one:9092/))
    },
  )

  it('leaves OpenSSL only its words, and names the broker it is about', () => {
    const text =
      '40BD:error:0A00:SSL routines:ssl3_read:ssl/tls alert bad certificate:../deps/x.c:918:SSL alert number 42\n'
    const error = retried(new KafkaJSConnectionError(`Connection error: ${text}`, { broker: 'two:9092' }))
    expect(kafkaProblem(error, context)).toHaveProperty(
      'error.message',
      expect.stringMatching(
        /^Kafka: TLS to two:9092 failed: .* \(ssl\/tls alert bad certificate SSL alert number 42\)\. Set kafka\.tls\.client/,
      ),
    )
  })

  it('has a guess when a port closes the connection', () => {
    const problem = kafkaProblem(retried(new KafkaJSConnectionError('Closed connection')), context)
    expect(problem).toEqual({ kind: 'passing', text: expect.stringMatching(/tls.*sasl/) })
    const early = 'Connection error: Client network socket disconnected before secure TLS connection was established'
    const other = kafkaProblem(retried(new KafkaJSConnectionError(early, { code: 'ECONNRESET' })), context)
    expect(other).toEqual({ kind: 'passing', text: expect.stringMatching(/speaks no TLS/) })
  })

  it('finds a group without permission in what a broker answered', () => {
    const error = Object.assign(new KafkaJSNonRetriableError('Failed to find group coordinator'), {
      name: 'KafkaJSGroupCoordinatorNotFound',
    })
    expect(kafkaProblem(error, context).kind).toBe('passing')
    const answered = 'Not authorized to access group: Group authorization failed'
    expect(kafkaProblem(error, { ...context, brokerError: answered })).toMatchObject({ kind: 'refused' })
  })

  it.each([
    ['OLD_BROKER', /^Kafka: b:9092 is older than Kafka 2\.3 .*Kafka 2\.3 or newer is needed: upgrade the brokers\.$/],
    ['NEW_BROKER', /^Kafka: b:9092 is too new for this program/],
  ])('names the version that is needed of a broker (%s)', (code, message) => {
    const error = new KafkaJSConnectionError('Connection error: it has no fetch requests', { broker: 'b:9092', code })
    expect(kafkaProblem(error, context)).toMatchObject({
      kind: 'refused',
      error: { kind: 'config', message: expect.stringMatching(message) as string },
    })
  })

  it('hands an error of ours on', () => {
    const error = new ConnectorError('config', 'program.fault', 'ours')
    expect(kafkaProblem(error, context)).toEqual({ kind: 'final', error })
  })

  it.each([
    [retried(new KafkaJSConnectionError('Connection error: connect ECONNREFUSED 127.0.0.1:1')), /ECONNREFUSED/],
    [new Error(''), /^Error$/],
    ['a string', /unknown/],
    [undefined, /unknown/],
  ])('takes anything else for something that passes (%s)', (error, text) => {
    expect(kafkaProblem(error, context)).toEqual({ kind: 'passing', text: expect.stringMatching(text) })
  })

  it('comes to an end in a circle of causes', () => {
    const error = new Error('round')
    error.cause = error
    expect(kafkaProblem(error, context)).toEqual({ kind: 'passing', text: 'round' })
  })
})

describe('kafkaErrorType', () => {
  it('is found however deep it is wrapped', () => {
    const error = new Error('outer', { cause: retried(protocol('UNKNOWN_MEMBER_ID', 'inner')) })
    expect(kafkaErrorType(error)).toBe('UNKNOWN_MEMBER_ID')
    expect(kafkaErrorType(new Error('none'))).toBeUndefined()
  })
})

it.each([
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'self-signed certificate; if the root CA is installed locally, try …',
    /kafka\.tls\.ca_cert/,
  ],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', /not known here/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', /not known here/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unable to get local issuer certificate', /not known here/],
  ['CERT_HAS_EXPIRED', 'certificate has expired', /has expired .*Give the broker a new one/],
  ['CERT_NOT_YET_VALID', 'certificate is not yet valid', /not valid yet .*clocks/],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    "Hostname/IP does not match certificate's altnames: …",
    /other names .*kafka\.brokers/,
  ],
  [undefined, 'ssl/tls alert bad certificate SSL alert number 42', /client certificate .*kafka\.tls\.client_key/],
  [undefined, 'tlsv13 alert certificate required SSL alert number 116', /client certificate/],
  [undefined, 'tlsv1 alert unknown ca SSL alert number 48', /client certificate/],
  ['EPROTO', 'wrong version number', /does not speak TLS/],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'unsupported protocol', /TLS 1\.2 or 1\.3/],
  ['EPROTO', 'something else', /the handshake failed \(something else\)\. Check kafka\.tls/],
])('tells what to do about %s: %s', (code, message, found) => {
  const told = tlsProblem({ code, message: `Connection error: ${message}` }, 'one:9092')
  expect(told).toMatch(/^TLS to one:9092 failed: /)
  expect(told).toMatch(found)
  expect(told).not.toMatch(/Connection error|root CA is installed/)
})

it.each(['connect ECONNREFUSED 127.0.0.1:9092', 'Closed connection', 'Connection timeout'])(
  'leaves other trouble: %s',
  (message) => {
    expect(tlsProblem({ code: undefined, message }, 'one:9092')).toBeUndefined()
  },
)

const trouble = (type: string): Error => Object.assign(new Error('This server does not host it'), { type })
const cluster = { topics: async () => ['a', 'b'] }

describe('namingTopics', () => {
  it('names the topics a trouble is about', async () => {
    const error = await namingTopics(trouble('UNKNOWN_TOPIC_OR_PARTITION'), ['a', 'x', 'y'], cluster)
    const problem = kafkaProblem(error, { brokers: [], group: 'g' })
    expect(problem).toMatchObject({ kind: 'absent', error: { message: expect.stringMatching(/do not exist: x, y\./) } })
  })

  it('leaves other trouble, and trouble whose topics can be seen, as it is', async () => {
    const other = trouble('GROUP_AUTHORIZATION_FAILED')
    expect(await namingTopics(other, ['x'], cluster)).toBe(other)
    const seen = trouble('UNKNOWN_TOPIC_OR_PARTITION')
    expect(await namingTopics(seen, ['a'], cluster)).toBe(seen)
  })

  it.each([
    [['a'], 'a'],
    [['a', 'b'], 'one of a, b'],
    [['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'one of a, b, c, d, e, or one of 2 more'],
  ])('names topics that can be seen, but not be read (%s)', async (topics, names) => {
    const all = { topics: async () => topics }
    expect((await namingTopics(trouble('TOPIC_AUTHORIZATION_FAILED'), topics, all)).message).toBe(names)
  })

  it('leaves it as it is when nobody can be asked', async () => {
    const error = trouble('UNKNOWN_TOPIC_OR_PARTITION')
    expect(await namingTopics(error, ['x'], { topics: () => Promise.reject(new Error('away')) })).toBe(error)
  })
})
