// TLS and client certificates on a real broker: right ones work, wrong ones are told with what to do, and no key is ever told.

import { afterAll, beforeAll, expect, it } from 'vitest'
import type { KafkaTlsConfig } from '../../src/config/stream/stream-config.ts'
import { describeOwnKafka, uniqueName } from './available.ts'
import type { Broker } from './broker.ts'
import { Member } from './member.ts'
import { allow, caOf, certificates, startSecureBroker, type Certificate } from './secure-broker.ts'
import { KEY, StreamCheckDriver } from '../stream/check-driver.ts'
import { StreamDriver, tableOf } from '../stream/driver.ts'

const { trusted, otherHost, expired, client } = certificates
const ANY_KEY = /BEGIN (?:EC )?PRIVATE KEY/

/** What is in the middle of a key: no output may hold it. */
const bodyOf = ({ key }: Certificate): string => key.split('\n')[2]!

describeOwnKafka('a broker that wants TLS', (startBroker) => {
  let broker: Broker
  let stream: StreamDriver
  let check: StreamCheckDriver
  beforeAll(async () => {
    broker = await startSecureBroker(startBroker)
    stream = await StreamDriver.open(broker.bootstrap)
    check = await StreamCheckDriver.start()
  })
  afterAll(async () => {
    await check?.[Symbol.asyncDispose]()
    await stream?.[Symbol.asyncDispose]()
    await broker?.[Symbol.asyncDispose]()
  })

  const filled = (): Promise<string> => stream.filled([{ key: '1', value: '{"id":1}' }])
  /** Who comes with a certificate has its name. */
  async function mayRead(topic: string, group: string): Promise<void> {
    await allow(stream.client, 'CN=client.invalid', ['READ'], 'TOPIC', topic)
    await allow(stream.client, 'CN=client.invalid', ['READ'], 'GROUP', group)
  }
  /** The client's key in the environment, as no configuration may hold it. */
  const pairOf = ({ certificate }: Certificate): object => ({
    client_certificate: certificate,
    client_key: '${CLIENT_KEY}',
  })

  const good: readonly [what: string, listener: string, tls: KafkaTlsConfig][] = [
    ['an authority of its own', 'TLS', caOf(trusted)],
    [
      'several authorities',
      'TLS',
      caOf({ ...trusted, certificate: `${otherHost.certificate}\n${trusted.certificate}` }),
    ],
    ['a client certificate', 'MTLS', caOf(trusted, client)],
    ['a client certificate nobody asks for', 'TLS', caOf(trusted, otherHost)],
  ]
  it.each(good)('is read with %s', async (_, listener, tls) => {
    const topic = await filled()
    const group = uniqueName('g')
    await mayRead(topic, group)
    const brokers = [broker.address(listener)]
    const connection = { brokers, clientId: 'test', tls, sasl: undefined, allowInsecureLogin: false }
    await using member = new Member({ brokers, connection, group, topics: [topic] })
    await member.until(({ values }) => values.length === 1)
    expect(member.story).toEqual(['assigned'])
  })

  const refused: readonly [what: string, listener: string, tls: object | undefined, key: string, found: RegExp][] = [
    [
      'another authority',
      'TLS',
      { ca_certificate: client.certificate },
      '',
      /authority that is not known here .*Set kafka\.tls\.ca_certificate/,
    ],
    [
      'a certificate for another name',
      'OTHERHOST',
      { ca_certificate: otherHost.certificate },
      '',
      /for other names \(.*127\.0\.0\.1.*\)\. Name the broker in kafka\.brokers/,
    ],
    [
      'an expired certificate',
      'EXPIRED',
      { ca_certificate: expired.certificate },
      '',
      /has expired.*Give the broker a new/,
    ],
    [
      'no client certificate',
      'MTLS',
      { ca_certificate: trusted.certificate },
      '',
      /requires a client certificate .*Set kafka\.tls\.client_certificate and kafka\.tls\.client_key/,
    ],
    [
      'a client certificate it does not know',
      'MTLS',
      { ca_certificate: trusted.certificate, ...pairOf(otherHost) },
      otherHost.key,
      /requires a client certificate .*whose authority the broker trusts/,
    ],
    [
      'a broken authority',
      'TLS',
      { ca_certificate: 'no PEM' },
      '',
      /`kafka\.tls\.ca_certificate` holds no PEM certificate/,
    ],
    [
      'a broken certificate',
      'MTLS',
      { client_certificate: client.certificate.replace('MI', 'xx'), client_key: '${CLIENT_KEY}' },
      client.key,
      /`kafka\.tls\.client_certificate` is not a readable certificate/,
    ],
    [
      'a broken key',
      'MTLS',
      pairOf(client),
      client.key.replace('MI', 'xx'),
      /`kafka\.tls\.client_key` is not a readable/,
    ],
    [
      'a key of another certificate',
      'MTLS',
      pairOf(client),
      trusted.key,
      /client_key` does not belong to `client_certif/,
    ],
  ]
  it.each(refused)('is told by --check to refuse %s', async (_, listener, tls, key, found) => {
    const brokers = [broker.address(listener)]
    const given = { brokers, topics: [{ topic: 't', keys: ['id'] }], kafka: tls ? { tls } : {} }
    const told = await check.check(given, { KEY, CLIENT_KEY: key })
    expect(told.FAIL).toEqual([expect.stringMatching(found)])
    expect(told.text).not.toMatch(ANY_KEY)
    for (const made of [trusted, otherHost, client]) expect(told.text).not.toContain(bodyOf(made))
  })

  it('is read by stream as a process, with a client certificate', async () => {
    const [topic, group] = [await filled(), uniqueName('g')]
    const tls = {
      ca_certificate: trusted.certificate,
      client_certificate: client.certificate,
      client_key: { file: await stream.work.file('client.key', client.key) },
    }
    const kafka = { brokers: [broker.address('MTLS')], tls }
    await mayRead(topic, group)
    await using process = await stream.start({ topics: [{ topic, keys: ['id'] }], group, kafka })
    await stream.committedAre(group, topic, [1n], process)
    expect(await stream.rows(tableOf(topic))).toHaveLength(1)
    const { stdout, stderr } = await stream.stop(process)
    expect(stdout + stderr).not.toContain(bodyOf(client))
  })

  it('ends a process at once that comes without TLS, and lets one wait that comes with it for nothing, saying why', async () => {
    const topics = [{ topic: 't', keys: ['id'] }]
    await using without = await stream.start({ topics, kafka: { brokers: [broker.address('TLS')] } })
    const ended = await stream.endOf(without)
    expect(ended.lines.filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({
        kind: 'config',
        message: expect.stringMatching(/speaks TLS.*Set kafka\.tls/) as unknown,
      }),
    ])
    await using other = await stream.start({ topics, kafka: { brokers: [broker.bootstrap], tls: true } })
    await other.said(/cannot be asked for topics yet: .*speaks no TLS \(kafka\.tls\)/)
    await stream.stop(other)
  })
})
