// Columns of Debezium rows that look like decimals nobody can read any more: base64, without the schema that says so
// (decisions.md#debezium-decimals-are-exact-texts). A guess from a sample. Knows no policy.

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
/** Of 48 bytes: more than any database's usual decimals. */
const LONGEST = 64
const MOST_COLUMNS = 1000
const UNAVAILABLE = '__debezium_unavailable_value'

interface Seen {
  /** Every value but null so far is base64. */
  isBase64: boolean
  /** One ends as only base64 does: words of four letters are base64 too. */
  isSure: boolean
}

export class Base64Columns {
  readonly #columns = new Map<string, Seen>()

  /** @param value of a record, JSON or not */
  note(value: Buffer): void {
    for (const [name, cell] of Object.entries(rowOf(value) ?? {})) {
      if (cell === null || cell === UNAVAILABLE) continue
      const text = isVariableScale(cell) ? cell.value : cell
      const isBase64 = typeof text === 'string' && text.length <= LONGEST && text !== '' && BASE64.test(text)
      const isSure = isBase64 && (text !== cell || text.endsWith('='))
      const seen = this.#columns.get(name)
      if (seen) {
        seen.isBase64 &&= isBase64
        seen.isSure ||= isSure
      } else if (this.#columns.size < MOST_COLUMNS) this.#columns.set(name, { isBase64, isSure })
    }
  }

  get names(): readonly string[] {
    return [...this.#columns].flatMap(([name, { isBase64, isSure }]) => (isBase64 && isSure ? [name] : []))
  }
}

/** undefined: there is none, or its decimals can be read. */
function rowOf(value: Buffer): Readonly<Record<string, unknown>> | undefined {
  const whole = parsed(value)
  if (!isObject(whole)) return undefined
  const isWrapped = Object.keys(whole).length === 2 && 'schema' in whole && 'payload' in whole
  if (isWrapped && isObject(whole['schema'])) return undefined
  const payload = isWrapped && whole['schema'] === null ? whole['payload'] : whole
  if (!isObject(payload)) return undefined
  const isEnvelope = 'op' in payload && ('after' in payload || 'before' in payload)
  const row = isEnvelope ? (payload['after'] ?? payload['before']) : payload
  return isObject(row) ? row : undefined
}

function isVariableScale(cell: unknown): cell is { readonly scale: number; readonly value: string } {
  if (!isObject(cell) || Object.keys(cell).length !== 2) return false
  return typeof cell['scale'] === 'number' && typeof cell['value'] === 'string'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parsed(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString())
  } catch {
    return undefined
  }
}
