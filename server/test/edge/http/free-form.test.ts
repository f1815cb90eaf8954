import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { FREE_FORM_MAX } from '@countersign/contract/core/schema'
import { expect, test } from 'vitest'
import { newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError, missingId } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'

const { members, levels, bytes } = FREE_FORM_MAX

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]))
const deep = (count: number): object => (count === 1 ? {} : { down: deep(count - 1) })
const long = (count: number) => ({ text: 'x'.repeat(count - '{"text":""}'.length) })

const MOST = [many(members), { list: Array(members - 1).fill(1) }, deep(levels), long(bytes)]
const TOO_MUCH = [
  many(members + 1),
  { list: Array(members).fill(1) },
  { one: many(members / 2), two: many(members / 2) },
  deep(levels + 1),
  { list: [[[[[1]]]]] },
  long(bytes + 1),
  // Bytes, not characters.
  { text: 'é'.repeat(bytes / 2) },
]

test('free-form fields are bounded in keys, levels and bytes, and refused by name', async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const agent = await newAgent(client, customer.id)
  const quote = (senderCustomerInfo: object) => ({
    source: { sourceType: 'ACCOUNT', accountId: missingId('InternalAccount'), customerId: customer.id },
    destination: { destinationType: 'ACCOUNT', accountId: missingId('ExternalAccount') },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1_000,
    senderCustomerInfo,
  })
  const approval = `/transactions/${missingId('Transaction')}/approve`
  const calls = [
    ['senderCustomerInfo', (given: object) => client.post('/quotes', quote(given))],
    ['senderCustomerInfo', (given: object) => agent.post('/agents/me/quotes', quote(given))],
    ['receiverCustomerInfo', (given: object) => client.post(approval, { receiverCustomerInfo: given })],
  ] as const
  for (const [field, call] of calls) {
    // The next fault is reported.
    for (const given of MOST) expect((await call(given)).status).toBe(404)
    for (const given of TOO_MUCH) {
      const reply = await call(given)
      expectError(reply, { code: 'INVALID_INPUT', field })
      expect(reply.body.message).toContain(`${members} properties, ${levels} levels and ${bytes} bytes`)
    }
  }
})

/** The places at which a schema accepts unknown keys, by path. */
function openPlaces(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, properties, additionalProperties, freeFormMax, anyOf, oneOf, items, $ref } = schema as Record<
    string,
    unknown
  >
  const says = [type, properties, anyOf, oneOf, $ref, 'enum' in schema, 'const' in schema].some(Boolean)
  const takesAnything =
    !says || (additionalProperties ?? false) !== false || (type === 'object' && !properties && !oneOf)
  const inside = [
    ...Object.entries((properties ?? {}) as object).map(([name, member]) => [member, `${path}.${name}`]),
    ...[anyOf ?? [], oneOf ?? []].flat().map((member) => [member, path]),
    ...(items ? [[items, `${path}[]`]] : []),
  ] as [unknown, string][]
  return [
    ...(takesAnything && !freeFormMax ? [path] : []),
    ...inside.flatMap(([member, place]) => openPlaces(member, place)),
  ]
}

test('no request body accepts keys that are neither named nor bounded', () => {
  const open = Object.entries<Endpoint>(API).flatMap(([name, { body }]) =>
    body ? openPlaces(body, name) : [],
  )
  expect(open).toEqual([])
})
