// What the mappers of all streams and topics of a run share. They map one record at a time, so scratch objects are there once, however
// many mappers there are. Only the bytes of a record's prefix, which is what stands in front of its own members (row-prefix.ts), outlast
// the record: they stay until `reset`.

import { Scanner } from '../json/scanner.ts'
import { Occurrences } from './occurrences.ts'
import { Provenance } from './provenance.ts'
import { DigestSpace } from './row-id.ts'

const FIRST_BYTES = 64 * 1024
/** Members that the scanner has room for at first: it scans keys. */
const FIRST_MEMBERS = 8

/** The mappers' scratch objects, and the buffer of their prefixes. A caller calls `reserve`, writes to `bytes` from `at` on, and moves
 *  `at` behind what it wrote. */
export class MapperSpace {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES)
  /** The place in `bytes` where the next prefix is written. */
  at = 0
  /** Used for one scan after another, each finished before the next begins. */
  readonly scanner = new Scanner(FIRST_MEMBERS)
  /** This and the next are for ids of records that are rows of their own (row-id.ts). */
  readonly digests = new DigestSpace()
  readonly occurrences = new Occurrences()
  readonly provenance: Provenance

  /** @param provenance by default that of records that are only looked at, and have no run and no time */
  constructor(provenance: Provenance = new Provenance('', () => 0)) {
    this.provenance = provenance
  }

  /** Makes room for `size` bytes at `at` of `bytes`. Both may change: a new buffer is written from 0 on. */
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

  /** Drops the scanner's reference to the bytes of the last record; nothing else here has one. */
  forget(): void {
    this.scanner.forget()
  }
}
