import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { Output } from './output.ts'
import { Scrubber } from '../secrets/scrubber.ts'

function collecting(): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString() }
}

test('a text is scrubbed, bytes stay as they are, and their order too', async () => {
  const { stream, text } = collecting()
  const output = new Output(stream, undefined, new Scrubber(['hidden']).scrub)
  void output.write('a hidden text\n')
  void output.write(Buffer.from('hidden bytes\n'))
  void output.write('{"type":"LOG","log":{"message":"hidden"}}\n')
  await output.flush()
  expect(text()).toBe('a ****** text\nhidden bytes\n{"type":"LOG","log":{"message":"******"}}\n')
})

test('a broken stream is told once, and to every later write', async () => {
  const failures: Error[] = []
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('gone')) })
  const output = new Output(stream, (error) => failures.push(error))
  await output.write('one\n')
  await expect(output.flush()).rejects.toThrow('gone')
  await expect(output.write('two\n')).rejects.toThrow('gone')
  expect(failures).toHaveLength(1)
})

test('a line in pieces stays together, and very long ones are not copied', async () => {
  const long = Buffer.alloc(8 * 1024 * 1024 + 1, 'x')
  const given: Uint8Array[] = []
  const { stream, text } = collecting()
  const output = new Output({
    write: (bytes, written) => {
      given.push(bytes)
      return stream.write(bytes, () => written())
    },
    on: (event, listener) => stream.on(event, listener),
  })
  void output.write([Buffer.from('{"a":'), Buffer.from('1}\n')])
  void output.write('text\n')
  await output.flush()
  expect(given).toHaveLength(1)
  void output.write([Buffer.from('['), long, Buffer.from(']\n')])
  void output.write('end\n')
  await output.flush()
  expect(text()).toBe(`{"a":1}\ntext\n[${long.toString()}]\nend\n`)
  expect(given).toContain(long)
})
