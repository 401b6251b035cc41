// How test files ask for a schema registry beside the shared Kafka broker. `describeApicurio`: tests that start one;
// `describeRegistry`: those that want the reference serialisers too. Where something is missing the tests are skipped, or fail
// where they must run.

import { describeKafka, describeParts } from '../kafka/available.ts'
import { findPythonKafka } from '../kafka/find-python-kafka.ts'
import { findApicurio } from './find-apicurio.ts'

/** To be awaited. @param define gets the broker's `host:port`, with commas between several */
export async function describeApicurio(title: string, define: (bootstrap: string) => void): Promise<void> {
  const found = await findApicurio(process.env)
  describeKafka(title, (bootstrap) => describeParts(title, [found], () => define(bootstrap)))
}

/** To be awaited. @param define gets the broker's `host:port`, with commas between several */
export async function describeRegistry(title: string, define: (bootstrap: string) => void): Promise<void> {
  const parts = await Promise.all([findApicurio(process.env), findPythonKafka(process.env)])
  describeKafka(title, (bootstrap) => describeParts(title, parts, () => define(bootstrap)))
}
