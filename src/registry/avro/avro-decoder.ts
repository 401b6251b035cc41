// Decodes Avro's binary values by their writer's schema. Each type is compiled once to a reader: it reads one value and writes its JSON. A
// record becomes an object in the schema's order, a union the value of its branch, bytes become base64. Logical types: avro-logical.ts.

import { doubleText, floatText } from '../json-number.ts'
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, JsonOutput, OPEN_BRACE, OPEN_BRACKET } from '../json-output.ts'
import { SchemaError, ValueError } from '../unreadable.ts'
import type { MakeDecoder, ValueDecoder } from '../types.ts'
import { AvroInput } from './avro-input.ts'
import { logicalBytes, logicalNumber, variableScaleDecimal } from './avro-logical.ts'
import { parseRegistered } from './avro-schema.ts'
import type { AvroField, AvroNamed, AvroPrimitive, AvroRecord, AvroType, Definition } from './avro-schema.ts'

export const avroDecoder: MakeDecoder = (schema, mostBytes) => {
  try {
    const root = parseRegistered(schema)
    // in the registry's wire format, a value that is just bytes has no length in front
    const read = root.kind === 'bytes' ? bareReader(sizeLeft, logicalBytes(root.definition)) : new Compiler().root(root)
    return { type: 'AVRO', decode: decodeBy(read, nameReader(root), new JsonOutput(mostBytes)) }
  } catch (error) {
    if (error instanceof SchemaError) return { problem: error.message }
    throw error
  }
}

/** Returns the full name of the record that begins at `input.at`, which it may move. `undefined` when the value is no record. */
type NameReader = (input: AvroInput) => string | undefined

function nameReader(root: AvroType): NameReader {
  if (root.kind !== 'union') return () => recordName(root)
  const names = root.branches.map(recordName)
  return (input) => names[Number(input.readLong())]
}

function recordName(type: AvroType): string | undefined {
  const named = type.kind === 'link' ? type.target : type
  return named?.kind === 'record' ? named.fullName : undefined
}

function decodeBy(read: AvroReader, nameOf: NameReader, output: JsonOutput): ValueDecoder['decode'] {
  const input = new AvroInput()
  return (bytes, from) => {
    input.load(bytes, from)
    output.begin(bytes.length - from)
    try {
      const name = nameOf(input)
      input.at = from // back to where the name reader began
      read(input, output)
      if (input.at === input.end) return { json: output.take(), name }
      return { problem: 'goes on after what its schema describes' }
    } catch (error) {
      if (error instanceof ValueError) return { problem: error.words() }
      throw error
    } finally {
      input.unload()
      output.drop()
    }
  }
}

/** Reads one value at `input.at`, and writes its JSON. Throws a ValueError. */
type AvroReader = (input: AvroInput, output: JsonOutput) => void

type Write = ReturnType<typeof logicalBytes>

/** Makes the reader of bytes that have no length in front. */
function bareReader(lengthOf: (input: AvroInput) => number, write: Write): AvroReader {
  return (input, output) => {
    const from = input.take(lengthOf(input))
    write(output, input.bytes, from, input.at)
  }
}

function sizeLeft({ at, end }: AvroInput): number {
  return Math.max(end - at, 0)
}

/** Makes readers of types. A record's reader is made before those of its fields, because a record may contain itself. */
class Compiler {
  readonly #named = new Map<AvroNamed, AvroReader>()
  /** Records whose fields have no readers yet. Those of the fields are to be added to `readers`. */
  readonly #unfilled: { readonly type: AvroRecord; readonly readers: AvroReader[] }[] = []

  /** Makes the reader of a whole schema. Fields are filled in by a loop, not by recursion: a chain of records in records may be long. */
  root(type: AvroType): AvroReader {
    const reader = this.#reader(type)
    for (let next = this.#unfilled.pop(); next !== undefined; next = this.#unfilled.pop()) {
      for (const field of next.type.fields) next.readers.push(this.#reader(field.type))
    }
    return reader
  }

  #reader(type: AvroType): AvroReader {
    if (type.kind === 'array') return arrayReader(this.#reader(type.items))
    if (type.kind === 'map') return mapReader(this.#reader(type.values))
    if (type.kind === 'union') return unionReader(type.branches.map((branch) => this.#reader(branch)))
    if (type.kind === 'link') return this.#namedReader(type.target!)
    if (type.kind === 'record' || type.kind === 'enum' || type.kind === 'fixed') return this.#namedReader(type)
    return PRIMITIVES[type.kind](type.definition)
  }

  #namedReader(type: AvroNamed): AvroReader {
    const known = this.#named.get(type)
    if (known !== undefined) return known
    const reader = this.#makeNamed(type)
    this.#named.set(type, reader)
    return reader
  }

  #makeNamed(type: AvroNamed): AvroReader {
    if (type.kind === 'enum') return enumReader(type.symbols)
    if (type.kind === 'fixed') return bareReader(() => type.size, logicalBytes(type.definition, type.size))
    if (isVariableScaleDecimal(type)) return variableScaleDecimal
    const readers: AvroReader[] = []
    this.#unfilled.push({ type, readers })
    return recordReader(type.fields, readers)
  }
}

/** Whether a record is Debezium's type for decimals of columns without a fixed scale (formats.md#debezium). */
function isVariableScaleDecimal({ fullName, fields }: AvroRecord): boolean {
  if (fullName !== 'io.debezium.data.VariableScaleDecimal') return false
  return fields.map(({ name, type }) => `${name} ${type.kind}`).join() === 'scale int,value bytes'
}

/** Makes the reader of a record. Those of its fields, `readers`, are added later. */
function recordReader(fields: readonly AvroField[], readers: readonly AvroReader[]): AvroReader {
  const openings = fields.map(({ name }, index) => Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`))
  const end = Buffer.from(fields.length === 0 ? '{}' : '}')
  return (input, output) => {
    input.enter()
    let index = 0
    try {
      for (; index < openings.length; index++) {
        output.literal(openings[index]!)
        readers[index]!(input, output)
      }
    } catch (error) {
      throw error instanceof ValueError ? error.within(fields[index]!.name) : error
    }
    output.literal(end)
    input.depth--
  }
}

function enumReader(symbols: readonly string[]): AvroReader {
  const literals = symbols.map((symbol) => Buffer.from(JSON.stringify(symbol)))
  return (input, output) => {
    const literal = literals[input.readInt()]
    if (literal === undefined) throw new ValueError('holds a symbol that its enum lacks')
    output.literal(literal)
  }
}

function unionReader(branches: readonly AvroReader[]): AvroReader {
  return (input, output) => {
    const branch = branches[Number(input.readLong())]
    if (branch === undefined) throw new ValueError('holds a branch that its union lacks')
    branch(input, output)
  }
}

function arrayReader(items: AvroReader): AvroReader {
  return (input, output) => {
    input.enter()
    output.byte(OPEN_BRACKET)
    let first = true
    for (let count = input.readBlock(); count > 0; count = input.readBlock()) {
      for (; count > 0; count--) {
        if (first) first = false
        else output.byte(COMMA)
        const from = input.at
        items(input, output)
        if (input.at === from) input.countEmpty()
      }
    }
    output.byte(CLOSE_BRACKET)
    input.depth--
  }
}

/** Reads a map; of entries with one key the last one counts, as in Avro's own maps. */
function mapReader(values: AvroReader): AvroReader {
  return (input, output) => {
    input.enter()
    output.byte(OPEN_BRACE)
    // where each entry begins in the output, and the index of the last entry of each key
    const starts: number[] = []
    const lastOfKey = new Map<string, number>()
    for (let count = input.readBlock(); count > 0; count = input.readBlock()) {
      for (; count > 0; count--) {
        if (starts.length > 0) output.byte(COMMA)
        const from = input.readSized()
        const key = input.bytes.toString('latin1', from, input.at)
        lastOfKey.set(key, starts.length)
        starts.push(output.at)
        output.string(input.bytes, from, input.at)
        output.byte(COLON)
        values(input, output)
      }
    }
    if (lastOfKey.size < starts.length) {
      const kept = [...lastOfKey.values()].sort((a, b) => a - b)
      output.keepEntries(starts, kept)
    }
    output.byte(CLOSE_BRACE)
    input.depth--
  }
}

const NULL = Buffer.from('null')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')

function readBoolean(input: AvroInput, output: JsonOutput): void {
  const byte = input.bytes[input.take(1)]!
  if (byte > 1) throw new ValueError('holds a boolean that is neither true nor false')
  output.literal(byte === 1 ? TRUE : FALSE)
}

/** Makes the reader of bytes that have their length in front. */
function sizedReader(write: Write): AvroReader {
  return (input, output) => {
    const from = input.readSized()
    write(output, input.bytes, from, input.at)
  }
}

const PRIMITIVES: Readonly<Record<AvroPrimitive, (definition: Definition) => AvroReader>> = {
  null: () => (_, output) => output.literal(NULL),
  boolean: () => readBoolean,
  int: (definition) => logicalNumber('int', definition),
  long: (definition) => logicalNumber('long', definition),
  float: () => (input, output) => output.ascii(floatText(input.float())),
  double: () => (input, output) => output.ascii(doubleText(input.double())),
  bytes: (definition) => sizedReader(logicalBytes(definition)),
  string: () => sizedReader((output, bytes, from, to) => output.string(bytes, from, to)),
}
