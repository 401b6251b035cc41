// The CycloneDX list of what the package holds: `npm sbom` of the lock file, with what changes from call to call (serial number,
// time, the folder's name) made from the commit instead.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'

/** What a release is made of. */
export interface Commit {
  /** 40 hex digits. */
  readonly id: string
  /** When it was made, ISO 8601 in UTC. */
  readonly time: string
}

interface Component {
  name: string
  readonly version: string
  readonly scope: string
  readonly 'bom-ref': string
}

interface Bom {
  serialNumber: string
  readonly metadata: { timestamp: string; readonly component: Component }
  components: readonly Component[]
  dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** @param root the checkout. @throws what git says where there is none */
export function commitOf(root: string): Commit {
  const said = execFileSync('git', ['log', '-1', '--format=%H %ct'], { cwd: root, encoding: 'utf8' })
  const [id = '', seconds] = said.trim().split(' ')
  return { id, time: new Date(Number(seconds) * 1000).toISOString() }
}

/** What npm says of every package of the lock file. Its own `--omit` leaves out a package that something else names as optional,
 *  though the program needs it. @throws when npm fails */
export function npmSbom(root: string): string {
  const options = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']
  return execFileSync('npm', options, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Of what npm said: the packages that the program needs, nothing that only builds or tests, and nothing that changes.
 *  @param said of `npm sbom`. @param name of the package */
export function sameSbom(said: string, name: string, { id, time }: Commit): string {
  const bom = JSON.parse(said) as Bom
  bom.serialNumber = `urn:uuid:${uuidOf(`${name} ${id}`)}`
  bom.metadata.timestamp = time
  bom.metadata.component.name = name
  bom.components = bom.components.filter(({ scope }) => scope === 'required')
  const kept = new Set([bom.metadata.component, ...bom.components].map((it) => it['bom-ref']))
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((it) => kept.has(it)) }))
  return `${JSON.stringify(bom, null, 2)}\n`
}

/** Packages whose licences lie beside the bundle, and which the list leaves out. rolldown's own few lines belong to the bundler. */
export function missingIn(sbom: string, licenses: string): string[] {
  const listed = new Set((JSON.parse(sbom) as Bom).components.map(({ name, version }) => `${name} ${version}`))
  const bundled = Array.from(licenses.matchAll(/^(@?\S+ \d+\.\d+\.\d+\S*) \(\S+\)$/gm), ([, title]) => title!)
  if (bundled.length === 0) throw new Error('THIRD-PARTY-LICENSES names no package.')
  return bundled.filter((title) => !title.startsWith('rolldown ') && !listed.has(title))
}

/** A UUID by what it is made of (version 8, RFC 9562). */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
