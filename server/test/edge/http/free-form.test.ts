import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { FREE_FORM_MAX } from '@countersign/contract/core/schema'
import { expect, test } from 'vitest'
import { newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { buildMissingId, expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'

const { members, levels, bytes } = FREE_FORM_MAX

const buildKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]))
const nestObjects = (count: number): object => (count === 1 ? {} : { down: nestObjects(count - 1) })
const buildText = (count: number) => ({ text: 'x'.repeat(count - '{"text":""}'.length) })

const LARGEST = [
  buildKeys(members),
  { list: Array(members - 1).fill(1) },
  nestObjects(levels),
  buildText(bytes),
]
const TOO_LARGE = [
  buildKeys(members + 1),
  { list: Array(members).fill(1) },
  { one: buildKeys(members / 2), two: buildKeys(members / 2) },
  nestObjects(levels + 1),
  { list: [[[[[1]]]]] },
  buildText(bytes + 1),
  // The limit counts bytes, not characters.
  { text: 'é'.repeat(bytes / 2) },
]

test('free-form fields are limited in keys, levels and bytes, and refused by name', async () => {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const agent = await newAgent(client, customer.id)
  const buildQuote = (senderCustomerInfo: object) => ({
    source: { sourceType: 'ACCOUNT', accountId: buildMissingId('InternalAccount'), customerId: customer.id },
    destination: { destinationType: 'ACCOUNT', accountId: buildMissingId('ExternalAccount') },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1_000,
    senderCustomerInfo,
  })
  const approval = `/transactions/${buildMissingId('Transaction')}/approve`
  const calls = [
    ['senderCustomerInfo', (value: object) => client.post('/quotes', buildQuote(value))],
    ['senderCustomerInfo', (value: object) => agent.post('/agents/me/quotes', buildQuote(value))],
    ['receiverCustomerInfo', (value: object) => client.post(approval, { receiverCustomerInfo: value })],
  ] as const
  for (const [field, call] of calls) {
    // An accepted value leads to the next fault: a missing record.
    for (const value of LARGEST) expect((await call(value)).status).toBe(404)
    for (const value of TOO_LARGE) {
      const reply = await call(value)
      expectError(reply, { code: 'INVALID_INPUT', field })
      expect(reply.body.message).toContain(`${members} properties, ${levels} levels and ${bytes} bytes`)
    }
  }
})

/** The paths at which a schema accepts unknown keys without a limit. */
function findOpenPaths(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, properties, additionalProperties, freeFormMax, anyOf, oneOf, items, $ref } = schema as Record<
    string,
    unknown
  >
  const isRestricted = [type, properties, anyOf, oneOf, $ref, 'enum' in schema, 'const' in schema].some(
    Boolean,
  )
  const isOpen =
    !isRestricted || (additionalProperties ?? false) !== false || (type === 'object' && !properties && !oneOf)
  const children = [
    ...Object.entries((properties ?? {}) as object).map(([name, member]) => [member, `${path}.${name}`]),
    ...[anyOf ?? [], oneOf ?? []].flat().map((member) => [member, path]),
    ...(items ? [[items, `${path}[]`]] : []),
  ] as [unknown, string][]
  return [
    ...(isOpen && !freeFormMax ? [path] : []),
    ...children.flatMap(([member, childPath]) => findOpenPaths(member, childPath)),
  ]
}

test('no request body accepts unknown keys without a limit', () => {
  const openPaths = Object.entries<Endpoint>(API).flatMap(([name, { body }]) =>
    body ? findOpenPaths(body, name) : [],
  )
  expect(openPaths).toEqual([])
})
