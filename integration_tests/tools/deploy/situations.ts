// What the stack must do, one situation a function, in this order: each goes on where the one before ended. Each throws when
// it is not so.

import assert from 'node:assert/strict'
import { KafkaClient } from '../../kafka/client.ts'
import { readExposition, valueIn } from '../../../src/telemetry/testing/exposition.ts'
import type { Stack } from './stack.ts'

const ORDERS = 1000
const CONFIG = ['--config', '/etc/analytics/stream.yaml']

export const SITUATIONS: Readonly<Record<string, (stack: Stack) => Promise<void>>> = {
  'messages produced in a container become rows': rowsOfSample,
  'health and metrics are told to this machine': tellsHealth,
  'stream --check finds nothing in the way': checks,
  'messages from this machine replace rows, and a bad one is a dead letter': fromThisMachine,
  'the connector has no right it does not need': hasFewRights,
  'docker stop ends the connector in time, and it goes on where it was': stopsAndGoesOn,
  'a connector that ends is started again': comesBack,
  'down and up keep rows and offsets': downAndUp,
  'down --volumes leaves nothing': leavesNothing,
}

async function rowsOfSample(stack: Stack): Promise<void> {
  assert.equal((await stack.container('topics')).State.ExitCode, 0)
  await stack.output(['run', '--rm', '-T', 'sample'])
  const expected = Array.from({ length: ORDERS }, (_, index) => row(`"id":${index + 1},"item":"lamp","price":19.90`))
  await stack.until(`there are ${ORDERS} rows`, async () => (await stack.rows('orders')).length >= ORDERS)
  assert.deepEqual((await stack.rows('orders')).toSorted(), expected.toSorted())
}

async function tellsHealth(stack: Stack): Promise<void> {
  assert.equal((await stack.health('/healthz')).status, 200)
  const { status, text } = await stack.health('/readyz')
  const { ready, partitions } = JSON.parse(text) as { ready: boolean; partitions: number }
  assert.deepEqual({ status, ready, partitions }, { status: 200, ready: true, partitions: 3 })
  await stack.until('the metrics have all records', async () => (await settled(stack, 'written')) === ORDERS)
}

async function checks(stack: Stack): Promise<void> {
  const { code, stdout, stderr } = await stack.run(['run', '--rm', '-T', 'connector', 'stream', '--check', ...CONFIG])
  assert.equal(code, 0, stdout + stderr)
  assert.match(stdout, /^stream can start\.$/m)
}

async function fromThisMachine(stack: Stack): Promise<void> {
  await using client = await KafkaClient.connect(stack.bootstrap)
  await client.produce('orders', [
    { key: '1', value: '{"id":1,"item":"lamp","price":21.00}' },
    { key: 'x', value: '{"item":"nothing to tell it apart by"}' },
  ])
  const replaced = row('"id":1,"item":"lamp","price":21.00')
  await stack.until('the row is replaced', async () => (await stack.rows('orders')).includes(replaced))
  assert.equal((await stack.rows('orders')).length, ORDERS)
  await stack.until('there is a dead letter', async () => (await settled(stack, 'rejected')) === 1)
  const end = await client.admin.fetchTopicOffsets('orders-dead-letters')
  assert.deepEqual(
    end.map(({ high }) => high),
    ['1'],
  )
}

async function hasFewRights(stack: Stack): Promise<void> {
  assert.equal(await stack.inside('connector', ['id', '-u']), '1000')
  const status = await stack.inside('connector', ['cat', '/proc/1/status'])
  const of = (name: string): string | undefined => new RegExp(`^${name}:\\s*(\\S+)$`, 'm').exec(status)?.[1]
  assert.deepEqual([of('Uid'), of('CapEff'), of('CapBnd'), of('NoNewPrivs')].slice(1), [
    '0'.repeat(16),
    '0'.repeat(16),
    '1',
  ])
  for (const folder of ['/', '/tmp', '/home/node', '/data', '/etc/analytics']) {
    const tried = await stack.run(['exec', '-T', 'connector', 'sh', '-c', `: >${folder}/written`])
    assert.notEqual(tried.code, 0, `${folder} can be written to`)
  }
  const { HostConfig, Config } = await stack.container('connector')
  assert.deepEqual([HostConfig.Memory, Config.StopTimeout], [512 * 1024 * 1024, 30])
}

async function stopsAndGoesOn(stack: Stack): Promise<void> {
  const { Id } = await stack.container('connector')
  // without a limit of its own: the one of the file holds
  await stack.docker.output(['stop', Id], { limitSeconds: 120 })
  const { State } = await stack.container('connector')
  assert.deepEqual([State.Status, State.ExitCode, State.OOMKilled], ['exited', 143, false], await stack.said())
  await produceInside(stack, 2001, 500)
  await stack.output(['start', 'connector'])
  await stack.healthy('connector')
  await stack.until('what came meanwhile is there', async () => (await stack.rows('orders')).length === ORDERS + 500)
  // it had committed: nothing is read a second time
  await stack.until('500 records are settled', async () => (await settled(stack, 'written')) === 500)
  assert.equal(await valueOf(stack, 'read_records_total', { topic: 'orders' }), 500)
}

async function comesBack(stack: Stack): Promise<void> {
  const before = await stack.container('connector')
  // how this ends itself depends on which of the two is gone first
  await stack.run(['exec', '-T', 'connector', 'node', '--eval', 'process.kill(1, "SIGTERM")'])
  await stack.until('it is started again', async () => {
    const { Id, RestartCount, State } = await stack.container('connector')
    return Id === before.Id && RestartCount === before.RestartCount + 1 && State.Health?.Status === 'healthy'
  })
}

async function downAndUp(stack: Stack): Promise<void> {
  const before = await stack.rows('orders')
  await stack.output(['down'])
  await stack.up()
  assert.deepEqual(await stack.rows('orders'), before)
  await produceInside(stack, 3001, 1)
  await stack.until('the next record is there', async () => (await stack.rows('orders')).length === before.length + 1)
  await stack.until('it is settled', async () => (await settled(stack, 'written')) === 1)
  assert.equal(await valueOf(stack, 'read_records_total', { topic: 'orders' }), 1)
}

async function leavesNothing(stack: Stack): Promise<void> {
  assert.notDeepEqual(await stack.remains(), [])
  await stack.output(['down', '--volumes'])
  assert.deepEqual(await stack.remains(), [])
}

/** By Kafka's own tool in the broker's container. */
async function produceInside(stack: Stack, from: number, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) => `{"id":${from + index},"item":"desk"}\n`)
  const tool = '/opt/kafka/bin/kafka-console-producer.sh'
  await stack.inside('broker', [tool, '--bootstrap-server', 'broker:19092', '--topic', 'orders'], lines.join(''))
}

function settled(stack: Stack, result: string): Promise<number> {
  return valueOf(stack, 'settled_records_total', { topic: 'orders', result })
}

async function valueOf(stack: Stack, name: string, labels: object): Promise<number> {
  return valueIn(readExposition((await stack.health('/metrics')).text), `analytics_stream_${name}`, labels)
}

function row(members: string): string {
  return `{"keys":["id"],${members}}`
}
