// Which of our own paths, those under /_local, a request line names.

import { percentDecoded } from './read-request.ts'

interface TablePlace {
  /** Percent-decoded; undefined when malformed. */
  readonly table: string | undefined
  readonly query: string
}

export type LocalRoute =
  | { readonly kind: 'list-faults' }
  | { readonly kind: 'script-fault' }
  | { readonly kind: 'clear-faults' }
  | { readonly kind: 'remove-fault'; readonly id: number }
  | { readonly kind: 'list-tables' }
  | { readonly kind: 'remove-tables'; readonly query: string }
  | ({ readonly kind: 'remove-table' } & TablePlace)
  | ({ readonly kind: 'read-table' } & TablePlace)
  | ({ readonly kind: 'page-of-table' } & TablePlace)
  | ({ readonly kind: 'row-of-table'; readonly n: string } & TablePlace)
  | { readonly kind: 'overview'; readonly query: string }
  | { readonly kind: 'bodies-of-request'; readonly n: number }
  | { readonly kind: 'read-settings' }
  | { readonly kind: 'change-settings' }
  | { readonly kind: 'reset-settings' }
  | { readonly kind: 'sql' }
  | { readonly kind: 'page-file'; readonly name: string }
  | { readonly kind: 'to-page' }

type Methods = Readonly<Record<string, LocalRoute>>

/** The routes at this path by their methods; undefined: there is none. `segments`: behind `_local`. */
export function localPath(segments: readonly string[], query: string): Methods | undefined {
  const [noun, item, ...rest] = segments
  if (noun === 'tables' && item !== undefined) return tablePath(percentDecoded(item), rest, query)
  if (rest.length > 0) return undefined
  if (noun === 'page' && item !== undefined) return { GET: { kind: 'page-file', name: item } }
  const number = /^[1-9]\d{0,14}$/.test(item ?? '') ? Number(item) : undefined
  if (noun === 'faults' && number !== undefined) return { DELETE: { kind: 'remove-fault', id: number } }
  if (noun === 'requests' && number !== undefined) return { GET: { kind: 'bodies-of-request', n: number } }
  return item === undefined ? whole(noun, query) : undefined
}

function whole(noun: string | undefined, query: string): Methods | undefined {
  switch (noun) {
    case undefined:
      return { GET: { kind: 'to-page' } }
    case '':
      return { GET: { kind: 'page-file', name: 'index.html' } }
    case 'faults':
      return { GET: { kind: 'list-faults' }, POST: { kind: 'script-fault' }, DELETE: { kind: 'clear-faults' } }
    case 'tables':
      return { GET: { kind: 'list-tables' }, DELETE: { kind: 'remove-tables', query } }
    case 'overview':
      return { GET: { kind: 'overview', query } }
    case 'settings':
      return {
        GET: { kind: 'read-settings' },
        POST: { kind: 'change-settings' },
        DELETE: { kind: 'reset-settings' },
      }
    case 'sql':
      return { POST: { kind: 'sql' } }
    default:
      return undefined
  }
}

function tablePath(table: string | undefined, rest: readonly string[], query: string): Methods | undefined {
  const [rows, n, ...more] = rest
  if (rows === undefined) {
    return { GET: { kind: 'read-table', table, query }, DELETE: { kind: 'remove-table', table, query } }
  }
  if (rows !== 'rows' || more.length > 0) return undefined
  if (n === undefined) return { GET: { kind: 'page-of-table', table, query } }
  return { GET: { kind: 'row-of-table', table, n, query } }
}
