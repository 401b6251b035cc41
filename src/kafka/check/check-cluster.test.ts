import { expect, it } from 'vitest'
import { brokerFindings, clusterNodes, groupFinding, nodesAway } from './check-cluster.ts'
import type { GroupState } from '../client/admin.ts'

const code = 'kafka.unreachable'
const away = { address: 'b:2', found: 'away', code, text: 'connect ECONNREFUSED 10.0.0.2:2.' } as const

it('fail as long as no broker can be used, and warn as soon as one can', () => {
  expect(brokerFindings([away, { address: 'c:3', found: 'silent' }], 5000, 'named')).toEqual([
    {
      level: 'FAIL',
      code,
      text: 'Broker b:2 cannot be reached: connect ECONNREFUSED 10.0.0.2:2. Check kafka.brokers, and that it runs.',
    },
    {
      level: 'FAIL',
      code,
      text: expect.stringMatching(/^Broker c:3 does not answer as a Kafka broker does, within 5 s\. /),
    },
  ])
  expect(brokerFindings([{ address: 'a:1', found: 'ready' }, away], 5000, 'named')).toEqual([
    { level: 'ok', text: 'Broker a:1 can be used.' },
    {
      level: 'warn',
      code,
      text: expect.stringMatching(/^Broker b:2 cannot be reached: .* A run starts with the others\.$/),
    },
  ])
})

it('warn of sessions that end before a login can follow another', () => {
  const ready = (sessionMs?: number) => ({ address: 'a:1', found: 'ready', sessionMs }) as const
  const levels = (...lives: (number | undefined)[]): string[] =>
    brokerFindings(lives.map(ready), 5000, 'named').map(
      ({ level, text }) => `${level} ${/of (\d+ s) or/.exec(text)?.[1]}`,
    )
  expect(levels(undefined, 6_000)).toEqual(['ok undefined'])
  expect(levels(undefined, 5_999, 7_000, 3_500)).toEqual(['ok undefined', 'warn 4 s'])
})

it('tell once what several brokers refuse', () => {
  const text = 'Kafka: The brokers refused the login. Check `sasl`.'
  const refused = ['a:1', 'b:2'].map(
    (address) => ({ address, found: 'refused', code: 'kafka.login-refused', text }) as const,
  )
  expect(brokerFindings(refused, 5000, 'named')).toEqual([
    { level: 'FAIL', code: 'kafka.login-refused', text: `Broker a:1, b:2: ${text}` },
  ])
})

it('guess what a port is that hangs up', () => {
  const hint = (text: string): string => brokerFindings([{ ...away, text }], 5000, 'named')[0]!.text
  expect(hint('read ECONNRESET')).toMatch(/kafka\.tls.*kafka\.sasl/)
  expect(hint('Closed connection, which a broker also does')).toMatch(/Perhaps the port is not Kafka's\.$/)
  expect(hint('what the broker sends is not understood: why')).toMatch(/Perhaps the port is not Kafka's\.$/)
})

const NOWHERE = { brokers: ['a:1'], clientId: 'c', tls: undefined, sasl: undefined, allowInsecureLogin: false }

it('fail for brokers of the cluster that cannot be reached, and say what names them', async () => {
  expect(brokerFindings([away], 5000, 'advertised')).toEqual([
    { level: 'FAIL', code, text: expect.stringMatching(/^Broker b:2 cannot be reached: .*advertised\.listeners/) },
  ])
  expect(brokerFindings([{ address: 'b:2', found: 'ready' }], 5000, 'advertised')).toEqual([
    { level: 'ok', text: "The cluster's other brokers can be used: b:2." },
  ])
  expect(brokerFindings([], 5000, 'advertised')).toEqual([])
  const found = nodesAway('hidden:9092', 'getaddrinfo ENOTFOUND hidden')
  expect(found.text).toMatch(/its broker hidden:9092, .* getaddrinfo ENOTFOUND hidden\. .*advertised\.listeners/)
  const silent = await clusterNodes(NOWHERE, AbortSignal.abort())
  expect(silent).toMatchObject({ text: expect.stringMatching(/did not list the members of their cluster in time/) })
})

const group = (over: Partial<GroupState>, members = 0): GroupState => ({
  state: members > 0 ? 'Stable' : 'Empty',
  protocolType: 'consumer',
  protocol: members > 0 ? 'RoundRobinAssigner' : '',
  members: Array.from({ length: members }, (_, index) => ({ clientId: `c${index}`, host: `/10.0.0.${index}` })),
  ...over,
})

it('is fine when it is empty, unknown, or one of ours', () => {
  expect(groupFinding('g', group({}), true)).toEqual({
    level: 'ok',
    text: 'Group g has no members now, and has committed offsets of these topics.',
  })
  expect(groupFinding('g', group({ state: 'Dead', protocolType: '' }), false).text).toMatch(
    /and has no committed offsets/,
  )
  expect(groupFinding('g', group({}), undefined).text).toBe('Group g has no members now.')
  const full = groupFinding('g', group({}, 7), true)
  expect(full.level).toBe('ok')
  expect(full.text).toMatch(
    /^Group g has 7 members \(c0 at 10\.0\.0\.0, .*c4 at 10\.0\.0\.4 and 2 more\) now \(Stable\)/,
  )
  // in the middle of a rebalance nothing is known of how partitions are shared
  expect(groupFinding('g', group({ state: 'PreparingRebalance', protocol: '' }, 1), true).level).toBe('ok')
})

it('is in the way when others use it in another manner', () => {
  const connect = groupFinding('g', group({ protocolType: 'connect', protocol: 'default' }, 1), undefined)
  expect(connect).toMatchObject({
    level: 'FAIL',
    text: expect.stringMatching(/1 member .*kind "connect".*kafka\.group/),
  })
  const range = groupFinding('g', group({ protocol: 'range' }, 2), true)
  expect(range).toMatchObject({
    level: 'FAIL',
    code: 'kafka.group-unusable',
    text: expect.stringMatching(/2 members .*"range"/),
  })
  expect(groupFinding('g', group({ protocolType: 'connect' }), true).level).toBe('warn')
})

it("cuts names, which are others' own", () => {
  const long = group({ members: [{ clientId: 'x'.repeat(5000), host: '' }] }, 1)
  expect(groupFinding('g', long, true).text.length).toBeLessThan(300)
})
