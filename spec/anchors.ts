// The names by which links reach a page's headings.

/** As pages are shown: small letters, blanks to dashes, marks left out. */
export function anchors(page: string): Set<string> {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
  return new Set(headings.map(anchorOf))
}

export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}
