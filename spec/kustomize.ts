// Kustomize, as far as deploy/kubernetes uses it: what the objects of a folder are, and of which files. A field it does not know is
// an error, as is a file that is not there. The hash behind a generated name is left out.

import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

export interface Built<T> {
  /** In the order of the resources, generated ones last. */
  readonly objects: readonly T[]
  /** Absolute paths of all that was read. */
  readonly files: readonly string[]
}

interface Kustomization {
  readonly apiVersion: string
  readonly kind: string
  readonly resources?: readonly string[]
  readonly patches?: readonly { readonly path: string }[]
  readonly configMapGenerator?: readonly {
    readonly name: string
    readonly files: readonly string[]
    readonly options: { readonly labels: object }
  }[]
  readonly images?: readonly { readonly name: string; readonly newName: string }[]
}

const KIND = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }
/** What an overlay may take in: its objects are patches. */
const COMPONENT = { apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component' }
const FIELDS = new Set([...Object.keys(KIND), 'resources', 'patches', 'configMapGenerator', 'images'])

/** @param T what the objects are taken for */
export function built<T>(folder: string): Built<T> {
  const own = join(folder, 'kustomization.yaml')
  const kustomization = parse(readFileSync(own, 'utf8')) as Kustomization
  const { apiVersion, kind, resources = [], patches = [], configMapGenerator = [], images = [] } = kustomization
  assert.deepEqual({ apiVersion, kind }, kind === COMPONENT.kind ? COMPONENT : KIND, own)
  assert(patches.length === 0 || kind === COMPONENT.kind, own)
  for (const field of Object.keys(kustomization)) assert(FIELDS.has(field), `${own}: ${field}`)
  const parts = [
    ...[...resources, ...patches.map(({ path }) => path)].map((path) => partOf<T>(join(folder, path))),
    ...configMapGenerator.map((one) => generated<T>(folder, one)),
  ]
  const objects = parts.flatMap((part) => part.objects).map((object) => renamed(object, images))
  return { objects, files: [own, ...parts.flatMap((part) => part.files)] }
}

function partOf<T>(path: string): Built<T> {
  if (statSync(path).isDirectory()) return built(path)
  const documents = parseAllDocuments(readFileSync(path, 'utf8'))
  if ('empty' in documents) throw new Error(`${path} is empty`)
  for (const { errors, warnings } of documents) assert.deepEqual([...errors, ...warnings], [], path)
  return { objects: documents.map((document) => document.toJS() as T), files: [path] }
}

type Generator = NonNullable<Kustomization['configMapGenerator']>[number]

function generated<T>(folder: string, { name, files, options: { labels } }: Generator): Built<T> {
  const data = Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data }
  return { objects: [object as T], files: files.map((file) => join(folder, file)) }
}

/** With each image's name replaced, its tag kept. */
function renamed<T>(object: T, images: NonNullable<Kustomization['images']>): T {
  const text = JSON.stringify(object, (key, value: unknown) => {
    if (key !== 'image' || typeof value !== 'string') return value
    const [name, tag] = value.split(':')
    const image = images.find((one) => one.name === name)
    return image === undefined ? value : `${image.newName}:${tag}`
  })
  return JSON.parse(text) as T
}
