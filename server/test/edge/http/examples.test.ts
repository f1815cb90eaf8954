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
import { readPlatformClock } from '../../worlds/records/payments.testing.ts'

const FILE = fileURLToPath(new URL('../../../../docs/reference/examples.jsonl', import.meta.url))
const EVENTS_FILE = fileURLToPath(new URL('../../../../docs/reference/events.jsonl', import.meta.url))
const readStored = (): RecordedExamples => parseExamples(readFileSync(FILE, 'utf8'))

/** The statuses and the field names of a call, without values. */
function toShape({ params, query, body, answers }: RecordedCall) {
  const listFields = (value: unknown) =>
    typeof value === 'object' && value !== null ? Object.keys(value).sort() : typeof value
  return {
    params: listFields(params),
    query: listFields(query),
    body: listFields(body),
    answers: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, listFields(answer)]),
    ),
  }
}

const toShapes = ({ calls }: RecordedExamples) =>
  Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, toShape(call)]))

/** The stored examples, with only changed calls replaced, so that the diff shows the change. */
function mergeExamples(stored: RecordedExamples, recorded: RecordedExamples): RecordedExamples {
  const [before, now] = [toShapes(stored), toShapes(recorded)]
  // A record has the same id in all calls.
  const replaceIds = (call: RecordedCall): RecordedCall =>
    JSON.parse(
      Object.entries(recorded.records).reduce(
        (text, [kind, id]) => text.replaceAll(id, stored.records[kind] ?? id),
        toJson(call),
      ),
    )
  const calls = Object.entries(recorded.calls).map(([name, call]) => {
    const unchangedCall = toJson(before[name]) === toJson(now[name]) ? stored.calls[name] : undefined
    return [name, unchangedCall ?? replaceIds(call)] as const
  })
  return { records: { ...recorded.records, ...stored.records }, calls: Object.fromEntries(calls) }
}

test('the examples of the reference page match current calls (else: npm run docs)', async () => {
  const platform = await newPlatform()
  const client = new RecordingClient(platform)
  const { records, failed } = await playSandbox(client)
  expect(failed).toEqual([])
  await playProduction(client)
  const recorded = client.examples(records as Record<string, string>, await readPlatformClock(platform))
  expect(Object.keys(recorded.calls).sort()).toEqual(Object.keys(API).sort())
  const isCurrent = toJson(toShapes(recorded)) === toJson(toShapes(readStored()))
  if (process.env.UPDATE_DOCS && !isCurrent)
    writeFileSync(FILE, printExamples(mergeExamples(readStored(), recorded), toJson))
  expect(toShapes(readStored())).toEqual(toShapes(recorded))
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

test('every example in the OpenAPI document matches its schema', () => {
  const events = parseEvents(readFileSync(EVENTS_FILE, 'utf8'))
  const examples = { ...readStored(), events }
  const document = JSON.parse(JSON.stringify(openApi({ serverUrl: '/', examples })))
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, validateFormats: false }))
  ajv.addSchema(document, 'api')
  let checked = 0
  const expectMatch = (schema: object, value: unknown, label: string) => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components')
    const validate = ajv.compile(JSON.parse(text))
    expect(validate(value), `${label} ${JSON.stringify(validate.errors)}`).toBe(true)
    checked += 1
  }
  for (const item of Object.values<Record<string, Operation>>(document.paths))
    for (const { operationId, parameters, requestBody, responses } of Object.values(item)) {
      const contents = [requestBody, ...Object.values(responses)].map((part) => part?.content ?? {})
      for (const content of contents)
        for (const { schema, example, examples } of Object.values(content))
          for (const value of [example, examples?.recorded?.value])
            if (value !== undefined) expectMatch(schema, value, operationId)
      for (const { schema, example } of parameters)
        if (schema && typeof example === 'string' && !('type' in schema && schema.type !== 'string'))
          expectMatch(schema, example, operationId)
    }
  const eventTypes: string[] = []
  for (const [name, { post }] of Object.entries<{ post: Operation }>(document.webhooks))
    for (const { schema, examples = {} } of Object.values(post.requestBody?.content ?? {}))
      for (const [type, example] of Object.entries(examples)) {
        expectMatch(schema, example.value, `${name} ${type}`)
        eventTypes.push(type)
      }
  expect(eventTypes.sort()).toEqual([...EVENT_TYPES].sort())
  expect(checked).toBeGreaterThan(290)
})

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly schema?: object & { type?: string }; readonly example?: unknown }[]
  readonly requestBody?: { readonly content?: Content }
  readonly responses: Record<string, { readonly content?: Content }>
}

test.each([FILE, EVENTS_FILE])(
  'the examples in %s contain no id, time or address of the recorded run',
  (file) => {
    const text = readFileSync(file, 'utf8')
    expect(text.length).toBeLessThan(300_000)
    for (const [id] of text.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g))
      expect(id).toMatch(/^0198c0de-0000-7000-8[0-9a-f]{3}-0{9}\d{3}$/)
    // 2021 and 2031 occur because personal data is kept for five years.
    for (const [year] of text.matchAll(/\b20\d\d(?=-\d\d-\d\dT)/g))
      expect(['2021', '2025', '2026', '2027', '2031']).toContain(year)
    for (const [port] of text.matchAll(/(?<=127\.0\.0\.1:)\d+/g)) expect(port).toBe('8787')
  },
)
