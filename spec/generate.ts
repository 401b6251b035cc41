// Writes what is generated from the options' schemas: spec/connector-specification.json, spec/*-config.schema.json,
// spec/*-config.example.yaml, spec/run-summary.schema.json, spec/dry-run.schema.json, and the tables of docs/configuration.md, docs/operating.md,
// docs/summary.md, docs/decisions.md, docs/DESIGN.md and docs/guarantees.md, the addresses in README.md, metadata.yaml and the alerts, the PrometheusRule of the alerts,
// docs/troubleshooting.md, spec/codes.json of that page, new codes in spec/golden/codes.txt, and what bench/peers/results.json says.

import { readFileSync, writeFileSync } from 'node:fs'
import { onboardOptions } from '../src/config/onboard/onboard-options.ts'
import { streamSchema } from '../src/config/stream/stream-options.ts'
import { prometheusRule, renewedRunbook } from './alerts.ts'
import { explanations, grownCodes, renewedCodes } from './codes-reference.ts'
import { exampleOf } from './example.ts'
import { onboardFileSchema, specDocument, streamFileSchema, writeFileSchema } from './file-schema.ts'
import { renewedPromises } from './guarantees.ts'
import { renewedRooms } from './rooms.ts'
import { renewedLoaded } from './loaded.ts'
import { PAGES, readPage } from './pages.ts'
import { renewedPeers } from './peers-reference.ts'
import { renewedRulings } from './rulings.ts'
import { renewedMetrics, renewedStreamOptions } from './stream-reference.ts'
import { dryRunFileSchema, renewedSummary, summaryFileSchema } from './summary-reference.ts'
import { homepageOf, renewedAddress, renewedMetadata } from './published.ts'
import { renewedWriteOptions } from './write-reference.ts'

const CONFIGURATION = new URL('../docs/configuration.md', import.meta.url)
const SUMMARY = new URL('../docs/summary.md', import.meta.url)
const TROUBLESHOOTING = new URL('../docs/troubleshooting.md', import.meta.url)
const GOLDEN = new URL('./golden/codes.txt', import.meta.url)
const DECISIONS = new URL('../docs/decisions.md', import.meta.url)
const GUARANTEES = new URL('../docs/guarantees.md', import.meta.url)
const DESIGN = new URL('../docs/DESIGN.md', import.meta.url)
const OPERATING = new URL('../docs/operating.md', import.meta.url)

const README = new URL('../README.md', import.meta.url)
const METADATA = new URL('../metadata.yaml', import.meta.url)
const ALERTS = new URL('../deploy/prometheus-alerts.yaml', import.meta.url)
const RULE = new URL('../deploy/kubernetes/prometheus-operator/prometheus-rule.yaml', import.meta.url)
const homepage = homepageOf()
const alerts = renewedRunbook(readFileSync(ALERTS, 'utf8'), homepage)

write('./connector-specification.json', specDocument(homepage))
write('./stream-config.schema.json', streamFileSchema())
write('./onboard-config.schema.json', onboardFileSchema())
write('./write-config.schema.json', writeFileSchema())
write('./run-summary.schema.json', summaryFileSchema())
write('./dry-run.schema.json', dryRunFileSchema())
writeFileSync(new URL('./stream-config.example.yaml', import.meta.url), exampleOf('stream', streamSchema))
writeFileSync(new URL('./onboard-config.example.yaml', import.meta.url), exampleOf('onboard', onboardOptions))
writeFileSync(METADATA, renewedMetadata(readFileSync(METADATA, 'utf8'), homepage))
writeFileSync(README, renewedAddress(readFileSync(README, 'utf8'), homepage))
writeFileSync(ALERTS, alerts)
writeFileSync(RULE, prometheusRule(alerts))
writeFileSync(CONFIGURATION, renewedStreamOptions(renewedWriteOptions(readFileSync(CONFIGURATION, 'utf8'))))
writeFileSync(SUMMARY, renewedSummary(readFileSync(SUMMARY, 'utf8')))
writeFileSync(TROUBLESHOOTING, renewedCodes(readFileSync(TROUBLESHOOTING, 'utf8')))
writeFileSync(new URL('./codes.json', import.meta.url), explanations(readFileSync(TROUBLESHOOTING, 'utf8')))
writeFileSync(GOLDEN, grownCodes(readFileSync(GOLDEN, 'utf8')))
writeFileSync(DECISIONS, renewedRulings(readFileSync(DECISIONS, 'utf8')))
writeFileSync(DESIGN, renewedLoaded(renewedRooms(readFileSync(DESIGN, 'utf8'))))
writeFileSync(GUARANTEES, renewedPromises(readFileSync(GUARANTEES, 'utf8')))
writeFileSync(OPERATING, renewedMetrics(readFileSync(OPERATING, 'utf8')))
for (const page of PAGES) {
  const before = readPage(page)
  const after = renewedPeers(before)
  if (after !== before) writeFileSync(new URL(`../${page}`, import.meta.url), after)
}

function write(path: string, document: object): void {
  writeFileSync(new URL(path, import.meta.url), `${JSON.stringify(document, null, 2)}\n`)
}
