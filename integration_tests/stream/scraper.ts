// Reads /metrics of a `stream` process. Knows no case.

import { expect } from 'vitest'
import { readExposition, valueIn, type Family } from '../../src/telemetry/testing/exposition.ts'
import { until } from '../kafka/until.ts'
import type { StreamProcess } from './stream-process.ts'

/** One process's page. Counters that fall, and those that are told no more, fail the test. */
export class Scraper {
  readonly #process: StreamProcess
  readonly #port: string
  #text = ''
  #families: ReadonlyMap<string, Family> = new Map()
  readonly #counters = new Map<string, number>()

  static async of(process: StreamProcess): Promise<Scraper> {
    const { message } = await process.said(/^Health is served on port \d+: .*\/metrics/)
    return new Scraper(process, /\d+/.exec(message)![0])
  }

  private constructor(process: StreamProcess, port: string) {
    this.#process = process
    this.#port = port
  }

  get text(): string {
    return this.#text
  }

  async scrape(): Promise<this> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}/metrics`)
    this.#text = await answer.text()
    expect(answer.status).toBe(200)
    this.#families = readExposition(this.#text)
    for (const [name, { type, samples }] of this.#families)
      for (const { labels, value } of type === 'counter' ? samples : []) {
        const series = `${name} ${JSON.stringify(labels)}`
        expect(value, series).toBeGreaterThanOrEqual(this.#counters.get(series) ?? 0)
        this.#counters.set(series, value)
      }
    for (const series of this.#counters.keys()) {
      const [name, labels] = series.split(/ (.*)/s)
      this.#value(name!, JSON.parse(labels!) as object)
    }
    return this
  }

  of(name: string, labels?: object): number {
    return this.#value(`analytics_stream_${name}`, labels)
  }

  /** Labels of a metric's samples. */
  labels(name: string): readonly Readonly<Record<string, string>>[] {
    return this.#families.get(`analytics_stream_${name}`)!.samples.map(({ labels }) => labels)
  }

  /** Scrapes until it is so. */
  async until(isSo: (scraper: this) => boolean): Promise<void> {
    await until(
      async () => isSo(await this.scrape()),
      () => `never came true:\n${this.#text}\n${this.#process.toString()}`,
    )
  }

  #value(name: string, labels: object = {}): number {
    return valueIn(this.#families, name, labels)
  }
}
