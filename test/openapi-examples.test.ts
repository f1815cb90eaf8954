import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isObject } from '@countersign/contract/core/decode'
import { parseExamples } from '@countersign/contract/document/examples'
import { openApi } from '@countersign/contract/document/openapi'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'

const recordings = fileURLToPath(new URL('../docs/reference/examples.jsonl', import.meta.url))

interface SchemaExamples {
  readonly place: string
  readonly pointer: string
  readonly values: readonly unknown[]
}

/** Lists the schemas below a node that have examples: for parameters, bodies and responses. */
function listExamples(node: unknown, pointer: string): SchemaExamples[] {
  if (!isObject(node) && !Array.isArray(node)) return []
  const innerExamples = Object.entries(node).flatMap(([key, value]) =>
    listExamples(value, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`),
  )
  if (!isObject(node) || !isObject(node.schema)) return innerExamples
  const named = isObject(node.examples) ? Object.values(node.examples) : []
  const values = [
    ...('example' in node ? [node.example] : []),
    ...named.map((example) => (isObject(example) ? example.value : example)),
  ]
  return values.length === 0
    ? innerExamples
    : [...innerExamples, { place: pointer, pointer: `document#${pointer}/schema`, values }]
}

test('every example of the OpenAPI document matches the schema next to it', { tags: 'long' }, async () => {
  const examples = parseExamples(await readFile(recordings, 'utf8'))
  const document = JSON.parse(JSON.stringify(openApi({ serverUrl: '/', examples })))
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: true }))
  for (const format of ['binary', 'double', 'int64']) ajv.addFormat(format, true)
  ajv.addSchema(document, 'document')
  const shownExamples = [
    ...listExamples(document.paths, '/paths'),
    ...listExamples(document.components.parameters, '/components/parameters'),
  ]
  expect(shownExamples.length).toBeGreaterThan(300)
  const wrong = shownExamples.flatMap(({ place, pointer, values }) => {
    const fits = ajv.compile({ $ref: pointer })
    return values.flatMap((value) => (fits(value) ? [] : [`${place}: ${ajv.errorsText(fits.errors)}`]))
  })
  expect(wrong).toEqual([])
})
