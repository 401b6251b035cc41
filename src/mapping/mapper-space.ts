// What the mappers of all streams and topics of a run share. They map one record at a time, so all that one needs only meanwhile is
// there once, however many of them there are. What of it outlasts the record is the bytes of its prefix.

import { Scanner } from '../json/scanner.ts'
import { IncomingChanges } from './incoming-changes.ts'
import { Occurrences } from './occurrences.ts'
import { Provenance } from './provenance.ts'
import { DigestSpace } from './row-id.ts'

const FIRST_BYTES = 64 * 1024

/** Prefixes are written to one buffer, which is reused for each chunk of input. Its bytes stay valid until `reset`. */
export class MapperSpace {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  at = 0
  /** A scanner for one user at a time. */
  readonly scanner = new Scanner(8)
  readonly changes = new IncomingChanges(this.scanner)
  readonly digests = new DigestSpace()
  readonly occurrences = new Occurrences()
  readonly provenance: Provenance

  /** @param provenance by default that of records that are only looked at */
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
