// Reads Prometheus' text format 0.0.4 for tests, more strictly than Prometheus does: what it would mend is an error here.

export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: readonly ReadSample[]
}

export interface ReadSample {
  /** The family's, or of a histogram that with `_bucket`, `_sum` or `_count`. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const HELP = /^# HELP ([a-zA-Z_][a-zA-Z0-9_]*) (\S.*)$/u
const TYPE = /^# TYPE (\S+) (counter|gauge|histogram)$/
const SAMPLE = /^([a-zA-Z_][a-zA-Z0-9_]*)(?:\{(.+)\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?|\+Inf)$/su
const PART = /_(bucket|sum|count)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(,|$)/suy

/** @returns metrics by name, in order
 *  @throws where a line is none of the format, where HELP and TYPE don't stand once and in this order before a metric's samples,
 *  or where a sample is there twice */
export function readExposition(text: string): Map<string, Family> {
  const families = new Map<string, Family>()
  const lines = text.split('\n')
  if (lines.pop() !== '') throw new Error('no line feed at the end')
  for (let index = 0; index < lines.length; index++) {
    if (lines[index] === '') continue
    const [, name, help] = HELP.exec(lines[index]!) ?? fail(lines[index])
    const [, typed, type] = TYPE.exec(lines[++index] ?? '') ?? fail(lines[index])
    if (typed !== name || families.has(name!)) fail(lines[index])
    const samples: ReadSample[] = []
    for (; lines[index + 1]; index++) samples.push(sampleOf(lines[index + 1]!, name!, type!))
    if (new Set(samples.map(({ name, labels }) => name + JSON.stringify(labels))).size < samples.length)
      fail(`${name} twice`)
    families.set(name!, { type: type!, help: help!, samples })
  }
  return families
}

/** @throws when it is not there */
export function valueIn(families: ReadonlyMap<string, Family>, name: string, labels: object = {}): number {
  const wanted = JSON.stringify(labels)
  const family = families.get(name) ?? families.get(name.replace(PART, ''))
  const found = family?.samples.find((sample) => sample.name === name && JSON.stringify(sample.labels) === wanted)
  return found ? found.value : fail(`${name} ${wanted} is not told`)
}

function sampleOf(line: string, family: string, type: string): ReadSample {
  const [, name, text = '', value] = SAMPLE.exec(line) ?? fail(line)
  const isPart = type === 'histogram' && PART.test(name!) && name!.replace(PART, '') === family
  if (type === 'histogram' ? !isPart : name !== family) fail(line)
  const labels: [string, string][] = []
  for (LABEL.lastIndex = 0; LABEL.lastIndex < text.length;) {
    const [, label, escaped, end] = LABEL.exec(text) ?? fail(line)
    const read = escaped!.replaceAll(/\\(.)/gsu, (_, char: string) => (char === 'n' ? '\n' : char))
    labels.push([label!, read])
    if (end === ',' && LABEL.lastIndex === text.length) fail(line)
  }
  return { name: name!, labels: Object.fromEntries(labels), value: value === '+Inf' ? Infinity : Number(value) }
}

function fail(what: string | undefined): never {
  throw new Error(`not in the format: ${what}`)
}
