import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { API, type EndpointName } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import {
  parseEvents,
  parseExamples,
  printExamples,
  type RecordedCall,
  type RecordedExamples,
} from '@countersign/contract/document/examples'
import { openApi } from '@countersign/contract/document/openapi'
import { EVENT_TYPES } from '@countersign/contract/events/events'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { newPlatform } from '../../worlds/client.testing.ts'
import { playSandbox } from '../../worlds/contract/example-world.testing.ts'
import { playProduction, RecordingClient } from '../../worlds/contract/recording-client.testing.ts'
import { clockOf } from '../../worlds/records/payments.testing.ts'

const FILE = fileURLToPath(new URL('../../../../docs/reference/examples.jsonl', import.meta.url))
const EVENTS_FILE = fileURLToPath(new URL('../../../../docs/reference/events.jsonl', import.meta.url))
const readStored = (): RecordedExamples => parseExamples(readFileSync(FILE, 'utf8'))

/** The form of a call without its values: its statuses, and the fields of requests and responses. */
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

/** Stored examples, with calls replaced if their form has changed, so that a difference shows the change. */
function updated(stored: RecordedExamples, recorded: RecordedExamples): RecordedExamples {
  const [before, now] = [shapesOf(stored), shapesOf(recorded)]
  // A record has the same id in all calls.
  const renamed = (call: RecordedCall): RecordedCall =>
    JSON.parse(
      Object.entries(recorded.records).reduce(
        (text, [kind, id]) => text.replaceAll(id, stored.records[kind] ?? id),
        toJson(call),
      ),
    )
  const calls = Object.entries(recorded.calls).map(([name, call]) => {
    const same = toJson(before[name]) === toJson(now[name]) ? stored.calls[name] : undefined
    return [name, same ?? renamed(call)] as const
  })
  return { records: { ...recorded.records, ...stored.records }, calls: Object.fromEntries(calls) }
}

test('the examples of the reference page match current calls (else: npm run docs)', async () => {
  const platform = await newPlatform()
  const client = new RecordingClient(platform)
  const { records, failed } = await playSandbox(client)
  expect(failed).toEqual([])
  await playProduction(client)
  const recorded = client.examples(records as Record<string, string>, await clockOf(platform))
  expect(Object.keys(recorded.calls).sort()).toEqual(Object.keys(API).sort())
  const isCurrent = toJson(shapesOf(recorded)) === toJson(shapesOf(readStored()))
  if (process.env.UPDATE_DOCS && !isCurrent)
    writeFileSync(FILE, printExamples(updated(readStored(), recorded), toJson))
  expect(shapesOf(readStored())).toEqual(shapesOf(recorded))
})

test('every endpoint has an example of a request and of a success', () => {
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
    readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
  }
}

test('every example fits its schema', () => {
  const events = parseEvents(readFileSync(EVENTS_FILE, 'utf8'))
  const examples = { ...readStored(), events }
  const document = JSON.parse(JSON.stringify(openApi({ serverUrl: '/', examples })))
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
          for (const value of [example, examples?.recorded?.value])
            if (value !== undefined) check(schema, value, operationId)
      for (const { schema, example } of parameters)
        if (schema && typeof example === 'string' && !('type' in schema && schema.type !== 'string'))
          check(schema, example, operationId)
    }
  const shown: string[] = []
  for (const [name, { post }] of Object.entries<{ post: Operation }>(document.webhooks))
    for (const { schema, examples = {} } of Object.values(post.requestBody?.content ?? {}))
      for (const [type, example] of Object.entries(examples)) {
        check(schema, example.value, `${name} ${type}`)
        shown.push(type)
      }
  expect(shown.sort()).toEqual([...EVENT_TYPES].sort())
  expect(checked).toBeGreaterThan(290)
})

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly schema?: object & { type?: string }; readonly example?: unknown }[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses: Record<string, { readonly content?: Content }>
}

test.each([FILE, EVENTS_FILE])(
  'the examples of %s show no secret of a run, and no time or address of it',
  (file) => {
    const text = readFileSync(file, 'utf8')
    expect(text.length).toBeLessThan(300_000)
    for (const [id] of text.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g))
      expect(id).toMatch(/^0198c0de-0000-7000-8[0-9a-f]{3}-0{9}\d{3}$/)
    // The first and the last: what identifies a person is kept for five years.
    for (const [year] of text.matchAll(/\b20\d\d(?=-\d\d-\d\dT)/g))
      expect(['2021', '2025', '2026', '2027', '2031']).toContain(year)
    for (const [port] of text.matchAll(/(?<=127\.0\.0\.1:)\d+/g)) expect(port).toBe('8787')
  },
)
