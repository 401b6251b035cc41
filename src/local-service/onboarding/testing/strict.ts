// What every endpoint with a JSON body must refuse: each member left out, each of every other type. For tests.

import { expect } from 'vitest'
import { refusedAnswer, type SentRequest, type TestService } from './service.ts'

type Path = readonly string[]

/** A name as reasons write it. */
interface Exceptions {
  /** Where null is right too. */
  readonly nullable?: readonly string[]
  /** What may be left out. */
  readonly optional?: readonly string[]
}

/** Expects that `body` is taken, and that each of its wrong copies is refused by a reason that names the wrong member. */
export async function expectStrict(
  it: TestService,
  method: string,
  path: string,
  { body, headers = {} }: SentRequest & { readonly body: object },
  { nullable = [], optional = [] }: Exceptions = {},
): Promise<void> {
  expect((await it.send(method, path, { body, headers })).status).toBeLessThan(300)
  for (const place of placesIn(body)) {
    const name = place.join('.')
    const wrong: [object, string][] = othersThan(valueAt(body, place), nullable.includes(name)).map((value) => [
      altered(body, place, value),
      `^${name} must be `,
    ])
    if (!optional.includes(name)) wrong.push([altered(body, place), `^${name} is missing$`])
    for (const [body, reason] of wrong) {
      expect(await it.send(method, path, { body, headers }), JSON.stringify(body)).toEqual(refusedAnswer(400, reason))
    }
  }
}

/** Every member, those of objects too. */
function* placesIn(body: object, holder: Path = []): Generator<Path> {
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    const place = [...holder, name]
    yield place
    if (typeof value === 'object' && value !== null) yield* placesIn(value, place)
  }
}

function othersThan(value: unknown, isNullable: boolean): readonly unknown[] {
  // Null is there because a text may be.
  const type = value === null ? 'string' : typeof value
  const all = [true, 5.5, 'some text', [], [value], ...(type === 'object' ? [] : [{}]), ...(isNullable ? [] : [null])]
  return all.filter((other) => Array.isArray(other) || other === null || typeof other !== type || other === 5.5)
}

function valueAt(body: object, place: Path): unknown {
  return place.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], body)
}

/** A copy with another value there; without one, with nothing there. */
function altered(body: object, place: Path, ...value: readonly unknown[]): object {
  const copy = structuredClone(body)
  const holder = valueAt(copy, place.slice(0, -1)) as Record<string, unknown>
  const name = place.at(-1)!
  if (value.length === 0) delete holder[name]
  else holder[name] = value[0]
  return copy
}
