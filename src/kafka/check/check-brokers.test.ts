import { expect, it } from 'vitest'
import { brokerFindings, clusterFinding, nodeFindings } from './check-brokers.ts'

const away = { address: 'b:2', found: 'away', text: 'connect ECONNREFUSED 10.0.0.2:2.' } as const

it('fail as long as no broker can be used, and warn as soon as one can', () => {
  expect(brokerFindings([away, { address: 'c:3', found: 'silent' }], 5000)).toEqual([
    {
      level: 'FAIL',
      text: 'Broker b:2 cannot be reached: connect ECONNREFUSED 10.0.0.2:2. Check kafka.brokers, and that it runs.',
    },
    { level: 'FAIL', text: expect.stringMatching(/^Broker c:3 does not answer as a Kafka broker does, within 5 s\. /) },
  ])
  expect(brokerFindings([{ address: 'a:1', found: 'ready' }, away], 5000)).toEqual([
    { level: 'ok', text: 'Broker a:1 can be used.' },
    {
      level: 'warn',
      text: expect.stringMatching(/^Broker b:2 cannot be reached: .* A run begins with the others\.$/),
    },
  ])
})

it('tell once what several brokers refuse', () => {
  const text = 'Kafka: The brokers refused the login. Check `sasl`.'
  const refused = ['a:1', 'b:2'].map((address) => ({ address, found: 'refused', text }) as const)
  expect(brokerFindings(refused, 5000)).toEqual([{ level: 'FAIL', text: `Broker a:1, b:2: ${text}` }])
})

it('guess what a port is that hangs up', () => {
  const hint = (text: string): string => brokerFindings([{ ...away, text }], 5000)[0]!.text
  expect(hint('read ECONNRESET')).toMatch(/kafka\.tls.*kafka\.sasl/)
  expect(hint('Closed connection, which a broker also does')).toMatch(/Perhaps the port is not Kafka's\.$/)
  expect(hint('what the broker sends is not understood: why')).toMatch(/Perhaps the port is not Kafka's\.$/)
})

it('fail for brokers of the cluster that cannot be reached, and say what names them', () => {
  expect(nodeFindings([away], 5000)).toEqual([
    { level: 'FAIL', text: expect.stringMatching(/^Broker b:2 cannot be reached: .*advertised\.listeners/) },
  ])
  expect(nodeFindings([{ address: 'b:2', found: 'ready' }], 5000)).toEqual([
    { level: 'ok', text: "The cluster's other brokers can be used: b:2." },
  ])
  expect(nodeFindings([], 5000)).toEqual([])
  const found = clusterFinding({ address: 'hidden:9092', text: 'getaddrinfo ENOTFOUND hidden' })
  expect(found.text).toMatch(/its broker hidden:9092, .* getaddrinfo ENOTFOUND hidden\. .*advertised\.listeners/)
  expect(clusterFinding({ address: undefined, text: undefined }).text).toMatch(/did not tell in time/)
})
