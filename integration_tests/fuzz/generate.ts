// Messages as sources write them, with values few sources write. Seeded; every one of them is valid.

import type { Random } from '../engine/random.ts'
import { NAMES, oneOf, STREAM_NAMES, VALUES } from './hostile.ts'

/** Nothing that is said of a line may hold it. */
export const CANARY = 'canary'

/** A RECORD, STATE or TRACE, as latin1. */
export function generateLine(random: Random): string {
  const kind = random.pick({ record: 8, state: 2, status: 1, other: 1 })
  if (kind === 'record') return recordLine(random, oneOf(random, STREAM_NAMES))
  if (kind === 'state') return stateLine(random)
  if (kind === 'status') return `{"type":"TRACE","trace":${statusOf(random)}}`
  return oneOf(random, OTHERS)
}

const OTHERS = [
  '{"type":"LOG","log":{"level":"INFO","message":"canary"}}',
  '{"type":"TRACE","trace":{"type":"ESTIMATE","estimate":{"name":"docs","type":"STREAM","row_estimate":7}}}',
  '{"type":"CONTROL","control":{}}',
  '{"type":"record","record":{"stream":"docs","data":{"id":1}}}',
  ' \t',
]

export function recordLine(random: Random, stream: string): string {
  const space = random.below(3) === 0 ? ' ' : ''
  const parts = [
    `"stream":${space}"${stream}"`,
    `"data":${space}${dataOf(random, space)}`,
    `"emitted_at":${space}${oneOf(random, EMITTED)}`,
  ]
  if (random.below(3) === 0) parts.splice(random.below(3), 0, `"namespace":${space}${oneOf(random, ['null', '""'])}`)
  if (stream === 'docs' && random.below(3) === 0) parts.push('"namespace":"crm"')
  if (random.below(4) === 0) parts.push(`"meta":${oneOf(random, ['null', '{"changes":[]}', '{"changes":null}', '7'])}`)
  if (random.below(4) === 0) parts.reverse()
  const record = `"record":${space}{${parts.join(`,${space}`)}}`
  const members = [`"type":${space}"RECORD"`, record]
  if (random.below(4) === 0)
    members.push(...['log', 'state', 'trace', 'control'].map((name) => `"${name}":${space}null`))
  if (random.below(6) === 0) members.reverse()
  return `{${members.join(`,${space}`)}}`
}

const EMITTED = ['1', '1730000000000', '1730000000000.5', '1.73e12', 'null', '"2024-01-01"', '-1']
const KEYS = [
  '1',
  '2',
  '7',
  '7.0',
  '70e-1',
  '"7"',
  '"7.0"',
  '-0',
  '0',
  '"x"',
  '"\\u0078"',
  'true',
  '1e400',
  '10e399',
  '9007199254740993',
]

function dataOf(random: Random, space: string): string {
  const members = [
    `"id":${space}${oneOf(random, KEYS)}`,
    `"user_id":${oneOf(random, KEYS)}`,
    `"a":${space}{"b":${space}${oneOf(random, KEYS)},"c":"}"}`,
    `"keys":${oneOf(random, KEYS)}`,
    `"note":${space}"${CANARY}"`,
  ].filter(() => random.below(5) > 0)
  for (let more = random.below(4); more > 0; more--) members.push(`"m${more}":${space}${oneOf(random, VALUES)}`)
  if (random.below(8) === 0) members.push(`${JSON.stringify(oneOf(random, NAMES))}:${oneOf(random, VALUES)}`)
  return random.below(30) === 0 ? '{}' : `{${members.join(`,${space}`)}}`
}

function stateLine(random: Random): string {
  const stats = random.below(3) === 0 ? `,"destinationStats":${oneOf(random, VALUES)}` : ''
  const type = random.pick({ STREAM: 4, GLOBAL: 2, LEGACY: 1, none: 1 })
  const descriptor = descriptorOf(random)
  const payload = oneOf(random, VALUES)
  const states = {
    STREAM: `{"type":"STREAM","stream":{"stream_descriptor":${descriptor},"stream_state":${payload}}${stats}}`,
    GLOBAL: `{"type":"GLOBAL"${stats},"global":{"shared_state":${payload},"stream_states":[{"stream_descriptor":${descriptor}}]}}`,
    LEGACY: `{"type":"LEGACY","data":${payload}${stats}}`,
    none: `{ "data" : ${payload} ${stats}}`,
  }
  return `{"type":"STATE","state":${states[type]}}`
}

function statusOf(random: Random): string {
  const status = oneOf(random, ['"STARTED"', '"RUNNING"', '"COMPLETE"', '"INCOMPLETE"', 'null'])
  return `{"type":"STREAM_STATUS","stream_status":{"stream_descriptor":${descriptorOf(random)},"status":${status}}}`
}

function descriptorOf(random: Random): string {
  const namespace = oneOf(random, ['', ',"namespace":null', ',"namespace":""', ',"namespace":"crm"', ',"namespace":7'])
  return `{"name":"${oneOf(random, STREAM_NAMES)}"${namespace}}`
}
