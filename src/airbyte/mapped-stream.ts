// A stream of the catalog as a run knows it.

import type { FieldKinds } from '../mapping/field-kinds.ts'
import type { MapperSpace } from '../mapping/mapper-space.ts'
import { RecordMapper } from '../mapping/record-mapper.ts'
import type { StreamMapping } from '../mapping/stream-mapping.ts'
import type { Origin } from './record-line.ts'

export class MappedStream {
  readonly mapping: StreamMapping
  /** The last STREAM_STATUS of it on the input. */
  status: string | undefined = undefined
  /** Fields of its records. `undefined` when they are not asked for. */
  readonly fields: FieldKinds | undefined
  readonly #space: MapperSpace
  #mapper: RecordMapper<Origin> | undefined

  constructor(mapping: StreamMapping, space: MapperSpace, fields?: FieldKinds) {
    this.mapping = mapping
    this.fields = fields
    this.#space = space
  }

  /** Made at the first record: of thousands of streams most may have none. */
  get mapper(): RecordMapper<Origin> {
    return (this.#mapper ??= new RecordMapper<Origin>(this.mapping, this.#space))
  }
}
