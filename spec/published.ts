// Where the project can be found, all of it from one place: `homepage` of package.json, the address of its repository. As long as
// nobody has published it there is none, and nothing links anywhere.

import { readFileSync } from 'node:fs'
import { marksOf, renewedBetween } from './between-marks.ts'

const MARKS = marksOf('address')

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  readonly version: string
  readonly license: string
  readonly engines: { readonly node: string }
  readonly homepage?: string
}

/** Of package.json; undefined: nobody has published it. */
export function homepageOf(): string | undefined {
  return manifest.homepage
}

/** A file or folder of the repository, as GitHub and GitLab show it. @param homepage without a slash at its end */
export function pageAt(homepage: string, path: string): string {
  return `${homepage}/tree/HEAD/${path}`
}

/** What npm shows beside the homepage. */
export function addressesOf(homepage: string): { readonly repository: object; readonly bugs: string } {
  return { repository: { type: 'git', url: `git+${homepage}.git` }, bugs: `${homepage}/issues` }
}

/** README.md with its badges and links renewed; without a homepage it has none. */
export function renewedAddress(readme: string, homepage: string | undefined): string {
  return renewedBetween(readme, MARKS, homepage === undefined ? '' : addressLines(homepage))
}

function addressLines(homepage: string): string {
  const facts = { version: manifest.version, licence: manifest.license, node: manifest.engines.node }
  const badges = Object.entries(facts).map(([label, value]) => {
    const shown = encodeURIComponent(value.replaceAll('-', '--'))
    return `![${label} ${value}](https://img.shields.io/badge/${label}-${shown}-blue)`
  })
  const links = {
    Source: homepage,
    Releases: `${homepage}/releases`,
    'Questions and defects': addressesOf(homepage).bugs,
  }
  const named = Object.entries(links).map(([name, address]) => `[${name}](${address})`)
  return `${badges.join('\n')}\n\n${named.join(' · ')}`
}

/** metadata.yaml with the address of its documentation renewed. */
export function renewedMetadata(metadata: string, homepage: string | undefined): string {
  const without = metadata.replace(/^ {2}documentationUrl: .*\n/m, '')
  if (homepage === undefined) return without
  const line = `  documentationUrl: ${pageAt(homepage, 'docs/airbyte.md')}\n`
  return without.replace(/^ {2}githubIssueLabel:/m, (next) => `${line}${next}`)
}
