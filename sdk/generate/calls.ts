import { API } from '@countersign/contract/api'
import { type Endpoint, isStream } from '@countersign/contract/core/endpoint'
import { DETAIL_AMOUNTS } from '@countersign/contract/core/errors'
import { getOwnValue } from '@countersign/contract/core/objects'
import { WEBHOOKS } from '@countersign/contract/events/webhooks'
import { NOUNS } from '@countersign/contract/nouns'
import { PAYLOADS } from '@countersign/contract/signing/payloads'
import { membersOf, type Schema, schemaOf } from './schema.ts'
import { Shapes, shapeOf } from './shapes.ts'

/** All endpoints, one a line. */
export function generateCallsFile(): string {
  const shapes = new Shapes()
  const lines = Object.entries<Endpoint>(API).map(([name, endpoint]) => lineOf(name, endpoint, shapes))
  return `/**
 * Every call, one a line: name, noun and verb, method, path, what it is, and its answers. What it is: i takes an Idempotency-Key, s is
 * signed, u takes a file, b takes a body and q a query (B and Q: that cannot be left out), l answers a list, c and h answer CSV and HTML, e answers
 * a stream of events, which is followed and not called. An answer is its status, then a colon where it has a
 * body, then the number of its shape where there are amounts in it.
 */
export const CALLS = \`\n${lines.join('\n')}\n\`

/** The places of amounts. */
export const SHAPES: readonly unknown[] = ${shapes.text}

/** The places of amounts in the details of an error, and in the accounts that they list. */
export const DETAIL_SHAPE: unknown = ${formatDetailShape()}
`
}

function formatDetailShape(): string {
  const amounts = Object.fromEntries(DETAIL_AMOUNTS.map((name) => [name, 1]))
  return JSON.stringify({ ...amounts, accounts: [amounts] })
}

function lineOf(name: string, endpoint: Endpoint, shapes: Shapes): string {
  const { method, path, idempotent, signed, upload, body, query, texts, responses } = endpoint
  const flags = [
    idempotent && 'i',
    signed && 's',
    upload && 'u',
    (body || upload) && (isOptional(endpoint) ? 'b' : 'B'),
    query && !body && (isOptional(endpoint) ? 'q' : 'Q'),
    method === 'GET' && isList(responses[200]) && 'l',
    texts?.includes('csv') && 'c',
    texts?.includes('html') && 'h',
    texts?.includes('plain') && 't',
    texts?.includes('xml') && 'x',
    texts?.includes('ofx') && 'o',
    isStream(endpoint) && 'e',
  ]
  const answers = Object.entries(responses).map(([status, schema]) => {
    if (!schema) return status
    const shape = shapeOf(schemaOf(schema))
    return `${status}:${shape === undefined ? '' : shapes.indexOf(shape)}`
  })
  const verb = isStream(endpoint) ? '-' : getOwnValue(NOUNS, name)
  return [name, verb, method, path, `-${flags.filter(Boolean).join('')}`, ...answers].join(' ')
}

/** True if the body or the query is optional. */
export function isOptional({ body, bodyOptional, upload, query }: Endpoint): boolean {
  if (upload) return false
  const { required = [] } = schemaOf(body ?? query)
  return bodyOptional === true || required.length === 0
}

/** True if a response has a list of records in `data`. */
export function isList(schema: object | null | undefined): boolean {
  return schemaOf(schema).properties?.data?.type === 'array'
}

/** The parts of the contract that the wallet needs: the signed calls, and the schemas of their payloads. */
export function generateSigningFile(): string {
  const signed = Object.entries<Endpoint>(API).filter(([, { signed }]) => signed)
  const targets = Object.fromEntries(signed.map(([name, { method, path }]) => [name, `${method} ${path}`]))
  const nodes = new Nodes()
  const roots = Object.fromEntries(
    Object.entries(PAYLOADS).map(([name, schema]) => [name, nodes.indexOf(schemaOf(schema))]),
  )
  return `/** Method and path of every signed call. */
export const SIGNED_TARGETS = ${JSON.stringify(targets, null, 2)} as const

/** The node of each operation's payload. */
export const PAYLOAD_ROOTS = ${JSON.stringify(roots, null, 2)} as const

/** The schemas of payloads, a node a line: see strict-reader.ts. */
export const PAYLOAD_NODES = ${JSON.stringify(nodes.text)}
`
}

/**
 * Gives each different schema its line, in the form that strict-reader.ts reads: only what a device checks.
 */
export class Nodes {
  /** String comes first, because most fields are one: they need not name it. */
  readonly #lines: string[] = ['string']

  indexOf(schema: Schema): number {
    const line = this.#lineOf(schema)
    const known = this.#lines.indexOf(line)
    return known >= 0 ? known : this.#lines.push(line) - 1
  }

  get text(): string {
    return this.#lines.join('\n')
  }

  /** The number of a node in base 36, which is shorter. */
  #numberOf(schema: Schema): string {
    return this.indexOf(schema).toString(36)
  }

  #lineOf(schema: Schema): string {
    const { type, format, pattern, items, properties, discriminator } = schema
    const members = membersOf(schema)
    if (members)
      return `|${listOf([discriminator?.propertyName ?? '', ...members.map((one) => this.#numberOf(one))])}`
    if (format === 'int64') return 'int64'
    if (schema.enum) return `=${listOf(schema.enum)}`
    if (items) return `[${this.#numberOf(items)}`
    if (properties) return `{${listOf(this.#membersOf(schema))}`
    if (pattern !== undefined && !/^\^.*\$$/.test(pattern))
      throw new Error(`A payload has a pattern that is not of the whole text: ${pattern}`)
    if (pattern !== undefined) return `/${pattern.slice(1, -1)}`
    if (type === 'string' || type === 'integer' || type === 'boolean') return type
    throw new Error(`A payload has a schema that a device cannot check: ${JSON.stringify(schema)}`)
  }

  #membersOf({ properties = {}, required = [] }: Schema): string[] {
    return Object.entries(properties).map(([name, one]) => {
      const member = required.includes(name) ? name : `${name}?`
      if (one.enum?.length === 1) return `${member}=${listOf(one.enum)}`
      const at = this.#numberOf(one)
      return at === '0' ? member : `${member}:${at}`
    })
  }
}

function listOf(words: readonly unknown[]): string {
  if (words.some((word) => /[,\n]/.test(String(word)))) throw new Error(`A word has a comma: ${words}`)
  return words.join()
}

/** The places of amounts in each webhook, by the type of its event. */
export function generateWebhooksFile(): string {
  const shapes = Object.values(WEBHOOKS).flatMap(({ body }) => {
    const shape = shapeOf(schemaOf(body))
    const types = schemaOf(body).properties?.type?.enum ?? []
    return shape === undefined ? [] : types.map((type) => [String(type), shape] as const)
  })
  return `/** Where the amounts of each webhook are, by the type of its event. */
export const WEBHOOK_SHAPES: Readonly<Record<string, unknown>> = ${JSON.stringify(Object.fromEntries(shapes))}
`
}
