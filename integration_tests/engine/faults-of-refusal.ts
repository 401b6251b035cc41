// Faults to plant where refusals are told apart and rejects find their place; each is what one law is there for.

import type { Fault } from './plant.ts'

export const faultsOfRefusal: readonly Fault[] = [
  {
    name: 'a part of a refused request is forgotten',
    edits: [{ file: 'table-quarantine.ts', from: 'of bodies.toReversed()', to: 'of bodies.slice(0, 1)' }],
  },
  {
    name: 'a refused point is never rejected',
    edits: [
      {
        file: 'table-quarantine.ts',
        from: 'body.points[0]!.isStandIn)) this.#refused.push({ batch, reason })',
        to: 'body.points[0]!.isStandIn)) this.#refused.slice()',
      },
    ],
  },
  {
    name: 'what is refused of a quarantined table is forgotten',
    edits: [
      {
        file: 'table-quarantine.ts',
        from: 'this.#refused.push(...quarantined.undecided.splice(0))',
        to: 'quarantined.undecided.splice(0)',
      },
    ],
  },
  {
    name: 'what is refused of a table is forgotten once the table is cleared',
    edits: [{ file: 'table-quarantine.ts', from: '    this.#refused.push(...quarantined.undecided)\n', to: '' }],
  },
  {
    name: 'what waited for a quarantined table is forgotten',
    edits: [
      {
        file: 'table-quarantine.ts',
        from: 'of quarantined.waiting) this.#try(waiting)',
        to: 'of quarantined.waiting) void waiting',
      },
    ],
  },
  {
    name: 'a table that is refused is never told from points',
    edits: [
      {
        file: 'table-quarantine.ts',
        from: 'if (refusedKeys.length >= DISTINCT_REFUSALS && this',
        to: 'if (refusedKeys.length > 1e9 && this',
      },
    ],
  },
  {
    name: 'a verdict about a table does not wait for what is under way',
    edits: [
      {
        file: 'table-quarantine.ts',
        from: '&& this.#isQuiet(table, current)) return',
        to: '&& table !== current) return',
      },
    ],
  },
  {
    name: 'two points make a table',
    edits: [{ file: 'table-quarantine.ts', from: 'const DISTINCT_REFUSALS = 3', to: 'const DISTINCT_REFUSALS = 2' }],
  },
  {
    name: 'a table that was accepted is quarantined',
    edits: [{ file: 'table-quarantine.ts', from: 'if (this.#accepted.has(table)) return undefined', to: '' }],
  },
  {
    name: 'versions of one row are counted as points',
    edits: [
      {
        file: 'table-quarantine.ts',
        from: 'exact === undefined || !quarantined.refusedKeys.includes(exact)',
        to: 'true',
      },
    ],
  },
  {
    name: 'a quarantined table goes on as if nothing were',
    edits: [
      {
        file: 'table-quarantine.ts',
        from: '    return this.#quarantined.has(table)\n',
        to: '    return table === undefined\n',
      },
    ],
  },
  {
    name: 'what is too large of a quarantined table is halved as if nothing were',
    edits: [
      {
        file: 'table-quarantine.ts',
        from: 'if (!quarantined || isAlone) return false',
        to: 'if (quarantined !== null) return false',
      },
    ],
  },
  {
    name: 'a table of rejects goes on as if nothing were',
    edits: [
      {
        file: 'table-quarantine.ts',
        from: 'const quarantined = this.#quarantineOf(table)\n',
        to: 'const quarantined = body.points[0]!.isStandIn ? undefined : this.#quarantineOf(table)\n',
      },
    ],
  },
  {
    name: 'a point that a table of rejects refuses waits for a verdict about the table',
    edits: [{ file: 'table-quarantine.ts', from: '(!quarantined || body.points[0]!.isStandIn)', to: '!quarantined' }],
  },
  {
    name: 'what stands in for a rejected record counts as written',
    edits: [{ file: 'shares.ts', from: "isStandIn ? 'rejected' : how, superseded)\n}", to: 'how, superseded)\n}' }],
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
        from: 'if (!this.#stopping) this.#queue.free(batch',
        to: 'if (this.#stopping) this.#queue.free(batch',
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
    edits: [{ file: 'body.ts', from: 'placeOf(this.origin)', to: 'placeOf(item.origin)' }],
  },
  {
    name: 'a point that is used again names what it superseded before',
    edits: [{ file: 'body.ts', from: '    this.places = undefined\n', to: '' }],
  },
]
