// Which of Avro's logical types an annotation in a schema is. One that is unknown, or does not fit its type is ignored, as the
// specification demands. Kafka Connect's own (connect.name) are no logical types.

/** Units of time as digits of a second. `zone`: what its text ends with. */
export type AvroLogical =
  | { readonly kind: 'decimal'; readonly scale: number }
  | { readonly kind: 'big-decimal' | 'uuid' | 'date' | 'duration' }
  | { readonly kind: 'time'; readonly digits: number }
  | { readonly kind: 'timestamp'; readonly digits: number; readonly zone: 'Z' | '' }

/** Logical types that depend on nothing but the Avro type. */
const PLAIN = new Map<string, AvroLogical>([
  ['bytes big-decimal', { kind: 'big-decimal' }],
  ['string uuid', { kind: 'uuid' }],
  ['int date', { kind: 'date' }],
  ['int time-millis', { kind: 'time', digits: 3 }],
  ['long time-micros', { kind: 'time', digits: 6 }],
  ['long timestamp-millis', { kind: 'timestamp', digits: 3, zone: 'Z' }],
  ['long timestamp-micros', { kind: 'timestamp', digits: 6, zone: 'Z' }],
  ['long timestamp-nanos', { kind: 'timestamp', digits: 9, zone: 'Z' }],
  ['long local-timestamp-millis', { kind: 'timestamp', digits: 3, zone: '' }],
  ['long local-timestamp-micros', { kind: 'timestamp', digits: 6, zone: '' }],
  ['long local-timestamp-nanos', { kind: 'timestamp', digits: 9, zone: '' }],
])

/** @param type the Avro type annotated
 *  @param size of a fixed */
export function avroLogical(
  definition: Readonly<Record<string, unknown>>,
  type: string,
  size?: number,
): AvroLogical | undefined {
  const name = definition['logicalType']
  if (name === 'decimal' && (type === 'bytes' || type === 'fixed')) return decimal(definition, size)
  if (type !== 'fixed') return PLAIN.get(`${type} ${String(name)}`)
  if (name === 'uuid' && size === 16) return { kind: 'uuid' }
  return name === 'duration' && size === 12 ? { kind: 'duration' } : undefined
}

function decimal(definition: Readonly<Record<string, unknown>>, size: number | undefined): AvroLogical | undefined {
  const { precision, scale = 0 } = definition
  const most = size === undefined ? MOST_INT : Math.floor(Math.log10(2) * (8 * size - 1))
  if (!isInt(precision) || !isInt(scale)) return undefined
  return precision > 0 && precision <= most && scale >= 0 && scale <= precision ? { kind: 'decimal', scale } : undefined
}

const MOST_INT = 2 ** 31 - 1

function isInt(value: unknown): value is number {
  return typeof value === 'number' && value === (value | 0)
}
