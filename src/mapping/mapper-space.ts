// What the mappers of all streams and topics of a run share. They map one record at a time, so what one needs only meanwhile is there
// once, however many mappers there are. Only the bytes of a record's prefix outlast the record: they stay until `reset`.

import { Scanner } from '../json/scanner.ts'
import { Occurrences } from './occurrences.ts'
import { Provenance } from './provenance.ts'
import { DigestSpace } from './row-id.ts'

const FIRST_BYTES = 64 * 1024

/** The mappers' common space. Prefixes are written to `bytes` from `at` on: `reserve` first, then write there, then move `at`. */
export class MapperSpace {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  at = 0
  /** For what is scanned and done with before another one scans. */
  readonly scanner = new Scanner(8)
  readonly digests = new DigestSpace()
  readonly occurrences = new Occurrences()
  readonly provenance: Provenance

  /** @param provenance by default that of records that are mapped only to be looked at */
  constructor(provenance: Provenance = new Provenance('', () => 0)) {
    this.provenance = provenance
  }

  /** Makes room for `size` bytes at `at` of `bytes`, which may be another buffer than before. */
  reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return
    // items are still views of the old one
    this.bytes = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, size))
    this.at = 0
  }

  /** Call this for each chunk of input, when nothing in it is needed any more. */
  reset(): void {
    this.at = 0
    this.provenance.nextChunk()
  }

  /** Drops references to the bytes of the last record. */
  forget(): void {
    this.scanner.forget()
  }
}
