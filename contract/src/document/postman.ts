import { type TObject, Type } from 'typebox'
import { API, type EndpointName } from '../api.ts'
import { type Endpoint, isStream } from '../core/endpoint.ts'
import { keysOf } from '../core/objects.ts'
import { createWireSpelling } from '../core/wire-word.ts'
import type { RecordedCall, RecordedExamples } from './examples.ts'
import { SECTIONS } from './tags.ts'

export interface PostmanOptions {
  /** The base address, including the version segment. */
  readonly serverUrl: string
  /** Sandbox endpoints are omitted for production. */
  readonly mode: 'sandbox' | 'production'
  /** Replaces `svc` in the names that contain the specification's wire word. Default: `svc`. */
  readonly wireWord?: string
  /** Recorded calls, from which bodies and parameters are filled in. */
  readonly examples: RecordedExamples
}

type Json = Record<string, unknown>

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** A script that stores the id of a returned record in a variable, which later calls use. */
const REMEMBER_IDS = [
  'if (pm.response.code < 300 && (pm.response.headers.get("Content-Type") || "").includes("json")) {',
  '  const body = pm.response.json()',
  '  const records = Array.isArray(body.data) ? body.data.slice(0, 1) : [body]',
  '  for (const { id } of records) {',
  '    const kind = /^([A-Za-z]+):/.exec(id)',
  '    if (kind) pm.collectionVariables.set(kind[1], id)',
  '  }',
  '}',
]

/**
 * Builds a Postman collection, which Bruno and Insomnia can also import. Each record's id is in a variable
 * named after its kind, such as `{{Customer}}`. Pure: the same options give the same collection.
 */
export function buildPostmanCollection(options: PostmanOptions): Json {
  const text = createWireSpelling(options.wireWord).text(JSON.stringify(buildCollection(options)))
  return JSON.parse(text)
}

function buildCollection({ serverUrl, mode, examples }: PostmanOptions): Json {
  const folders = new Map<string, Json[]>()
  for (const name of keysOf(API)) {
    const endpoint: Endpoint = API[name]
    const auth = buildAuth(endpoint)
    if (!auth || (endpoint.sandboxOnly && mode === 'production')) continue
    const item = buildItem(name, endpoint, auth, examples)
    folders.set(endpoint.tag, [...(folders.get(endpoint.tag) ?? []), item])
  }
  const records = Object.entries(examples.records).map(([kind, id]) => variable(kind, id))
  return {
    info: {
      name: 'Countersign',
      schema: SCHEMA,
      description:
        'Set the variables tokenId and clientSecret; a sandbox writes both to credentials.json. Create a ' +
        "customer first: each response sets its record's variable, which other requests use.",
    },
    auth: basic,
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: REMEMBER_IDS } }],
    variable: [
      variable('baseUrl', serverUrl),
      variable('tokenId'),
      variable('clientSecret'),
      variable('agentToken'),
      ...records,
    ],
    item: [...folders].map(([tag, item]) => ({
      name: tag,
      description: SECTIONS[tag]?.introduction ?? '',
      item,
    })),
  }
}

const variable = (key: string, value = '') => ({ key, value, type: 'string' })

const basic = {
  type: 'basic',
  basic: [variable('username', '{{tokenId}}'), variable('password', '{{clientSecret}}')],
}

/** Undefined for an endpoint that is only called by another system, with a signature. */
function buildAuth({ auth }: Endpoint): Json | undefined {
  if (auth === 'platform') return basic
  if (auth === 'agent') return { type: 'bearer', bearer: [variable('token', '{{agentToken}}')] }
  return auth === 'member' || auth === 'public' || auth === 'deviceCode' ? { type: 'noauth' } : undefined
}

function buildItem(name: EndpointName, endpoint: Endpoint, auth: Json, examples: RecordedExamples): Json {
  const call = examples.calls[name]
  const withVariables = (value: unknown): unknown => replaceIds(examples.records, value)
  return {
    name: endpoint.summary,
    request: {
      method: endpoint.method,
      description: [`\`${name}\``, endpoint.description].filter(Boolean).join('\n\n'),
      auth,
      header: buildHeaders(endpoint),
      url: buildUrl(endpoint, call, withVariables),
      ...buildBody(endpoint, withVariables(call?.body)),
    },
    response: [],
  }
}

function buildHeaders(endpoint: Endpoint): Json[] {
  return [
    ...(endpoint.idempotent ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
    ...(isStream(endpoint) ? [{ key: 'Accept', value: 'text/event-stream' }] : []),
  ]
}

function buildUrl(
  { path, params, query }: Endpoint,
  call: RecordedCall | undefined,
  withVariables: (value: unknown) => unknown,
): Json {
  const segments = path.split('/').slice(1)
  const findRecordedValue = (values: Readonly<Record<string, string>> | undefined, name: string) =>
    String(withVariables(values?.[name] ?? ''))
  const recorded = call?.query ?? {}
  return {
    raw: `{{baseUrl}}${path.replace(/\{(\w+)\}/g, ':$1')}`,
    host: ['{{baseUrl}}'],
    path: segments.map((segment) => segment.replace(/^\{(\w+)\}/, ':$1')),
    variable: listProperties(params).map((name) => ({
      key: name,
      value: findRecordedValue(call?.params, name),
    })),
    query: listProperties(query).map((name) => ({
      key: name,
      value: findRecordedValue(recorded, name),
      disabled: recorded[name] === undefined,
    })),
  }
}

function listProperties(fields: TObject = Type.Object({})): string[] {
  return Object.keys(fields.properties)
}

function buildBody({ body, upload }: Endpoint, example: unknown): Json {
  if (upload) {
    const texts = typeof example === 'object' && example !== null ? Object.entries(example) : []
    const fields = texts.map(([key, value]) => ({ key, value: String(value), type: 'text' }))
    return { body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }, ...fields] } }
  }
  if (!body) return {}
  const raw = JSON.stringify(example ?? {}, null, 2)
  return { body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } }
}

/** Replaces record ids in a recorded value with variables. */
function replaceIds(records: Readonly<Record<string, string>>, value: unknown): unknown {
  if (value === undefined) return undefined
  let text = JSON.stringify(value)
  for (const [kind, id] of Object.entries(records)) text = text.replaceAll(id, `{{${kind}}}`)
  return JSON.parse(text)
}
