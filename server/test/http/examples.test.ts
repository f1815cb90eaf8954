import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { RecordedCall, RecordedExamples } from '@countersign/contract/document/examples'
import { openApi } from '@countersign/contract/document/openapi'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { toJson } from '../../src/json/json.ts'
import { clockOf } from '../books.testing.ts'
import { newPlatform } from '../client.testing.ts'
import { playProduction, playSandbox } from '../example-world.testing.ts'
import { RecordingClient } from '../recorded.testing.ts'

const FILE = fileURLToPath(new URL('../../../docs/reference/examples.json', import.meta.url))
const readStored = (): RecordedExamples => JSON.parse(readFileSync(FILE, 'utf8'))

/** What a call looks like, whatever its values: its statuses, and the members of what is sent and answered. */
function shapeOf({ params, query, body, answers }: RecordedCall) {
  const members = (value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value).sort() : typeof value
  return {
    params: members(params),
    query: members(query),
    body: members(body),
    answers: Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, members(answer)])),
  }
}

const shapesOf = ({ calls }: RecordedExamples) =>
  Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, shapeOf(call)]))

test('the examples of the reference page are calls as they go today (else: npm run docs)', {
  timeout: 180_000,
}, async () => {
  const platform = await newPlatform()
  const client = new RecordingClient(platform)
  const { records, failed } = await playSandbox(client)
  expect(failed).toEqual([])
  await playProduction(client)
  const recorded = client.examples(records as Record<string, string>, await clockOf(platform))
  expect(Object.keys(recorded.calls).sort()).toEqual(Object.keys(API).sort())
  const isCurrent = toJson(shapesOf(recorded)) === toJson(shapesOf(readStored()))
  if (process.env.UPDATE_DOCS && !isCurrent) writeFileSync(FILE, `${toPretty(recorded)}\n`)
  expect(shapesOf(readStored())).toEqual(shapesOf(recorded))
})

const toPretty = (value: unknown) => JSON.stringify(JSON.parse(toJson(value)), null, 1)

test('every endpoint has an example of what it takes and of a success', () => {
  const { calls } = readStored()
  for (const [name, endpoint] of Object.entries<Endpoint>(API)) {
    const call = calls[name as EndpointName]
    expect(call, name).toBeDefined()
    if (endpoint.body && !endpoint.bodyOptional && !endpoint.upload) expect(call!.body, name).toBeDefined()
    for (const status of Object.keys(call!.answers))
      expect(Object.keys(endpoint.responses), name).toContain(status)
    const successes = Object.keys(call!.answers).filter(
      (status) => status !== '202' || !endpoint.signed || endpoint.auth === 'agent',
    )
    expect(successes, name).not.toEqual([])
  }
})

interface Content {
  readonly [type: string]: {
    readonly schema: object
    readonly example?: unknown
    readonly examples?: { readonly recorded: { readonly value: unknown } }
  }
}

test('every example fits the schema that it stands beside', () => {
  const document = JSON.parse(JSON.stringify(openApi({ serverUrl: '/', examples: readStored() })))
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, validateFormats: false }))
  ajv.addSchema(document, 'api')
  let checked = 0
  const check = (schema: object, value: unknown, what: string) => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components')
    const fits = ajv.compile(JSON.parse(text))
    expect(fits(value), `${what} ${JSON.stringify(fits.errors)}`).toBe(true)
    checked += 1
  }
  for (const item of Object.values<Record<string, Operation>>(document.paths))
    for (const { operationId, parameters, requestBody, responses } of Object.values(item)) {
      const contents = [requestBody, ...Object.values(responses)].map((one) => one?.content ?? {})
      for (const content of contents)
        for (const { schema, example, examples } of Object.values(content))
          for (const value of [example, examples?.recorded.value])
            if (value !== undefined) check(schema, value, operationId)
      for (const { schema, example } of parameters)
        if (schema && typeof example === 'string' && !('type' in schema && schema.type !== 'string'))
          check(schema, example, operationId)
    }
  expect(checked).toBeGreaterThan(250)
})

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly schema?: object & { type?: string }; readonly example?: unknown }[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses: Record<string, { readonly content?: Content }>
}

test('the examples show no secret of a run, and no time or address of it', () => {
  const text = readFileSync(FILE, 'utf8')
  expect(text.length).toBeLessThan(300_000)
  for (const [id] of text.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g))
    expect(id).toMatch(/^0198c0de-0000-7000-8000-0{9}\d{3}$/)
  // The last: what identifies a person is kept for five years.
  for (const [year] of text.matchAll(/\b20\d\d(?=-\d\d-\d\dT)/g))
    expect(['2025', '2026', '2027', '2031']).toContain(year)
  for (const [port] of text.matchAll(/(?<=127\.0\.0\.1:)\d+/g)) expect(port).toBe('8787')
})
