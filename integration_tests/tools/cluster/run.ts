// The manifests of deploy/kubernetes at a real API server, as a part of `npm run test:deploy`: what it has to say of each.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { built } from '../../../spec/kustomize.ts'
import { cluster } from '../test-parts/cluster.ts'
import { findPart, partsFolder } from '../test-parts/part.ts'
import { ApiServer } from './api-server.ts'
import { define, FOLDER, made, send, type Sent } from './manifests.ts'

type Attempt = (title: string, work: () => Promise<unknown>) => Promise<boolean>

const FOLDERS = ['overlay', 'keda', 'prometheus-operator']

/** @returns why nothing was tried, if so */
export async function tryManifests(
  env: NodeJS.ProcessEnv,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<string | undefined> {
  const part = cluster(env)
  const programs = await findPart(partsFolder(env), part)
  if (programs === undefined)
    return (await part.obstacle(signal)) ?? 'it is not there: npm run fetch:test-parts -- cluster'
  const objects: Sent[] = []
  const isMade = await attempt('Kustomize makes of each folder what the specs take it for', async () => {
    for (const folder of FOLDERS) objects.push(...(await asExpected(programs, folder)))
  })
  if (!isMade) return undefined
  await attempt('an API server takes every object, and none of which a field is misspelt', async () => {
    await using server = await ApiServer.start(programs, signal)
    await define(server, programs, signal)
    for (const object of objects) await judged(server, object)
  })
  return undefined
}

/** But for the hash of a generated name, and the order of the objects. */
async function asExpected(programs: string, folder: string): Promise<Sent[]> {
  const objects = await made(programs, join(FOLDER, folder))
  const unhashed = JSON.parse(
    JSON.stringify(objects).replaceAll(/(?<="analytics-stream)-[0-9a-z]{10}(?=")/g, ''),
  ) as Sent[]
  assert.deepEqual(byKind(unhashed), byKind(built<Sent>(join(FOLDER, folder)).objects))
  return objects
}

function byKind(objects: readonly Sent[]): Readonly<Record<string, Sent>> {
  const named = Object.fromEntries(objects.map((object) => [object.kind, object]))
  assert.equal(Object.keys(named).length, objects.length)
  return named
}

/** Whose names anybody may choose: they are in no type. */
const FREE = /^(?:annotations|data|labels|matchLabels|stringData)$/
/** The same by kind, where a name is free in some objects only. */
const FREE_OF: Readonly<Record<string, RegExp>> = {
  Service: /^spec\.selector$/,
  ScaledObject: /^spec\.triggers\.\d+\.metadata$/,
}

/** It is taken as it is, and refused once any one of its fields is misspelt. */
async function judged(server: ApiServer, object: Sent): Promise<void> {
  const { status, text } = await send(server, object)
  assert.equal(status, 201, `${object.kind}: ${text}`)
  const { apiVersion, kind } = object
  for (const [path, misspelt] of misspellings(object, FREE_OF[kind])) {
    const refusal = await send(server, { ...(misspelt as Sent), apiVersion, kind })
    assert(refusal.status >= 400 && refusal.status < 500, `${kind}: ${path}: ${refusal.status} ${refusal.text}`)
  }
}

/** Copies of a value, each with another name misspelt, and the place of that name. */
function* misspellings(value: unknown, free?: RegExp, at = ''): Generator<[path: string, copy: unknown]> {
  if (typeof value !== 'object' || value === null) return
  const members = Object.entries(value)
  for (const [name, member] of members) {
    const path = at === '' ? name : `${at}.${name}`
    const put = (key: string, it: unknown): unknown =>
      Array.isArray(value) ? value.with(Number(name), it) : { ...value, [name]: undefined, [key]: it }
    if (!Array.isArray(value) && !/^(?:apiVersion|kind)$/.test(path)) yield [path, put(`${name}X`, member)]
    if (FREE.test(name) || free?.test(path) === true) continue
    for (const [place, copy] of misspellings(member, free, path)) yield [place, put(name, copy)]
  }
}
