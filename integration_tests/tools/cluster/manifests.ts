// The folders of deploy/kubernetes, made by Kustomize and sent to an API server as `kubectl apply` would, without being kept.
// Knows how they are made and sent, not what the answers should be.

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { DEFINITIONS } from '../test-parts/cluster.ts'
import type { Answer, ApiServer } from './api-server.ts'

export const FOLDER = new URL('../../../deploy/kubernetes/', import.meta.url).pathname

export interface Sent {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

/** What Kustomize makes of a folder. @param programs the folder with it @throws with its words */
export async function made(programs: string, folder: string): Promise<Sent[]> {
  const { stdout } = await promisify(execFile)(join(programs, 'kustomize'), [folder])
  return parseAllDocuments(stdout).map((document) => document.toJS() as Sent)
}

/** Makes custom resources known, and waits for it. @param programs the folder with their definitions */
export async function define(server: ApiServer, programs: string, signal: AbortSignal): Promise<void> {
  const folder = join(programs, DEFINITIONS)
  for (const file of readdirSync(folder)) {
    const definition = parse(readFileSync(join(folder, file), 'utf8')) as Sent & { readonly spec: Definition }
    const { status, text } = await server.ask(
      'POST',
      pathOf(definition, 'customresourcedefinitions', false),
      definition,
    )
    if (status !== 201) throw new Error(`${file}: ${status}: ${text}`)
    const { group, names, versions } = definition.spec
    const { name } = versions.find(({ served }) => served)!
    await server.until(`/apis/${group}/${name}/${names.plural}`, signal)
  }
}

interface Definition {
  readonly group: string
  readonly names: { readonly plural: string }
  readonly versions: readonly { readonly name: string; readonly served: boolean }[]
}

/** The server looks at all of it, as strictly as it can, and keeps nothing. */
export function send(server: ApiServer, object: Sent): Promise<Answer> {
  const path = pathOf(object, `${object.kind.toLowerCase()}s`, true)
  return server.ask('POST', `${path}?dryRun=All&fieldValidation=Strict`, object)
}

function pathOf({ apiVersion }: Sent, plural: string, isNamespaced: boolean): string {
  const root = apiVersion.includes('/') ? 'apis' : 'api'
  return `/${root}/${apiVersion}/${isNamespaced ? 'namespaces/default/' : ''}${plural}`
}
