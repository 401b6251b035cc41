// How test files ask for a schema registry beside the shared Kafka broker. `describeApicurio`: tests that start one;
// `describeRegistry`: those that want the reference serialisers too. Nothing else lets them start one. Where something is
// missing the tests are skipped, or fail where they must run.

import { describeKafka, describeParts, leaveWithin, type Parts } from '../kafka/available.ts'
import { findPythonKafka } from '../kafka/find-python-kafka.ts'
import { REGISTRY } from '../kafka/leave.ts'
import { startApicurio, type StartApicurio } from './apicurio.ts'
import { findApicurio } from './find-apicurio.ts'

/** Gets the broker's `host:port`, with commas between several, and what starts a registry, as long as these tests run. */
export type Define = (bootstrap: string, startApicurio: StartApicurio) => void

/** To be awaited. */
export async function describeApicurio(title: string, define: Define): Promise<void> {
  describeWith(title, { 'Apicurio Registry': await findApicurio(process.env) }, define)
}

/** To be awaited. */
export async function describeRegistry(title: string, define: Define): Promise<void> {
  const [registry, python] = await Promise.all([findApicurio(process.env), findPythonKafka(process.env)])
  describeWith(title, { 'Apicurio Registry': registry, "Kafka's clients for Python": python }, define)
}

function describeWith(title: string, parts: Parts, define: Define): void {
  describeKafka(title, (bootstrap) =>
    describeParts(title, parts, () => {
      leaveWithin(REGISTRY)
      define(bootstrap, startApicurio)
    }),
  )
}
