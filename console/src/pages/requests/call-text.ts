import { API } from '@countersign/contract/api'
import { decode, isObject } from '@countersign/contract/core/decode'
import { isKeyOf, keysOf } from '@countersign/contract/core/objects'
import { NOUNS } from '@countersign/contract/nouns'
import type { LoggedRequest } from '@countersign/contract/operation/request-log'
import type { Static, TSchema } from 'typebox'

type Request = Static<typeof LoggedRequest>

/**
 * Formats a request as a curl command. The credentials come from shell variables, and the idempotency key is
 * repeated, so that the request is not executed a second time.
 */
export function formatCurl(request: Request, baseUrl: string): string {
  const { method, path, query, idempotencyKey, requestBody } = request
  const parts = [
    `curl -X ${method} ${quoteForShell(`${baseUrl}${path}${query ? `?${query}` : ''}`)}`,
    '-u "$TOKEN_ID:$CLIENT_SECRET"',
    ...(idempotencyKey ? [`-H ${quoteForShell(`Idempotency-Key: ${idempotencyKey}`)}`] : []),
    ...(requestBody ? ["-H 'Content-Type: application/json'", `-d ${quoteForShell(requestBody)}`] : []),
  ]
  return parts.join(' \\\n  ')
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * Formats a request as an SDK call, with the contract's types: amounts are `bigint`. Undefined for a call
 * without a verb or with a truncated body.
 */
export function formatSdkCall({
  operation,
  path,
  query,
  requestBody,
  idempotencyKey,
}: Request): string | undefined {
  if (!isKeyOf(NOUNS, operation) || !isKeyOf(API, operation)) return undefined
  const endpoint = API[operation]
  const input = 'body' in endpoint ? parseBody(endpoint.body, requestBody) : parseQuery(endpoint, query)
  if (input === undefined) return undefined
  const inputLiterals = keysOf(input).length > 0 ? [formatLiteral(input)] : []
  const options = idempotencyKey ? [formatLiteral({ idempotencyKey })] : []
  const inputs =
    options.length > 0 && inputLiterals.length === 0 && 'body' in endpoint ? ['{}'] : inputLiterals
  const values = [
    ...getPathParameters(endpoint.path, path).map((parameter) => JSON.stringify(parameter)),
    ...inputs,
    ...options,
  ]
  return `await countersign.${NOUNS[operation]}(${values.join(', ')})`
}

/** Extracts the values of the path parameters, in order. */
function getPathParameters(template: string, path: string): string[] {
  const segments = path.split('/')
  return template
    .split('/')
    .flatMap((name, at) => (name.startsWith('{') ? [decodeURIComponent(segments[at] ?? '')] : []))
}

type Input = Readonly<Record<string, unknown>>

function parseBody(schema: TSchema, text: string | undefined): Input | undefined {
  if (text === undefined || text === '') return {}
  try {
    const body = decode(schema, JSON.parse(text))
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

function parseQuery(endpoint: object, query: string | undefined): Input {
  const schema = 'query' in endpoint && isObject(endpoint.query) ? endpoint.query.properties : undefined
  const properties = isObject(schema) ? schema : {}
  return Object.fromEntries(
    [...new URLSearchParams(query ?? '')].map(([name, value]) => {
      const property = properties[name]
      const type = isObject(property) ? property.type : undefined
      return [
        name,
        type === 'integer' || type === 'number'
          ? Number(value)
          : type === 'boolean'
            ? value === 'true'
            : value,
      ]
    }),
  )
}

/** Formats a value as a TypeScript literal: names without quotes, 64-bit integers as `25n`. */
export function formatLiteral(value: unknown, indent = ''): string {
  if (typeof value === 'bigint') return `${value}n`
  const inner = `${indent}  `
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[${value.map((item) => formatLiteral(item, indent)).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value).filter(([, property]) => property !== undefined)
  if (members.length === 0) return '{}'
  const lines = members.map(
    ([name, property]) => `${inner}${formatPropertyName(name)}: ${formatLiteral(property, inner)},`,
  )
  return `{\n${lines.join('\n')}\n${indent}}`
}

function formatPropertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}
