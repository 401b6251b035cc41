// The files that `npm run generate` writes, whole or in part, from the options, the rulings, the codes and what was measured.

import { onboardOptions } from '../src/config/onboard/onboard-options.ts'
import { streamSchema } from '../src/config/stream/stream-options.ts'
import { prometheusRule, renewedRunbook } from './alerts.ts'
import { explanations, grownCodes, renewedCodes } from './codes-reference.ts'
import { exampleOf } from './example.ts'
import { onboardFileSchema, specDocument, streamFileSchema, writeFileSchema } from './file-schema.ts'
import { renewedPromises } from './guarantees.ts'
import { renewedLoaded } from './loaded.ts'
import { PAGES, readPage } from './pages.ts'
import { renewedPeers } from './peers-reference.ts'
import { homepageOf, renewedAddress, renewedMetadata } from './published.ts'
import { renewedRooms } from './rooms.ts'
import { renewedRulings } from './rulings.ts'
import { renewedMetrics, renewedStreamOptions } from './stream-reference.ts'
import { dryRunFileSchema, renewedSummary, summaryFileSchema } from './summary-reference.ts'
import { renewedWriteOptions } from './write-reference.ts'

/** @param before the file as it is */
type Make = (before: string) => string

const json = (document: object): string => `${JSON.stringify(document, null, 2)}\n`
const ALERTS = 'deploy/prometheus-alerts.yaml'
const homepage = homepageOf()

const OWN: Readonly<Record<string, Make>> = {
  'spec/connector-specification.json': () => json(specDocument(homepage)),
  'spec/stream-config.schema.json': () => json(streamFileSchema()),
  'spec/onboard-config.schema.json': () => json(onboardFileSchema()),
  'spec/write-config.schema.json': () => json(writeFileSchema()),
  'spec/run-summary.schema.json': () => json(summaryFileSchema()),
  'spec/dry-run.schema.json': () => json(dryRunFileSchema()),
  'spec/stream-config.example.yaml': () => exampleOf('stream', streamSchema),
  'spec/onboard-config.example.yaml': () => exampleOf('onboard', onboardOptions),
  'spec/golden/codes.txt': grownCodes,
  'metadata.yaml': (metadata) => renewedMetadata(metadata, homepage),
  [ALERTS]: (alerts) => renewedRunbook(alerts, homepage),
  'deploy/kubernetes/prometheus-operator/prometheus-rule.yaml': () => prometheusRule(readPage(ALERTS)),
  'README.md': (readme) => renewedAddress(readme, homepage),
  'docs/configuration.md': (page) => renewedStreamOptions(renewedWriteOptions(page)),
  'docs/summary.md': renewedSummary,
  'docs/troubleshooting.md': renewedCodes,
  'docs/decisions.md': renewedRulings,
  'docs/DESIGN.md': (page) => renewedLoaded(renewedRooms(page)),
  'docs/guarantees.md': renewedPromises,
  'docs/operating.md': renewedMetrics,
}

/** By path from the root; what is made of another file comes behind it. */
export const GENERATED: Readonly<Record<string, Make>> = {
  ...OWN,
  ...Object.fromEntries(PAGES.map((path) => [path, (page: string) => renewedPeers(OWN[path]?.(page) ?? page)])),
  'spec/codes.json': () => explanations(readPage('docs/troubleshooting.md')),
}
