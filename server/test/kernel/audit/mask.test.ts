import { API } from '@countersign/contract/api'
import { isObject } from '@countersign/contract/core/decode'
import { sensitivityOf } from '@countersign/contract/core/sensitivity'
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

const NOTHING = { path: '/x', params: {}, query: undefined, requestBody: undefined, responseBody: undefined }

/** A request body as the log shows it. */
const shownBody = (endpoint: LoggedEndpoint, requestBody: string, status = 400) =>
  toLoggedRequest({ ...NOTHING, endpoint, status, requestBody })

const SECRET = 'Quahog-5512-unique'

/** The names of all string properties of a schema, at any depth. */
function textsIn(schema: unknown, found: Map<string, JsonSchema[]>): Map<string, JsonSchema[]> {
  if (Array.isArray(schema)) for (const one of schema) textsIn(one, found)
  else if (isObject(schema)) {
    const { properties } = schema as { properties?: Record<string, JsonSchema> }
    for (const [name, member] of Object.entries(properties ?? {}))
      if (member.type === 'string') found.set(name, [...(found.get(name) ?? []), member])
    for (const one of Object.values(schema)) textsIn(one, found)
  }
  return found
}

const LOOKS_SECRET =
  /secret|token$|password|signature|^pan|cvv|cvc|otp|bundle|deviceCode|cardNumber|privateKey|signingKey|credentials$|assertion$|attestation|identifier$|documentNumber/i

/** The attestation preference of a new passkey is shown. */
test('every string of the contract whose name looks like a secret is hidden from the logs', () => {
  const texts = [...textsIn(Object.values(API), new Map())].filter(([name]) => LOOKS_SECRET.test(name))
  expect(texts.length).toBeGreaterThan(10)
  const shown = texts.filter(([, schemas]) =>
    schemas.some((schema) => sensitivityOf(schema as object) === 'plain'),
  )
  expect(shown.map(([name]) => name)).toEqual(['attestation'])
})

test.each(ENDPOINTS.filter(([, { body }]) => body))(
  'a string in any hidden field of %s, of any type and under any unknown name, is not in the log',
  { tags: 'long' },
  (_name, endpoint) => {
    const schema = endpoint.body as JsonSchema
    for (const sample of samples(schema)) {
      for (const { path, schema: member } of membersOf(schema, sample)) {
        const raws = [`{"x":"${SECRET}"}`, `["${SECRET}"]`, `{"${SECRET}":1}`]
        // A plain string without a pattern shows what a caller writes, such as the name of a call.
        const isShown =
          sensitivityOf(member as object) === 'plain' && !member.enum && !member.pattern && !member.format
        if (!isShown) raws.push(`"${SECRET}"`)
        for (const raw of raws) {
          const { requestBody } = shownBody(endpoint, withRaw(sample, path, raw))
          expect(requestBody ?? '', path.join('.')).not.toContain(SECRET)
        }
      }
      if (!isObject(sample)) continue
      for (const value of [SECRET, { [SECRET]: 1 }, { socialSecurity: [SECRET] }] as Json[]) {
        const { requestBody } = shownBody(
          endpoint,
          JSON.stringify({ ...sample, unknown: value, [SECRET]: 1 }),
        )
        expect(requestBody).not.toContain(SECRET)
        expect(requestBody).toContain('"unknown":"***"')
      }
    }
  },
)

test('a refusal that repeats a masked value shows the mask instead', () => {
  const { responseBody } = toLoggedRequest({
    ...NOTHING,
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

test('the numbers, ids and enums of a request are shown, and its free text is not', () => {
  const body = {
    customerId: 'Customer:0190a1b2-0000-7000-8000-000000000003',
    roles: ['UBO', 'SSN'],
    ownershipPercentage: 25,
    personalInfo: { firstName: 'Ada', idType: 'SSN', identifier: '123-45-6789', nationality: 'US' },
  }
  expect(JSON.parse(shownBody(API.beneficial_owner_create, JSON.stringify(body)).requestBody!)).toEqual({
    ...body,
    roles: ['UBO', '***'],
    personalInfo: { firstName: '***', idType: 'SSN', identifier: '***', nationality: '***' },
  })
})

test('a query and a path show only ids, numbers and enums', () => {
  const query = `limit=5&search=${SECRET}&${SECRET}=1&currency=USD&isIncludingDeleted=true&customerType=${SECRET}`
  const endpoint = API.customer_list
  const shown = toLoggedRequest({ ...NOTHING, endpoint, query, status: 400 }).query
  expect(shown).toBe('limit=5&search=***&***=***&currency=USD&isIncludingDeleted=true&customerType=***')
  const receiver = {
    endpoint: API.receiver_uma_lookup,
    params: { receiverUmaAddress: `$${SECRET}` },
    status: 404,
  }
  expect(toLoggedRequest({ ...NOTHING, ...receiver, path: `/receiver/uma/$${SECRET}` }).path).toBe(
    API.receiver_uma_lookup.path,
  )
  const customer = {
    endpoint: API.customer_get,
    params: { customerId: 'Customer:1' },
    path: '/customers/Customer:1',
  }
  expect(toLoggedRequest({ ...NOTHING, ...customer, status: 404 }).path).toBe('/customers/Customer:1')
})

test('any JSON can be masked, and other text is left out', () => {
  fc.assert(
    fc.property(fc.json(), (body) => {
      for (const endpoint of [API.quote_create, API.customer_create])
        expect(typeof (shownBody(endpoint, body).requestBody ?? '')).toBe('string')
    }),
  )
  for (const body of ['clientSecret=x', `{"a":"${SECRET}`])
    expect(shownBody(API.customer_create, body).requestBody).toBeNull()
})

test('a body over 8 KiB is cut between letters', () => {
  const agents = { data: Array(2000).fill({ id: 'Agent:é' }), hasMore: false }
  const { responseBody: text } = toLoggedRequest({
    ...NOTHING,
    endpoint: API.uma_provider_list,
    status: 200,
    responseBody: JSON.stringify(agents),
  })
  expect(Buffer.byteLength(text!)).toBeLessThanOrEqual(LOGGED_BODY_BYTES_MAX)
  expect(Buffer.byteLength(text!)).toBeGreaterThan(LOGGED_BODY_BYTES_MAX - 16)
  expect(text!.endsWith('…')).toBe(true)
})
