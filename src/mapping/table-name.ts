// Names a stream's table by the stream's name alone, so that it never depends on the rest of the catalog. No release changes a name.

import { createHash } from 'node:crypto'

/** Makes prefix + (namespace + `_`, if any) + stream name, with each code point outside `[A-Za-z0-9_]` replaced by one `_`. Case stays,
 *  and nothing is collapsed or cut. A name without any letter or digit becomes `t_` + six hex digits of SHA-256 over namespace, U+0000,
 *  name (UTF-8). See decisions.md#a-table-is-named-by-its-stream-alone.
 *  @param names `hashed`: a name with such a character or a namespace ends with `_` and those digits; `refuse`: it does not, and streams
 *  that so have the same name are refused (table-places.ts) */
export function tableNameOf(
  namespace: string | undefined,
  name: string,
  prefix = '',
  names: 'refuse' | 'hashed' = 'refuse',
): string {
  const joined = namespace === undefined ? name : `${namespace}_${name}`
  const cleanPrefix = cleaned(prefix)
  const clean = cleaned(joined)
  if (!/[A-Za-z0-9]/.test(clean)) return `${cleanPrefix}t_${digits(namespace, name)}`
  const isAltered = clean !== name || cleanPrefix !== prefix
  const end = isAltered && names === 'hashed' ? `_${digits(namespace, name)}` : ''
  return cleanPrefix + clean + end
}

function cleaned(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_]/gu, '_')
}

function digits(namespace: string | undefined, name: string): string {
  return createHash('sha256')
    .update(`${namespace ?? ''}\0${name}`, 'utf8')
    .digest('hex')
    .slice(0, 6)
}
