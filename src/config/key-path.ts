// A key's path as users write it. Pure.

/** A text that begins with / is a JSON Pointer (RFC 6901), any other is a member's name. */
export function keyPathOf(path: string | readonly string[]): readonly string[] {
  if (typeof path !== 'string') return path
  if (!path.startsWith('/')) return [path]
  return path
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}
