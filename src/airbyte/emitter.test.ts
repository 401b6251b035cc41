import { expect, test } from 'vitest'
import { ConnectorError } from '../core/errors.ts'
import { connectionStatus, log, traceError } from './emitter.ts'

test('log', () => {
  expect(log('warn', 'a "b"\n')).toBe('{"type":"LOG","log":{"level":"WARN","message":"a \\"b\\"\\n"}}\n')
})

test.each([
  ['config', 'config_error'],
  ['transient', 'transient_error'],
  ['system', 'system_error'],
] as const)('a %s error', (kind, failure) => {
  expect(traceError(new ConnectorError(kind, 'program.fault', 'Why'), 1730000000000)).toBe(
    `{"type":"TRACE","trace":{"type":"ERROR","emitted_at":1730000000000,"error":{"message":"Why","internal_message":"program.fault: Why","failure_type":"${failure}","code":"program.fault"}}}\n`,
  )
})

test('an error of a stream, with details for developers', () => {
  const of = (track: { name: string; namespace?: string | undefined }): unknown =>
    JSON.parse(traceError(new ConnectorError('config', 'program.fault', 'm', { track }), 5, 'stack'))
  const error = { message: 'm', internal_message: 'stack', failure_type: 'config_error', code: 'program.fault' }
  const trace = (descriptor: object): object => ({
    type: 'TRACE',
    trace: { type: 'ERROR', emitted_at: 5, error: { ...error, stream_descriptor: descriptor } },
  })
  expect(of({ name: 'users' })).toEqual(trace({ name: 'users' }))
  expect(of({ name: 'users', namespace: undefined })).toEqual(trace({ name: 'users' }))
  expect(of({ name: 'users', namespace: 'p' })).toEqual(trace({ name: 'users', namespace: 'p' }))
})

test('what a terminal would obey in a name is an escape', () => {
  const lines = [
    log('info', 'Stream "x\u009b31m\u202e"'),
    traceError(new ConnectorError('config', 'program.fault', '\u007f', { track: { name: '\u061c\u2066' } }), 5),
    connectionStatus('FAILED', '\u0085'),
  ]
  // oxlint-disable-next-line no-control-regex
  expect(lines.join('')).not.toMatch(/[^\n\u0020-\u007e]/)
  expect(lines[0]).toContain('"Stream \\"x\\u009b31m\\u202e\\""')
  expect(JSON.parse(lines[1]!)).toMatchObject({ trace: { error: { stream_descriptor: { name: '\u061c\u2066' } } } })
})

test('a log line with what a program goes by', () => {
  const line = log('warn', 'm', { event: 'outage.began', code: 'config.warning', seconds: 5 })
  const told = { code: 'config.warning', event: 'outage.began' }
  expect(JSON.parse(line)).toEqual({ type: 'LOG', log: { level: 'WARN', message: 'm', ...told } })
})

test('connection status', () => {
  expect(connectionStatus('FAILED', 'no')).toBe(
    '{"type":"CONNECTION_STATUS","connectionStatus":{"status":"FAILED","message":"no"}}\n',
  )
  const findings = [{ level: 'FAIL', code: 'config.option', message: 'no' }]
  expect(JSON.parse(connectionStatus('FAILED', 'no', findings))).toEqual({
    type: 'CONNECTION_STATUS',
    connectionStatus: { status: 'FAILED', message: 'no', findings },
  })
})

test('one line to every reader: other line ends are escaped, and the text is the same', () => {
  const text = 'a\u2028b\u2029c\u0085d\r\n\u000b\u000c\u001ce'
  const line = log('info', text)
  const ends = ['\n', '\r', '\u000b', '\u000c', '\u001c', '\u0085', '\u2028', '\u2029']
  expect(ends.filter((end) => line.slice(0, -1).includes(end))).toEqual([])
  expect((JSON.parse(line) as { log: { message: string } }).log.message).toBe(text)
})
