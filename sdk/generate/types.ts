import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { listErrorCodes } from '@countersign/contract/core/endpoint-errors'
import { ERRORS } from '@countersign/contract/core/errors'
import { getNamedSchemas } from '@countersign/contract/document/naming'
import { isComponent, shapeOf } from '@countersign/contract/document/shape'
import { EventEnvelope } from '@countersign/contract/events/events'
import { WEBHOOKS } from '@countersign/contract/events/webhooks'
import { PAYLOADS } from '@countersign/contract/signing/payloads'
import { membersOf, type Schema, schemaOf } from './schema.ts'

/** The names of schemas by their shape, as in the document of the API. */
const nameByShape = new Map(getNamedSchemas().map(([name, schema]) => [shapeOf(schema), name]))

/** TypeScript of every schema and every call, from the contract, without the schema library. */
export function generateTypesFile(): string {
  const named = getNamedSchemas().map(([name, schema]) => declaration(name, schema))
  return [
    named.join('\n\n'),
    `/** Every code of the error table. */\nexport type ErrorCode =${union(Object.keys(ERRORS))}`,
    ...(nameByShape.has(shapeOf(EventEnvelope))
      ? []
      : [declaration('EventEnvelope', schemaOf(EventEnvelope))]),
    formatInterface(
      'Calls',
      'Every call by its name in the contract.',
      Object.entries<Endpoint>(API).map(callOf),
    ),
    formatInterface(
      'Payloads',
      'The payload that a wallet signs, by operation.',
      Object.entries(PAYLOADS).map(([name, schema]) => `${name}: ${typeOf(schemaOf(schema))}`),
    ),
    formatInterface(
      'WebhookBodies',
      'The webhook of each type of event.',
      Object.entries(WEBHOOKS).map(
        ([name, { body }]) => `${JSON.stringify(name)}: ${typeOf(schemaOf(body))}`,
      ),
    ),
  ].join('\n\n')
}

function formatInterface(name: string, what: string, members: readonly string[]): string {
  return `/** ${what} */\nexport interface ${name} {\n${members.join('\n')}\n}`
}

function callOf([name, endpoint]: [string, Endpoint]): string {
  const { auth, params, query, body, bodyOptional, upload, signed, idempotent, summary, method, path } =
    endpoint
  const file = upload ? 'FileInput' : undefined
  const own = body && typeOf(schemaOf(body))
  const whole = [own, file].filter((one) => one !== undefined).join(' & ') || 'undefined'
  return [
    `/** ${summary}. \`${method} ${path}\` */`,
    `${name}: {`,
    `auth: '${auth}'`,
    `params: ${params ? typeOf(schemaOf(params)) : 'Record<never, never>'}`,
    `query: ${query ? typeOf(schemaOf(query)) : 'Record<never, never>'}`,
    `body: ${whole}${bodyOptional ? ' | undefined' : ''}`,
    `signed: ${Boolean(signed)}`,
    `idempotent: ${Boolean(idempotent)}`,
    `answer: ${formatResponseUnion(endpoint)}`,
    `error: ${union(listErrorCodes(endpoint))}`,
    '}',
  ].join('\n')
}

function formatResponseUnion({ responses, texts }: Endpoint): string {
  return Object.entries(responses)
    .map(([status, schema]) => {
      const json = schema ? typeOf(schemaOf(schema)) : undefined
      const isText = texts !== undefined && status === '200'
      const body = isText
        ? [json, 'string'].filter((one) => one !== undefined).join(' | ')
        : (json ?? 'undefined')
      return `| { status: ${status}; body: ${body} }`
    })
    .join(' ')
}

function declaration(name: string, schema: Schema): string {
  const own = inside(schema)
  const comment = doc(schema.description)
  return own.startsWith('{') && !membersOf(schema)
    ? `${comment}export interface ${name} ${own}`
    : `${comment}export type ${name} = ${own}`
}

/** The type of a schema: its name, if it has one. */
export function typeOf(schema: Schema): string {
  return (isComponent(schema) ? nameByShape.get(shapeOf(schema)) : undefined) ?? inside(schema)
}

function inside(schema: Schema): string {
  const members = membersOf(schema)
  if (members) return `(${[...new Set(members.map(typeOf))].join(' | ')})`
  if (schema.allOf) return `(${schema.allOf.map(typeOf).join(' & ')})`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return `(${schema.enum.map((one) => JSON.stringify(one)).join(' | ')})`
  if (Array.isArray(schema.type))
    return `(${schema.type.map((type) => ofType({ ...schema, type })).join(' | ')})`
  return ofType(schema)
}

function ofType(schema: Schema): string {
  const { type, format, items } = schema
  switch (type) {
    case undefined:
      return 'unknown'
    case 'integer':
      return format === 'int64' ? 'bigint' : 'number'
    case 'array':
      return `(${items ? typeOf(items) : 'unknown'})[]`
    case 'object':
      return formatObject(schema)
    default:
      return String(type)
  }
}

function formatObject({ properties, patternProperties, required = [] }: Schema): string {
  if (patternProperties) {
    const [value = {}] = Object.values(patternProperties)
    return `Record<string, ${typeOf(value)}>`
  }
  if (!properties) return 'Record<string, unknown>'
  const members = Object.entries(properties).map(
    ([name, property]) =>
      `${doc(property.description)}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(property)}`,
  )
  return members.length === 0 ? 'Record<never, never>' : `{\n${members.join('\n')}\n}`
}

function doc(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`
}

function union(words: readonly string[]): string {
  return words.length === 0 ? 'never' : words.map((word) => ` | '${word}'`).join('')
}
