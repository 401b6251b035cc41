// Which states wait for which records, from the bytes of the input to what the ledger says is due.

import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Ledger } from '../core/ledger.ts'
import { CheckpointRules, trackNameOf, type Scope } from '../core/testing/checkpoint-rules.ts'
import type { Track } from '../core/types.ts'
import { factsOf } from '../mapping/testing/facts.ts'
import { sourceOf } from './testing/stdin-source.ts'

interface Descriptor {
  readonly name: string
  readonly namespace: string | null | undefined
}

const NAMES = ['t', 'u', 'gone', 'é"\\']
const descriptor = fc.record<Descriptor>({
  name: fc.constantFrom(...NAMES),
  namespace: fc.constantFrom(undefined, null, '', 'a', 'b'),
})
const inCatalog = fc.uniqueArray(descriptor, { minLength: 1, maxLength: 5, selector: keyOf })
/** No stream_descriptor that names a stream, and what is no STREAM state. */
const coversAll = fc.constantFrom(
  '{"type":"STREAM"}',
  '{"type":"STREAM","stream":null}',
  '{"type":"STREAM","stream":{"stream_descriptor":null}}',
  '{"type":"STREAM","stream":{"stream_descriptor":"t"}}',
  '{"type":"STREAM","stream":{"stream_descriptor":{}}}',
  '{"type":"STREAM","stream":{"stream_descriptor":{"name":5}}}',
  '{"type":"STREAM","stream":{"stream_descriptor":{"name":"gone","namespace":5}}}',
  '{"type":"GLOBAL","global":{"stream_states":[{"stream_descriptor":{"name":"gone"}}]}}',
  '{"type":"LEGACY","data":{}}',
  '{"data":{}}',
)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('record' as const), which: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('stream state' as const), of: descriptor }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('other state' as const), state: coversAll }) },
)

function keyOf({ name, namespace }: Pick<Track, 'name'> & { readonly namespace?: string | null | undefined }): string {
  return JSON.stringify([namespace || '', name])
}

const factsOfEach = (catalog: readonly Descriptor[]) =>
  catalog.map(({ name, namespace }) => factsOf({ name, namespace: namespace || undefined }))

it('a state waits for the records it covers and counts them, one of a stream the catalog does not name waits for all and counts none', async () => {
  await fc.assert(
    fc.asyncProperty(
      inCatalog,
      fc.array(step, { maxLength: 30 }),
      fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
      async (catalog, steps, order) => {
        // eslint-disable-next-line @typescript-eslint/require-await -- an input is asynchronous
        const { source, streams } = sourceOf(factsOfEach(catalog), async function* () {
          yield Buffer.from(lines.join('\n'))
        })
        const tracks = new Map(streams.map(({ mapping }) => [keyOf(mapping.track), mapping.track]))
        const lines = steps.map((one) => {
          if (one.what === 'other state') return `{"type":"STATE","state":${one.state}}`
          if (one.what === 'stream state')
            return `{"type":"STATE","state":{"type":"STREAM","stream":{"stream_descriptor":${JSON.stringify(one.of)}}}}`
          const { name, namespace } = catalog[one.which % catalog.length]!
          return `{"type":"RECORD","record":{"stream":${JSON.stringify(name)},"namespace":${JSON.stringify(namespace || null)},"data":{"id":1},"emitted_at":1}}`
        })
        const ledger = new Ledger<string>()
        const rules = new CheckpointRules()
        const scopes: Scope[] = []
        const due: string[] = []
        const takeDue = (): void => {
          const found: string[] = []
          for (let next = ledger.take(); next; next = ledger.take()) {
            const id = Number(next.checkpoint)
            found.push(`${id} ${trackNameOf(scopes[id]!)} ${next.counts.written}+${next.counts.rejected}`)
          }
          expect(found.sort()).toEqual(rules.take().sort())
          due.push(...found)
        }
        let at = 0
        for await (const items of source.read(new AbortController().signal)) {
          for (const item of items) {
            const one = steps[at++]!
            if (item.kind === 'record') {
              const track = tracks.get(keyOf(catalog[(one as { which: number }).which % catalog.length]!))!
              expect(item.track).toBe(track)
              rules.records.push({ track, segment: ledger.receive(item.track), how: undefined, counted: false })
            } else if (item.kind === 'checkpoint') {
              const id = scopes.push(one.what === 'stream state' ? (tracks.get(keyOf(one.of)) ?? 'none') : 'all') - 1
              rules.checkpoint(id, scopes[id]!)
              ledger.checkpoint({ ...item, checkpoint: String(id) })
            }
            takeDue()
          }
        }
        expect(at).toBe(steps.length)
        for (const which of order) {
          const open = rules.records.filter(({ how }) => how === undefined)
          const record = open[which % Math.max(1, open.length)]
          if (record === undefined) break
          record.how = which % 3 === 0 ? 'rejected' : 'written'
          ledger.settle(record.segment, 1, record.how)
          takeDue()
        }
        expect(due.length).toBe(scopes.length)
        // the run's figures know the catalog's streams only
        expect(ledger.takeChanged().every(({ track }) => tracks.get(keyOf(track)) === track)).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})
