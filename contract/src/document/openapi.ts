import type { TObject, TSchema } from 'typebox'
import { API, type EndpointName } from '../api.ts'
import { DESCRIPTION_VERSION } from '../core/api-version.ts'
import {
  type Endpoint,
  getBodyBytesMax,
  isStream,
  KIB,
  MIB,
  TEXT_TYPES,
  type TextType,
} from '../core/endpoint.ts'
import { listErrorCodes } from '../core/endpoint-errors.ts'
import { ERROR_CODES, ERRORS, ErrorBody, type ErrorCode } from '../core/errors.ts'
import { keysOf } from '../core/objects.ts'
import { createWireSpelling, WEBHOOK_SIGNATURE_HEADER } from '../core/wire-word.ts'
import { eventTypesOf, WEBHOOKS, type Webhook } from '../events/webhooks.ts'
import { formatNounCall } from '../nouns.ts'
import { MEMBER_COOKIE } from '../platforms/member-sessions.ts'
import {
  findParameterExample,
  type RecordedCall,
  type RecordedExamples,
  toExample,
  toExamples,
} from './examples.ts'
import { buildResponseHeaders, getResponseHeaders, requestHeaders, type SharedHeader } from './headers.ts'
import { getNamedSchemas, pascalCase } from './naming.ts'
import { references } from './references.ts'
import { SECTIONS } from './tags.ts'

export interface OpenApiOptions {
  /** The base address, including the version segment. The document's paths are relative to it. */
  readonly serverUrl: string
  /** Default: `DESCRIPTION_VERSION` in numeric form. */
  readonly version?: string
  /** Sandbox endpoints are omitted for production. Default: sandbox. */
  readonly mode?: 'sandbox' | 'production'
  /** Recorded calls to show as examples. Default: none. */
  readonly examples?: RecordedExamples
  /** Replaces `svc` in the names that contain the specification's wire word. Default: `svc`. */
  readonly wireWord?: string
}

/**
 * Converts `2026-06-25` to `2026.6.25`, which npm, PyPI and Maven accept as the version of a generated
 * package.
 */
function toVersionNumber(date: string): string {
  return date.split('-').map(Number).join('.')
}

/** Tags whose operations may change without notice (specification 9). */
const EXPERIMENTAL_TAGS: ReadonlySet<string> = new Set(['Agents', 'Agent access'])

/** Marks operations and tags that are experimental. */
function getStability(tag: string): Json {
  return EXPERIMENTAL_TAGS.has(tag) ? { 'x-stability': 'experimental' } : {}
}

/** The tag of webhooks, which the server sends. */
const WEBHOOKS_TAG = 'Webhooks'

/** The introduction of a section, with the URL of its guide on this server. */
function buildTag(tag: string): Json {
  const section = SECTIONS[tag]
  if (!section) return {}
  const url = `/docs/guides/${section.guide}`
  return {
    description: `${section.introduction}\n\n[Read the guide](${url})`,
    externalDocs: { description: 'The guide', url },
  }
}

type Json = Record<string, unknown>

/** Builds the OpenAPI 3.1 document of this API. Pure: the same options give the same document. */
export function openApi(options: OpenApiOptions): Json {
  // Our own names are replaced in the whole text, which contains no content of callers.
  const text = createWireSpelling(options.wireWord).text(JSON.stringify(buildDocument(options)))
  return JSON.parse(text)
}

function buildDocument(options: OpenApiOptions): Json {
  const paths: Record<string, Json> = {}
  const tags = new Set<string>()
  for (const name of keysOf(API)) {
    const endpoint: Endpoint = API[name]
    if (endpoint.sandboxOnly && options.mode === 'production') continue
    tags.add(endpoint.tag)
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(name, endpoint, options.examples?.calls[name]),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: options.version ?? toVersionNumber(DESCRIPTION_VERSION),
      'x-description-version': DESCRIPTION_VERSION,
      description:
        'Payments with embedded wallets. Amounts are integers in the smallest unit of their currency. Names and other strings, ' +
        'except explanations, are a single line without control characters and text direction marks. Unknown query parameters and ' +
        'body fields return 400, unless lenientInput is set in the configuration. Fields that exist only in the returned record are ignored.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    security: [{ BasicAuth: [] }],
    tags: [...tags, WEBHOOKS_TAG].map((tag) => ({ name: tag, ...buildTag(tag), ...getStability(tag) })),
    paths,
    webhooks: Object.fromEntries(
      Object.entries(WEBHOOKS).map(([name, webhook]) => [
        name,
        { post: toWebhookOperation(name, webhook, options.examples?.events) },
      ]),
    ),
    ...(options.examples ? { 'x-example-records': options.examples.records } : {}),
    components: {
      schemas: { ...namedComponents(), ...buildFormComponents(), ...buildErrorComponents() },
      parameters: requestHeaders(),
      headers: buildResponseHeaders(),
      securitySchemes: {
        BasicAuth: {
          type: 'http',
          scheme: 'basic',
          description:
            "User name: a token's `clientId`. Password: its `clientSecret`. A sandbox's credentials.json has both, the user name as `tokenId`.",
        },
        MemberCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: MEMBER_COOKIE,
          description:
            "The session of a team member who is signed in to the console, for this server's own pages.",
        },
        CustomerBearer: { type: 'http', scheme: 'bearer', description: "A customer's token." },
        AgentBearer: { type: 'http', scheme: 'bearer', description: "An agent's access token." },
      },
    },
  }
}

function operation(name: EndpointName, endpoint: Endpoint, call: RecordedCall | undefined): Json {
  const notes = [
    endpoint.description,
    endpoint.auth === 'platform' && formatPermissionNote(endpoint),
    endpoint.sandboxOnly && 'Sandbox only. In production, the call returns 404.',
  ]
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: notes.filter(Boolean).join('\n\n'),
    security: getSecurity(endpoint),
    ...getStability(endpoint.tag),
    ...(endpoint.auth === 'platform' ? permissionMembers(endpoint) : {}),
    ...(endpoint.sandboxOnly ? { 'x-sandbox-only': true } : {}),
    'x-codeSamples': [
      {
        lang: 'TypeScript',
        label: '@countersign/sdk',
        source: buildSample(name, endpoint),
      },
    ],
    parameters: buildParameters(endpoint, call),
    ...buildRequestBody(name, endpoint, call?.body),
    responses: { ...buildSuccesses(endpoint, call?.answers), ...buildErrorResponses(endpoint) },
  }
}

/**
 * The call as runnable SDK code. The marker for an optional body, which only belongs in the table of calls,
 * is removed.
 */
function buildSample(name: EndpointName, endpoint: Endpoint): string {
  const call = `countersign.${formatNounCall(name, endpoint).replace('body?', 'body')}`
  return isStream(endpoint) ? `for await (const event of ${call}) { … }` : `await ${call}`
}

function buildRequestBody(name: EndpointName, endpoint: Endpoint, example: unknown): Json {
  const { body, bodyOptional, upload } = endpoint
  const form = { $ref: `#/components/schemas/${toFormName(name)}` }
  if (upload)
    return {
      requestBody: {
        description: `The file may have at most ${upload.bytesMax / MIB} MiB.`,
        required: true,
        content: { 'multipart/form-data': { schema: form, ...toExample(withFile(example)) } },
      },
    }
  if (!body) return {}
  return {
    requestBody: {
      description: `At most ${getBodyBytesMax(endpoint) / KIB} KiB.`,
      required: !bodyOptional,
      content: jsonContent(body, example),
    },
  }
}

/** Schemas of upload forms, which also contain a file and therefore do not exist in the contract. */
function buildFormComponents(): Json {
  const uploads = keysOf(API).filter((name) => 'upload' in API[name])
  return Object.fromEntries(
    uploads.map((name) => {
      const { body }: Endpoint = API[name]
      return [toFormName(name), buildFormSchema(body)]
    }),
  )
}

function toFormName(name: EndpointName): string {
  return `${pascalCase(name)}Form`
}

/** The schema of an upload form: its text fields and its file. */
function buildFormSchema(fields: TSchema | undefined): unknown {
  const { properties = {}, required = [] } = (fields ?? {}) as Partial<TObject>
  const file = { type: 'string', format: 'binary', description: 'The part with a file name' }
  return {
    type: 'object',
    required: ['file', ...required],
    properties: { file, ...refer(properties) },
  }
}

function withFile(fields: unknown): unknown {
  return typeof fields === 'object' ? { file: 'The bytes of a file', ...fields } : undefined
}

/** An endpoint that needs a permission. */
type Restricted = Extract<Endpoint, { auth: 'platform' }>

function formatPermissionNote({ permission, orPermission, furtherPermission }: Restricted): string {
  const also = furtherPermission ? `, and ${furtherPermission.permission} if ${furtherPermission.when}` : ''
  return `Needs the permission ${orPermission ? `${permission} or ${orPermission}` : permission}${also}.`
}

function permissionMembers({ permission, orPermission: or, furtherPermission: further }: Restricted): Json {
  return {
    'x-permission': permission,
    ...(or ? { 'x-or-permission': or } : {}),
    ...(further ? { 'x-further-permission': further } : {}),
  }
}

/** Describes a request from this server to the platform's server. */
function toWebhookOperation(name: string, webhook: Webhook, events: RecordedExamples['events'] = {}): Json {
  const { summary, body, responses } = webhook
  const examples = eventTypesOf(webhook).flatMap((type) =>
    events[type] ? [[type, { value: events[type] }] as const] : [],
  )
  return {
    operationId: `${name.replaceAll('-', '_')}_webhook`,
    tags: [WEBHOOKS_TAG],
    summary,
    description: `Signed in ${WEBHOOK_SIGNATURE_HEADER} and in the headers of Standard Webhooks 1.0.`,
    security: [],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: refer(body),
          ...(examples.length > 0 ? { examples: Object.fromEntries(examples) } : {}),
        },
      },
    },
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { description, body }]) => [
        status,
        { description, ...(body ? { content: jsonContent(body) } : {}) },
      ]),
    ),
  }
}

function getSecurity(endpoint: Endpoint): Json[] {
  if (endpoint.auth === 'platform')
    return [
      { BasicAuth: [] },
      { MemberCookie: [] },
      ...(endpoint.customerToken ? [{ CustomerBearer: [] }] : []),
    ]
  if (endpoint.auth === 'member') return [{ MemberCookie: [] }]
  return endpoint.auth === 'agent' ? [{ AgentBearer: [] }] : []
}

function buildParameters(endpoint: Endpoint, call: RecordedCall | undefined): Json[] {
  const referToHeader = (name: SharedHeader) => ({ $ref: `#/components/parameters/${name}` })
  return [
    ...buildFields('path', endpoint.params, call?.params),
    ...buildFields('query', endpoint.query, call?.query),
    ...(isStream(endpoint) ? [referToHeader('LastEventId')] : []),
    ...(takesCookie(endpoint) && endpoint.method !== 'GET' ? [referToHeader('Origin')] : []),
    ...(endpoint.signed ? [referToHeader('WalletSignature'), referToHeader('RequestId')] : []),
    ...(endpoint.idempotent === 'required' ? [referToHeader('RequiredIdempotencyKey')] : []),
    ...(endpoint.idempotent === true ? [referToHeader('IdempotencyKey')] : []),
  ]
}

/** True if team members can call the endpoint with their session cookie. */
function takesCookie({ auth }: Endpoint): boolean {
  return auth === 'platform' || auth === 'member'
}

function buildFields(
  place: 'path' | 'query',
  fields: TObject | undefined,
  examples: Readonly<Record<string, string>> = {},
): Json[] {
  if (!fields) return []
  const required: readonly string[] = fields.required ?? []
  return Object.entries<TSchema>(fields.properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: refer(schema),
    ...findParameterExample(schema, examples[name]),
  }))
}

function buildSuccesses(endpoint: Endpoint, examples: RecordedCall['answers'] = {}): Json {
  const responses: Json = {}
  for (const [status, schema] of Object.entries(endpoint.responses))
    responses[status] = {
      description:
        status === '202' && endpoint.signed
          ? 'Signature required: sign the payload and send the same request again'
          : endpoint.summary,
      ...getResponseHeaders(endpoint, Number(status)),
      ...buildContent(schema, status === '200' ? (endpoint.texts ?? []) : [], examples[status]),
    }
  return responses
}

/** The content of a response: JSON, and any other media types. */
function buildContent(schema: TSchema | null, texts: readonly TextType[], example: unknown): Json {
  if (!schema && texts.length === 0) return {}
  const text = { schema: { type: 'string' }, ...(schema ? {} : toExamples(example)) }
  return {
    content: {
      ...(schema ? { 'application/json': { schema: refer(schema), ...toExamples(example) } } : {}),
      ...Object.fromEntries(texts.map((type) => [TEXT_TYPES[type], text])),
    },
  }
}

function buildErrorResponses(endpoint: Endpoint): Json {
  const byStatus = groupByStatus(listErrorCodes(endpoint))
  const responses: Json = {}
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b))
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n'),
      ...getResponseHeaders(endpoint, status),
      content: { 'application/json': { schema: { $ref: `#/components/schemas/Error${status}` } } },
    }
  return responses
}

function groupByStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = ERRORS[code]
    groups.set(status, [...(groups.get(status) ?? []), code])
  }
  return groups
}

function jsonContent(schema: TSchema, example?: unknown): Json {
  return { 'application/json': { schema: refer(schema), ...toExample(example) } }
}

/** Error body schemas, one per status, each with the codes of that status. */
function buildErrorComponents(): Json {
  // METHOD_NOT_ALLOWED is omitted, because requests described by the document never cause it.
  const byStatus = groupByStatus(ERROR_CODES.filter((code) => code !== 'METHOD_NOT_ALLOWED'))
  const { reason, ...members } = refer(ErrorBody.properties)
  return Object.fromEntries(
    [...byStatus].flatMap(([status, codesOfStatus]) => [
      [
        `Error${status}`,
        {
          type: 'object',
          required: ErrorBody.required,
          properties: {
            ...members,
            status: { type: 'integer', enum: [status] },
            code: { $ref: `#/components/schemas/Error${status}Code` },
            ...(status === 401 ? { reason } : {}),
          },
        },
      ],
      [`Error${status}Code`, { type: 'string', enum: codesOfStatus }],
    ]),
  )
}

const { refer, components: namedComponents } = references(getNamedSchemas())
