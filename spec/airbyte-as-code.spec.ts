// What docs/airbyte-as-code.md puts into Airbyte fits the form, and names the image and the version that there are.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { readWriteConfig } from '../src/config/write/write-load.ts'
import { formSchema } from './file-schema.ts'
import { readPage } from './pages.ts'

const page = readPage('docs/airbyte-as-code.md')
const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  name: string
  version: string
}
const form = z.fromJSONSchema(formSchema())

/** What stands between a text and the line that closes it, as JSON. */
function configOf(begin: string, toJson: (text: string) => string): object {
  const [, text] = page.split(begin)
  return JSON.parse(toJson(`{${text!.slice(0, text!.search(/\n\s*\}\)?\n/))}}`)) as object
}

test.each([
  ['jq', () => configOf('configuration: {', (text) => text.replace('$key', '"k"').replaceAll(/(\w+):(?= )/g, '"$1":'))],
  [
    'Terraform',
    () =>
      configOf('configuration = jsonencode({', (text) =>
        text
          .replace('var.analytics_api_key', '"k"')
          .replaceAll(/(\w+) += /g, '"$1": ')
          .replaceAll(/([\w"}])\n(?= +")/g, '$1,\n'),
      ),
  ],
])('the configuration for %s fits the form and the connector', (_how, config) => {
  expect(config()).toMatchObject({ import_url: 'https://import.example.com', rejected_records: { policy: 'table' } })
  expect(form.safeParse(config())).toMatchObject({ success: true })
  expect(readWriteConfig(JSON.stringify(config())).problems).toEqual([])
})

test('the image and its tag are those of this version, and the resources stay short', () => {
  for (const [, repository] of page.matchAll(/(?:dockerRepository"|docker_repository)[:= ]+"([^"]+)"/g))
    expect(repository).toBe(`registry.example.com/${name}`)
  const tags = [...page.matchAll(/(?:dockerImageTag"|docker_image_tag)[:= ]+"([^"]+)"/g)].map(([, tag]) => tag)
  expect(tags).toEqual([version, expect.not.stringMatching(`^${version}$`), version])
  const terraform = /```terraform\n([^]*?)```/.exec(page)![1]!
  expect(terraform.split('\n').length).toBeLessThanOrEqual(120)
  expect(terraform.match(/^resource /gm)).toHaveLength(2)
})
