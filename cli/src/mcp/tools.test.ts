import { API } from '@countersign/contract/api'
import { isObject } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { OWN_KEYWORDS } from '@countersign/contract/core/schema'
import type { OwnAgent } from '@countersign/sdk/agent'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { addWords, isAmountName } from './answer-words.ts'
import { removeNulls, type ToolSchema, toCallInput } from './input-schemas.ts'
import { listTools, TOOLS } from './tools.ts'

const tools = listTools(undefined)
const inputs = tools.map(({ name, inputSchema }) => [name, inputSchema] as const)

/** The schemas inside a schema, and itself, each with its path. */
function listSchemas(schema: ToolSchema, path = ''): [string, ToolSchema][] {
  const { properties = {}, items, anyOf = [] } = schema
  return [
    [path, schema],
    ...Object.entries(properties).flatMap(([name, property]) => listSchemas(property, `${path}/${name}`)),
    ...(items ? listSchemas(items, `${path}/items`) : []),
    ...anyOf.flatMap((alternative, index) => listSchemas(alternative, `${path}/${index}`)),
  ]
}

/** The fields of every object in a schema. */
const listProperties = (schema: ToolSchema) =>
  listSchemas(schema).flatMap(([path, { properties = {} }]) =>
    Object.entries(properties).map(([name, property]) => [`${path}/${name}`, property] as const),
  )

const takesNull = ({ type, anyOf = [] }: ToolSchema): boolean =>
  type === 'null' || (Array.isArray(type) && type.includes('null')) || anyOf.some(takesNull)

/** Keywords of a schema that are the names of its members elsewhere. */
const listKeywords = (schema: ToolSchema) =>
  new Set(listSchemas(schema).flatMap(([, nested]) => Object.keys(nested)))

describe.each(inputs)('the input schema of %s', (_, schema) => {
  test('compiles in the strict mode of Ajv, in both drafts that clients assume', () => {
    for (const Validator of [Ajv, Ajv2020]) {
      const ajv = new Validator({ strict: true, validateSchema: true })
      expect(ajv.compile(schema)).toBeTypeOf('function')
    }
  })

  test('uses only keywords that JSON Schema, OpenAI and Gemini share', () => {
    const objects = ['type', 'description', 'properties', 'required', 'additionalProperties']
    const shared = new Set([...objects, 'enum', 'items', 'anyOf', 'minimum', 'maximum', 'maxItems'])
    const used = listKeywords(schema)
    expect([...used].filter((keyword) => !shared.has(keyword))).toEqual([])
    expect([...OWN_KEYWORDS].filter((keyword) => used.has(keyword))).toEqual([])
  })

  test('is a strict OpenAI function: closed objects, every field required, an object at the root', () => {
    expect(schema.type).toBe('object')
    for (const [path, { type, properties, required, additionalProperties }] of listSchemas(schema)) {
      if (![type].flat().includes('object')) continue
      expect(additionalProperties, path).toBe(false)
      expect(required, path).toEqual(Object.keys(properties ?? {}))
    }
    expect(listSchemas(schema).filter(([path]) => path.split('/').length > 10)).toEqual([])
  })

  test('is a Gemini function: strings in every enum, a type or alternatives in every schema', () => {
    for (const [path, { type, enum: words, anyOf, items }] of listSchemas(schema)) {
      expect(type === undefined, path).toBe(anyOf !== undefined)
      if (words)
        expect([type, words.every((word) => typeof word === 'string')], path).toEqual(['string', true])
      expect([type].flat().includes('array'), path).toBe(items !== undefined)
    }
  })

  test('describes a field as optional only if it accepts null', () => {
    for (const [path, member] of listProperties(schema)) {
      const { description = '' } = member
      expect(description, path).not.toMatch(/left out|omitted|optional|\bdefault\b/i)
      if (!takesNull(member)) expect(description, path).not.toMatch(/\bnull\b/)
    }
  })
})

describe('the input fields of the tools', () => {
  test.each(Object.entries(TOOLS))(
    '%s requires what its endpoint requires, and what the tool insists on',
    (name, tool) => {
      const { params, query, body } = API[tool.call] as Endpoint
      const required = [params, query, body].flatMap(
        (part) => (part as { required?: string[] } | undefined)?.required ?? [],
      )
      const insistsOn = 'insistsOn' in tool ? [...tool.insistsOn] : []
      const { properties } = inputs.find(([toolName]) => toolName === name)![1]
      const mandatory = Object.entries(properties).flatMap(([member, schema]) =>
        takesNull(schema) ? [] : [member],
      )
      expect(mandatory.sort()).toEqual([...new Set([...required, ...insistsOn])].sort())
    },
  )

  test('null stands for an omitted field, at every level', () => {
    const input = {
      amount: 1,
      idempotencyKey: null,
      destination: { accountId: 'a', paymentRail: null },
      list: [{ a: null }],
    }
    expect(removeNulls(input)).toEqual({ amount: 1, destination: { accountId: 'a' }, list: [{}] })
  })

  test('an object with arbitrary names is accepted as pairs and as an object', () => {
    const buildBody = (senderCustomerInfo: unknown) =>
      toCallInput(API.agent_me_quote_create, { senderCustomerInfo }).body
    const sent = { senderCustomerInfo: { FULL_NAME: 'Ada', COUNTRY: 'GB' } }
    expect(
      buildBody([
        { name: 'FULL_NAME', value: 'Ada' },
        { name: 'COUNTRY', value: 'GB' },
      ]),
    ).toEqual(sent)
    expect(buildBody(sent.senderCustomerInfo)).toEqual(sent)
    expect(buildBody(['Ada'])).toEqual({ senderCustomerInfo: ['Ada'] })
  })
})

describe('the list of tools', () => {
  const id = (kind: string, index: number) =>
    `${kind}:019a3f5e-0000-7000-8000-${String(index).padStart(12, '0')}`
  const makeIds = (kind: string) => Array.from({ length: 200 }, (_, index) => id(kind, index))
  /** An agent with the longest policy that the contract allows. */
  const agent: OwnAgent = {
    id: id('Agent', 1),
    name: 'Shopper',
    customerId: id('Customer', 1),
    isPaused: false,
    isConnected: true,
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:00Z',
    usage: { dailySpend: 0n, dailyTransactionCount: 0, monthlySpend: 0n },
    policy: {
      permissions: ['VIEW_TRANSACTIONS', 'CREATE_TRANSFERS', 'CREATE_QUOTES', 'EXECUTE_QUOTES'],
      defaultExecutionMode: 'AUTO',
      spendingLimits: { currency: 'USD', perTransactionLimit: 1n, dailyLimit: 1n, monthlyLimit: 1n },
      accountRestrictions: {
        allowedAccountIds: makeIds('InternalAccount'),
        allowedExternalAccountIds: makeIds('ExternalAccount'),
        accountRules: makeIds('InternalAccount').map((accountId) => ({ accountId, perTransactionLimit: 1n })),
      },
    },
  }

  test('is smaller than 40 kB with the longest policy', () => {
    const list = JSON.stringify({ tools: listTools(agent) })
    expect(list).toContain('and 190 more (countersign_whoami lists them)')
    expect(Buffer.byteLength(list)).toBeLessThan(40_000)
  })

  test('has names that start with the server prefix and that every model provider accepts', () => {
    for (const { name } of tools) expect(name).toMatch(/^countersign_[a-z_]{1,50}$/)
  })

  test('mentions no tool without its prefix in a description', () => {
    const bare = tools
      .map(({ name }) => name.replace('countersign_', ''))
      .filter((name) => name.includes('_'))
    for (const { description } of listTools(agent))
      for (const name of bare) expect(description).not.toMatch(new RegExp(`(?<!countersign_)\\b${name}\\b`))
  })
})

/** The names of the 64-bit integers in a contract schema. */
function listAmounts(schema: unknown): string[] {
  if (!isObject(schema)) return []
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {})
  const nestedSchemas = [
    schema.items,
    ...[schema.anyOf, schema.oneOf].flat(),
    ...properties.map(([, property]) => property),
  ]
  const amountNames = properties.flatMap(([name, property]) => (holdsAmount(property) ? [name] : []))
  return [...amountNames, ...nestedSchemas.flatMap(listAmounts)]
}

function holdsAmount(schema: unknown): boolean {
  if (!isObject(schema)) return false
  return schema.format === 'int64' || (Array.isArray(schema.anyOf) && schema.anyOf.some(holdsAmount))
}

test.each(Object.values(TOOLS).map(({ call }) => call))(
  'every amount in the response of %s has words',
  (call) => {
    const responses = Object.values((API[call] as Endpoint).responses)
    expect(responses.flatMap(listAmounts).filter((name) => !isAmountName(name))).toEqual([])
  },
)

test('amounts in words use the currency of the amount, whichever object names it', () => {
  const [usd, xof] = ['USD', 'XOF'].map((code, at) => ({
    code,
    name: code,
    symbol: code,
    decimals: at ? 0 : 2,
  }))
  expect(
    addWords({
      totalSendingAmount: 2n ** 60n,
      sendingCurrency: usd,
      totalReceivingAmount: 5n,
      receivingCurrency: xof,
      rateDetails: { counterpartyFixedFee: 7n, svcApiFixedFee: 7n },
    }),
  ).toMatchObject({
    totalSendingAmountInWords: '11529215046068469.76 USD',
    totalReceivingAmountInWords: '5 XOF',
    rateDetails: { counterpartyFixedFeeInWords: '7 XOF', svcApiFixedFeeInWords: '0.07 USD' },
  })
  const amounts = { sentAmount: { amount: 1n, currency: usd }, receivedAmount: { amount: 2n, currency: xof } }
  expect(addWords({ type: 'INCOMING', fees: 3n, ...amounts })).toMatchObject({ feesInWords: '3 XOF' })
  expect(addWords({ type: 'OUTGOING', fees: 3n, ...amounts })).toMatchObject({ feesInWords: '0.03 USD' })
  const policy = { spendingLimits: { currency: 'USD', dailyLimit: null, perTransactionLimit: 100n } }
  expect(
    addWords({ policy: { ...policy, approvalThresholds: { amount: 5n } }, usage: { dailySpend: 1n } }),
  ).toEqual({
    policy: {
      spendingLimits: { ...policy.spendingLimits, perTransactionLimitInWords: '1.00 USD' },
      approvalThresholds: { amount: 5n, amountInWords: '0.05 USD' },
    },
    usage: { dailySpend: 1n, dailySpendInWords: '0.01 USD' },
  })
  const counted = { rule: 'dailyTransactionLimit', asked: 1n, left: 0n, currency: 'USD' }
  expect(addWords(counted)).toEqual(counted)
})
