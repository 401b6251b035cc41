import { expect, test } from 'vitest'
import { avroLogical } from './avro-logical.ts'

test.each([
  [{ logicalType: 'decimal', precision: 4, scale: 2 }, 'bytes', undefined, { kind: 'decimal', scale: 2 }],
  [{ logicalType: 'decimal', precision: 4 }, 'bytes', undefined, { kind: 'decimal', scale: 0 }],
  [{ logicalType: 'decimal', precision: 4, scale: 4 }, 'fixed', 2, { kind: 'decimal', scale: 4 }],
  [{ logicalType: 'decimal', precision: 18 }, 'fixed', 8, { kind: 'decimal', scale: 0 }],
  [{ logicalType: 'big-decimal' }, 'bytes', undefined, { kind: 'big-decimal' }],
  [{ logicalType: 'uuid' }, 'string', undefined, { kind: 'uuid' }],
  [{ logicalType: 'uuid' }, 'fixed', 16, { kind: 'uuid' }],
  [{ logicalType: 'duration' }, 'fixed', 12, { kind: 'duration' }],
  [{ logicalType: 'date' }, 'int', undefined, { kind: 'date' }],
  [{ logicalType: 'time-millis' }, 'int', undefined, { kind: 'time', digits: 3 }],
  [{ logicalType: 'local-timestamp-nanos' }, 'long', undefined, { kind: 'timestamp', digits: 9, zone: '' }],
] as const)('%j on %s (%s) is known', (definition, type, size, logical) => {
  expect(avroLogical(definition, type, size)).toEqual(logical)
})

test.each([
  [{}, 'long', undefined],
  [{ logicalType: 'timestamp-picos' }, 'long', undefined],
  [{ logicalType: ['timestamp-millis'] }, 'string', undefined],
  [{ logicalType: null }, 'long', undefined],
  [{ logicalType: 'timestamp-millis' }, 'int', undefined],
  [{ logicalType: 'date' }, 'long', undefined],
  [{ logicalType: 'time-millis' }, 'long', undefined],
  [{ logicalType: 'time-micros' }, 'int', undefined],
  [{ logicalType: 'uuid' }, 'bytes', undefined],
  [{ logicalType: 'uuid' }, 'fixed', 15],
  [{ logicalType: 'duration' }, 'fixed', 16],
  [{ logicalType: 'big-decimal' }, 'fixed', 16],
  [{ logicalType: 'decimal', precision: 4 }, 'string', undefined],
  [{ logicalType: 'decimal' }, 'bytes', undefined],
  [{ logicalType: 'decimal', precision: '4' }, 'bytes', undefined],
  [{ logicalType: 'decimal', precision: 4.5 }, 'bytes', undefined],
  [{ logicalType: 'decimal', precision: 0 }, 'bytes', undefined],
  [{ logicalType: 'decimal', precision: 2 ** 31 }, 'bytes', undefined],
  [{ logicalType: 'decimal', precision: 4, scale: 5 }, 'bytes', undefined],
  [{ logicalType: 'decimal', precision: 4, scale: -1 }, 'bytes', undefined],
  [{ logicalType: 'decimal', precision: 4, scale: null }, 'bytes', undefined],
  [{ logicalType: 'decimal', precision: 19 }, 'fixed', 8],
  [{ logicalType: 'decimal', precision: 1 }, 'fixed', 0],
])('%j on %s (%s) is ignored', (definition, type, size) => {
  expect(avroLogical(definition, type, size)).toBeUndefined()
})
