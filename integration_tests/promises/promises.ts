// The promises of the program, and the doors that each is tried at: the table of docs/guarantees.md. Each has a script of its own.

export const DOORS = ['Airbyte', 'Kafka', 'Replay'] as const
export type DoorName = (typeof DOORS)[number]

export interface Promised {
  /** As the table says it. */
  readonly words: string
  /** Doors at which another test says more than a script could, in integration_tests. */
  readonly elsewhere?: Readonly<Partial<Record<DoorName, string>>>
  /** Doors that its script is not played at, and why. */
  readonly except?: Readonly<Partial<Record<DoorName, string>>>
}

/** By the name of the script in integration_tests/promises. */
export const PROMISES = {
  kill: { words: 'Nothing is lost when the process is killed (`kill -9`) and started again' },
  checkpoint: { words: 'A checkpoint is committed only when every record before it is settled' },
  order: { words: 'Versions of a row are stored in their order, never two at once' },
  bytes: { words: 'Rows have the bytes that were sent' },
  poison: { words: 'A bad record is rejected by itself, and all others are stored' },
  budget: { words: 'Too many rejected records end the run, and what came before is stored' },
  memory: {
    words: 'Memory stays bounded while the service stands still',
    except: { Replay: 'a replay reads through the buffers of `stream`, and writes to the same ones' },
  },
  stop: { words: 'SIGTERM waits for what is under way, commits it, and the next process goes on there' },
  outage: { words: 'A service that is down is named once with its cause, waited for, and named when it is back' },
  secrets: { words: 'The API key is seen in nothing that a run prints or writes' },
  'dry-run': {
    words: 'A dry run says what the run then does',
    // random inputs, in their hundreds
    elsewhere: { Airbyte: 'dry-run/lines.test.ts', Kafka: 'stream/dry-run.test.ts' },
    except: {
      Replay:
        '`--dry-run` goes without `--from-dead-letters`: a topic of letters is read with `--dry-run` like any other',
    },
  },
  summary: { words: 'A run that is killed leaves a summary and a report that say it has not ended' },
} satisfies Readonly<Record<string, Promised>>

export type PromiseName = keyof typeof PROMISES
