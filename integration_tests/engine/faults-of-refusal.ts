// Faults to plant where refusals are told apart and rejects find their place; each is what one law is there for.

import type { Fault } from './fault.ts'

export const faultsOfRefusal: readonly Fault[] = [
  {
    name: 'a part of a refused request is forgotten',
    edits: [{ file: 'bisection.ts', from: 'of bodies.toReversed()', to: 'of bodies.slice(0, 1)' }],
  },
  {
    name: 'a refused point is never rejected',
    edits: [
      {
        file: 'trials.ts',
        from: 'body.points[0]!.isStandIn)) this.#refused.push({ batch, reason })',
        to: 'body.points[0]!.isStandIn)) this.#refused.slice()',
      },
    ],
  },
  {
    name: 'what is refused of a suspect table is forgotten',
    edits: [{ file: 'trials.ts', from: 'this.#refused.push(...suspect.held.splice(0))', to: 'suspect.held.splice(0)' }],
  },
  {
    name: 'what is refused of a table is forgotten once the table is cleared',
    edits: [{ file: 'trials.ts', from: '    this.#refused.push(...suspect.held)\n', to: '' }],
  },
  {
    name: 'what waited for a suspect table is forgotten',
    edits: [
      { file: 'trials.ts', from: 'of suspect.waiting) this.#try(waiting)', to: 'of suspect.waiting) void waiting' },
    ],
  },
  {
    name: 'a table that is refused is never told from points',
    edits: [{ file: 'trials.ts', from: 'if (alone.length >= ENOUGH && this', to: 'if (alone.length > 1e9 && this' }],
  },
  {
    name: 'a verdict about a table does not wait for what is under way',
    edits: [
      { file: 'trials.ts', from: '&& this.#isQuiet(table, current)) return', to: '&& table !== current) return' },
    ],
  },
  {
    name: 'two points make a table',
    edits: [{ file: 'trials.ts', from: 'const ENOUGH = 3', to: 'const ENOUGH = 2' }],
  },
  {
    name: 'a table that was accepted is suspected',
    edits: [{ file: 'trials.ts', from: 'if (this.#accepted.has(table)) return undefined', to: '' }],
  },
  {
    name: 'versions of one row are counted as points',
    edits: [{ file: 'trials.ts', from: 'exact === undefined || !suspect.alone.includes(exact)', to: 'true' }],
  },
  {
    name: 'a suspect table goes on as if nothing were',
    edits: [
      { file: 'trials.ts', from: '    return this.#suspects.has(table)\n', to: '    return table === undefined\n' },
    ],
  },
  {
    name: 'what is too large of a suspect table is halved as if nothing were',
    edits: [
      {
        file: 'trials.ts',
        from: 'if (!suspect || isAlone) return false',
        to: 'if (suspect !== null) return false',
      },
    ],
  },
  {
    name: 'a table of rejects goes on as if nothing were',
    edits: [
      {
        file: 'trials.ts',
        from: 'const suspect = this.#suspectOf(table)\n',
        to: 'const suspect = body.points[0]!.isStandIn ? undefined : this.#suspectOf(table)\n',
      },
    ],
  },
  {
    name: 'a point that a table of rejects refuses waits for a verdict about the table',
    edits: [{ file: 'trials.ts', from: '(!suspect || body.points[0]!.isStandIn)', to: '!suspect' }],
  },
  {
    name: 'what stands in for a rejected record counts as written',
    edits: [
      { file: 'settle-points.ts', from: "isStandIn ? 'rejected' : how, superseded)\n}", to: 'how, superseded)\n}' },
    ],
  },
  {
    name: 'the first part of a reject settles it',
    edits: [{ file: 'rejecting.ts', from: 'index === items.length - 1 ? of', to: 'index === 0 ? of' }],
  },
  {
    name: 'a reject that is refused itself passes for one',
    edits: [
      {
        file: 'deliver.ts',
        from: 'if (batch.body.points[0]!.isStandIn || this.#stopping) this',
        to: 'if (this.#stopping) this',
      },
    ],
  },
  {
    name: 'a rejected record stops what was read before it',
    edits: [
      {
        file: 'deliver.ts',
        from: '      this.#fail(error)\n',
        to: '      this.#stop(error)\n',
      },
    ],
  },
  {
    name: 'a rejected point keeps its key',
    edits: [
      {
        file: 'deliver.ts',
        from: 'if (!this.#stopping) this.#agenda.free(batch',
        to: 'if (this.#stopping) this.#agenda.free(batch',
      },
    ],
  },
  {
    name: 'a bad record is passed over',
    edits: [
      {
        file: 'deliver.ts',
        from: '  #fail(error: ConnectorError): void {\n    this.#error ??= error\n',
        to: '  #fail(error: ConnectorError): void {\n    void error\n',
      },
    ],
  },
  {
    name: 'the reject names the oldest version first',
    edits: [{ file: 'superseded-places.ts', from: 'places.reverse()', to: 'places' }],
  },
  {
    name: 'a superseded version is named by the place of the newer one',
    edits: [{ file: 'point.ts', from: 'placeOf(this.origin)', to: 'placeOf(item.origin)' }],
  },
  {
    name: 'a point that is used again names what it superseded before',
    edits: [{ file: 'point.ts', from: '    this.places = undefined\n', to: '' }],
  },
]
