// An Avro schema as a tree. Types only.

import type { AvroLogical } from './avro-logical.ts'

export type AvroPrimitive = 'null' | 'boolean' | 'int' | 'long' | 'float' | 'double' | 'bytes' | 'string'

export type AvroType =
  | { readonly kind: AvroPrimitive; readonly logical: AvroLogical | undefined }
  | { readonly kind: 'array'; readonly items: AvroType }
  | { readonly kind: 'map'; readonly values: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }
  | AvroNamed
  | AvroLink

export interface AvroRecord {
  readonly kind: 'record'
  readonly fullName: string
  readonly fields: readonly AvroField[]
}

export type AvroNamed =
  | AvroRecord
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'fixed'; readonly size: number; readonly logical: AvroLogical | undefined }

export interface AvroField {
  readonly name: string
  readonly type: AvroType
}

/** A reference to a named type. Its target is set once the whole schema is parsed. */
export interface AvroLink {
  readonly kind: 'link'
  target: AvroNamed | undefined
}
