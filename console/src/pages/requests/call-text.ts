import { API } from '@countersign/contract/api'
import { decode, isObject } from '@countersign/contract/core/decode'
import { isKeyOf, keysOf } from '@countersign/contract/core/objects'
import { NOUNS } from '@countersign/contract/nouns'
import type { LoggedRequest } from '@countersign/contract/operation/request-log'
import type { Static, TSchema } from 'typebox'

type Request = Static<typeof LoggedRequest>

/**
 * A request as a curl command. It takes the credentials from shell variables, and repeats the idempotency
 * key, so that nothing happens twice.
 */
export function curlOf(request: Request, baseUrl: string): string {
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
 * A request as a call of the SDK, with the types of its contract: amounts are `bigint`. Undefined for a call
 * without a verb, or with a truncated body.
 */
export function sdkCallOf({
  operation,
  path,
  query,
  requestBody,
  idempotencyKey,
}: Request): string | undefined {
  if (!isKeyOf(NOUNS, operation) || !isKeyOf(API, operation)) return undefined
  const endpoint = API[operation]
  const input = 'body' in endpoint ? bodyOf(endpoint.body, requestBody) : queryOf(endpoint, query)
  if (input === undefined) return undefined
  const given = keysOf(input).length > 0 ? [literal(input)] : []
  const options = idempotencyKey ? [literal({ idempotencyKey })] : []
  const inputs = options.length > 0 && given.length === 0 && 'body' in endpoint ? ['{}'] : given
  const values = [
    ...parametersOf(endpoint.path, path).map((one) => JSON.stringify(one)),
    ...inputs,
    ...options,
  ]
  return `await countersign.${NOUNS[operation]}(${values.join(', ')})`
}

/** The values of a path's parameters, in their order. */
function parametersOf(template: string, path: string): string[] {
  const segments = path.split('/')
  return template
    .split('/')
    .flatMap((name, at) => (name.startsWith('{') ? [decodeURIComponent(segments[at] ?? '')] : []))
}

type Input = Readonly<Record<string, unknown>>

function bodyOf(schema: TSchema, text: string | undefined): Input | undefined {
  if (text === undefined || text === '') return {}
  try {
    const body = decode(schema, JSON.parse(text))
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

function queryOf(endpoint: object, query: string | undefined): Input {
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

/** A value as a literal of TypeScript: names without quotes, integers of 64 bits as `25n`. */
export function literal(value: unknown, indent = ''): string {
  if (typeof value === 'bigint') return `${value}n`
  const inner = `${indent}  `
  if (Array.isArray(value))
    return value.length === 0 ? '[]' : `[${value.map((one) => literal(one, indent)).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.entries(value).filter(([, one]) => one !== undefined)
  if (members.length === 0) return '{}'
  const lines = members.map(([name, one]) => `${inner}${nameOf(name)}: ${literal(one, inner)},`)
  return `{\n${lines.join('\n')}\n${indent}}`
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}
