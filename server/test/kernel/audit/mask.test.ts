import { API } from '@countersign/contract/api'
import { isObject } from '@countersign/contract/core/decode'
import { getSensitivity } from '@countersign/contract/core/sensitivity'
import { LOGGED_BODY_BYTES_MAX } from '@countersign/contract/operation/request-log'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LoggedEndpoint, toLoggedRequest } from '../../../src/kernel/audit/request-log.ts'
import {
  ENDPOINTS,
  type Json,
  type JsonSchema,
  membersOf,
  samples,
  withRaw,
} from '../../worlds/contract/schemas.testing.ts'

const EMPTY_REQUEST = {
  path: '/x',
  params: {},
  query: undefined,
  requestBody: undefined,
  responseBody: undefined,
}

/** Builds the log entry of a request with this body. */
const maskBody = (endpoint: LoggedEndpoint, requestBody: string, status = 400) =>
  toLoggedRequest({ ...EMPTY_REQUEST, endpoint, status, requestBody })

const SECRET = 'Quahog-5512-unique'

/** Collects all string properties of a schema by name, at any depth. */
function collectStrings(
  schema: unknown,
  stringsByName: Map<string, JsonSchema[]>,
): Map<string, JsonSchema[]> {
  if (Array.isArray(schema)) for (const item of schema) collectStrings(item, stringsByName)
  else if (isObject(schema)) {
    const { properties } = schema as { properties?: Record<string, JsonSchema> }
    for (const [name, member] of Object.entries(properties ?? {}))
      if (member.type === 'string') stringsByName.set(name, [...(stringsByName.get(name) ?? []), member])
    for (const item of Object.values(schema)) collectStrings(item, stringsByName)
  }
  return stringsByName
}

const LOOKS_SECRET =
  /secret|token$|password|signature|^pan|cvv|cvc|otp|bundle|deviceCode|cardNumber|privateKey|signingKey|credentials$|assertion$|attestation|identifier$|documentNumber/i

/** `attestation` is shown, because it is only the preference of a new passkey. */
test('every string of the contract whose name looks like a secret is hidden from the logs', () => {
  const secretStrings = [...collectStrings(Object.values(API), new Map())].filter(([name]) =>
    LOOKS_SECRET.test(name),
  )
  expect(secretStrings.length).toBeGreaterThan(10)
  const visible = secretStrings.filter(([, schemas]) =>
    schemas.some((schema) => getSensitivity(schema as object) === 'plain'),
  )
  expect(visible.map(([name]) => name)).toEqual(['attestation'])
})

test.each(ENDPOINTS.filter(([, { body }]) => body))(
  'the log contains no string from a hidden or unknown field of %s, whatever its type',
  { tags: 'long' },
  (_name, endpoint) => {
    const schema = endpoint.body as JsonSchema
    for (const sample of samples(schema)) {
      for (const { path, schema: member } of membersOf(schema, sample)) {
        const raws = [`{"x":"${SECRET}"}`, `["${SECRET}"]`, `{"${SECRET}":1}`]
        // Logs show a plain string without a pattern unchanged, such as the name of an operation.
        const isShown =
          getSensitivity(member as object) === 'plain' && !member.enum && !member.pattern && !member.format
        if (!isShown) raws.push(`"${SECRET}"`)
        for (const raw of raws) {
          const { requestBody } = maskBody(endpoint, withRaw(sample, path, raw))
          expect(requestBody ?? '', path.join('.')).not.toContain(SECRET)
        }
      }
      if (!isObject(sample)) continue
      for (const value of [SECRET, { [SECRET]: 1 }, { socialSecurity: [SECRET] }] as Json[]) {
        const { requestBody } = maskBody(endpoint, JSON.stringify({ ...sample, unknown: value, [SECRET]: 1 }))
        expect(requestBody).not.toContain(SECRET)
        expect(requestBody).toContain('"unknown":"***"')
      }
    }
  },
)

test('a logged refusal masks each value that it repeats from the request', () => {
  const { responseBody } = toLoggedRequest({
    ...EMPTY_REQUEST,
    endpoint: API.beneficial_owner_create,
    status: 400,
    requestBody: JSON.stringify({ personalInfo: { identifier: SECRET } }),
    responseBody: JSON.stringify({
      status: 400,
      code: 'INVALID_INPUT',
      message: `${SECRET} is odd`,
      details: { [SECRET]: SECRET },
    }),
  })
  expect(JSON.parse(responseBody!)).toEqual({
    ...{ status: 400, code: 'INVALID_INPUT', message: '*** is odd' },
    details: { '***': '***' },
  })
})

test('the log shows the numbers, ids and enums of a request, and masks its free text', () => {
  const body = {
    customerId: 'Customer:0190a1b2-0000-7000-8000-000000000003',
    roles: ['UBO', 'SSN'],
    ownershipPercentage: 25,
    personalInfo: { firstName: 'Ada', idType: 'SSN', identifier: '123-45-6789', nationality: 'US' },
  }
  expect(JSON.parse(maskBody(API.beneficial_owner_create, JSON.stringify(body)).requestBody!)).toEqual({
    ...body,
    roles: ['UBO', '***'],
    personalInfo: { firstName: '***', idType: 'SSN', identifier: '***', nationality: '***' },
  })
})

test('the log shows only the ids, numbers and enums of a query and a path', () => {
  const query = `limit=5&search=${SECRET}&${SECRET}=1&currency=USD&isIncludingDeleted=true&customerType=${SECRET}`
  const endpoint = API.customer_list
  const visible = toLoggedRequest({ ...EMPTY_REQUEST, endpoint, query, status: 400 }).query
  expect(visible).toBe('limit=5&search=***&***=***&currency=USD&isIncludingDeleted=true&customerType=***')
  const receiver = {
    endpoint: API.receiver_uma_lookup,
    params: { receiverUmaAddress: `$${SECRET}` },
    status: 404,
  }
  expect(toLoggedRequest({ ...EMPTY_REQUEST, ...receiver, path: `/receiver/uma/$${SECRET}` }).path).toBe(
    API.receiver_uma_lookup.path,
  )
  const customer = {
    endpoint: API.customer_get,
    params: { customerId: 'Customer:1' },
    path: '/customers/Customer:1',
  }
  expect(toLoggedRequest({ ...EMPTY_REQUEST, ...customer, status: 404 }).path).toBe('/customers/Customer:1')
})

test('the log masks any JSON body, and leaves out other bodies', () => {
  fc.assert(
    fc.property(fc.json(), (body) => {
      for (const endpoint of [API.quote_create, API.customer_create])
        expect(typeof (maskBody(endpoint, body).requestBody ?? '')).toBe('string')
    }),
  )
  for (const body of ['clientSecret=x', `{"a":"${SECRET}`])
    expect(maskBody(API.customer_create, body).requestBody).toBeNull()
})

test('a logged body over 8 KiB is cut between characters', () => {
  const agents = { data: Array(2000).fill({ id: 'Agent:é' }), hasMore: false }
  const { responseBody: text } = toLoggedRequest({
    ...EMPTY_REQUEST,
    endpoint: API.uma_provider_list,
    status: 200,
    responseBody: JSON.stringify(agents),
  })
  expect(Buffer.byteLength(text!)).toBeLessThanOrEqual(LOGGED_BODY_BYTES_MAX)
  expect(Buffer.byteLength(text!)).toBeGreaterThan(LOGGED_BODY_BYTES_MAX - 16)
  expect(text!.endsWith('…')).toBe(true)
})
