// What is made of deploy/prometheus-alerts.yaml, the one source of the alerts. Its layout and its comments stay.

import { pageAt } from './published.ts'

const PAGE = 'docs/runbook.md'

/** The alerts with the place in the runbook as an address, `runbook_url`; without a homepage as a path of the repository, `runbook`:
 *  an address that leads nowhere would be offered as a link by what shows alerts. */
export function renewedRunbook(alerts: string, homepage: string | undefined): string {
  const [name, page] = homepage === undefined ? ['runbook', PAGE] : ['runbook_url', pageAt(homepage, PAGE)]
  return alerts.replaceAll(
    /^( +)runbook(?:_url)?: \S+(#\S+)$/gm,
    (_, indent, place) => `${indent}${name}: ${page}${place}`,
  )
}

/** The same groups for the Prometheus operator. */
export function prometheusRule(alerts: string): string {
  const groups = alerts.slice(alerts.search(/^groups:/m)).replaceAll(/^(?=.)/gm, '  ')
  return `# Written by \`npm run generate\` from prometheus-alerts.yaml: thresholds are changed there, or by a patch of the overlay.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: analytics-stream
  labels: { app.kubernetes.io/name: destination-analytics-service, app.kubernetes.io/instance: analytics-stream }
spec:
${groups}`
}
