// The names by which links reach a page's headings, and the rows of its tables that have one.

/** As pages are shown: small letters, blanks to dashes, marks left out. */
export function anchors(page: string): Set<string> {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
  const given = [...page.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id!)
  return new Set([...headings.map(anchorOf), ...given])
}

export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
