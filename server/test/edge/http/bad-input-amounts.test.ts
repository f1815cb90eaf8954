import { describe, expect, test } from 'vitest'
import { parseJson, toCanonicalJson, toJson } from '../../../src/base/json/json.ts'
import { fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import {
  buildValidBody,
  expectError,
  forEach,
  newWorld,
  type World,
} from '../../worlds/contract/calls.testing.ts'
import {
  ENDPOINTS,
  type JsonSchema,
  membersOf,
  samples,
  typeOf,
} from '../../worlds/contract/schemas.testing.ts'

const INT64_MAX = 2n ** 63n - 1n
const BEYOND_DOUBLE = 2n ** 53n + 1n

test('the schema of every amount in a request limits it to int64', () => {
  const integers = ENDPOINTS.flatMap(([name, { body }]) =>
    samples((body ?? {}) as JsonSchema).flatMap((sample) =>
      membersOf((body ?? {}) as JsonSchema, sample)
        .filter(({ path, schema }) => typeOf(schema) === 'integer' && /amount/i.test(String(path.at(-1))))
        .map(({ path, schema }) => [`${name} ${path.join('.')}`, schema.format]),
    ),
  )
  expect(integers.length).toBeGreaterThanOrEqual(4)
  expect(integers.filter(([, format]) => format !== 'int64')).toEqual([])
})

describe('amounts over HTTP', () => {
  test('of 2^53+1 and 2^63-1 come back exact, digit by digit', async () => {
    const client = await newPlatform()
    const [usd] = (await client.get('/config')).body.supportedCurrencies
    const supportedCurrencies = [{ ...usd, minAmount: BEYOND_DOUBLE, maxAmount: INT64_MAX }]
    const update = await client.send('PATCH', '/config', { supportedCurrencies })
    expect(update.status).toBe(200)
    for (const { body } of [update, await client.get('/config')])
      expect(body.supportedCurrencies).toMatchObject([{ minAmount: BEYOND_DOUBLE, maxAmount: INT64_MAX }])
    const response = await fetch(`${client.baseUrl}/config`, {
      headers: { Authorization: client.authorization },
    })
    const text = await response.text()
    for (const expectedText of ['"minAmount":9007199254740993', '"maxAmount":9223372036854775807'])
      expect(text).toContain(expectedText)
    const tooLarge = toJson([{ ...usd, maxAmount: INT64_MAX + 1n }])
    const refusal = await client.send('PATCH', '/config', `{"supportedCurrencies":${tooLarge}}`)
    expectError(refusal, { code: 'INVALID_INPUT', field: 'supportedCurrencies.0.maxAmount' })
  })

  test('that are not positive integers within the limit are refused by name, and leave the balance unchanged', async () => {
    const client = await newPlatform()
    const { usd, id } = await newCustomer(client)
    const badAmounts = [
      '-1',
      '0',
      '1.5',
      '"1"',
      '1e400',
      '-0.5',
      '9223372036854775808',
      'null',
      '1e-1',
      '9007199254740993',
    ]
    await forEach(badAmounts, async (amount) => {
      const reply = await client.post(`/sandbox/internal-accounts/${usd}/fund`, `{"amount":${amount}}`)
      expectError(reply, { code: 'INVALID_INPUT', field: 'amount', what: amount })
    })
    const { data } = (await client.get(`/customers/internal-accounts?customerId=${id}&currency=USD`)).body
    expect(data[0].totalBalance.amount).toBe(0)
  })

  test('have their integer value in every JSON notation', async () => {
    const client = await newPlatform()
    const { usd } = await newCustomer(client)
    let expected = 0
    for (const [text, amount] of [
      ['1e2', 100],
      ['100.0', 100],
      ['1.5e1', 15],
      ['100000000000', 1e11],
    ] as const) {
      const reply = await client.post(`/sandbox/internal-accounts/${usd}/fund`, `{"amount":${text}}`)
      expected += amount
      expect(reply.body.balance.amount, text).toBe(expected)
    }
  })

  test('in a quote are exact up to the largest amount, and refused by name beyond it', {
    tags: 'long',
  }, async () => {
    const world: World = await newWorld(await newPlatform())
    const requestQuote = (amount: bigint) =>
      world.client.post('/quotes', {
        ...(buildValidBody('quote_create', world.ids) as object),
        lockedCurrencyAmount: amount,
      })
    for (const amount of [9_000_000_000_000_001n, BEYOND_DOUBLE, INT64_MAX, INT64_MAX + 1n])
      expectError(await requestQuote(amount), {
        code: 'INVALID_INPUT',
        field: 'lockedCurrencyAmount',
        what: `${amount}`,
      })
    const largestAmount = 9_000_000_000_000_000n
    expectError(await requestQuote(largestAmount), {
      code: 'AMOUNT_OUT_OF_RANGE',
      field: 'lockedCurrencyAmount',
    })
    const [usd] = (await world.client.get('/config')).body.supportedCurrencies
    const supportedCurrencies = [{ ...usd, maxAmount: INT64_MAX }]
    await world.client.send('PATCH', '/config', { supportedCurrencies })
    const acceptedQuote = await requestQuote(largestAmount)
    expect(acceptedQuote.status).toBe(201)
    const { totalSendingAmount, feesIncluded, totalReceivingAmount } = acceptedQuote.body
    expect(BigInt(totalSendingAmount)).toBe(largestAmount)
    expect(BigInt(feesIncluded) + BigInt(totalReceivingAmount)).toBe(largestAmount)
  })

  test('add up exactly over many deposits', async () => {
    const client = await newPlatform()
    const { usd, id } = await newCustomer(client)
    await forEach(Array.from({ length: 30 }), () => fund(client, usd, 99_999_999_999n))
    const { data } = (await client.get(`/customers/internal-accounts?customerId=${id}&currency=USD`)).body
    expect(BigInt(data[0].balance.amount)).toBe(30n * 99_999_999_999n)
  })
})

describe('JSON with 64-bit integers', () => {
  const edges = [
    0n,
    1n,
    -1n,
    2n ** 53n - 1n,
    2n ** 53n,
    BEYOND_DOUBLE,
    INT64_MAX,
    -(2n ** 63n),
    2n ** 63n,
    10n ** 30n,
  ]

  test.each(edges)('parses and prints %s unchanged', (integer) => {
    const text = `{"a":[${integer}]}`
    const value = parseJson(text) as { a: [number | bigint] }
    expect(BigInt(value.a[0])).toBe(integer)
    expect(toJson(value)).toBe(text)
    expect(toCanonicalJson(value)).toBe(text)
    expect(typeof value.a[0]).toBe(Number.isSafeInteger(Number(integer)) ? 'number' : 'bigint')
  })

  test('parses numbers that are not integers as JSON.parse does', () => {
    for (const text of ['1.5', '-0.25', '1e3', '1E-7', '0.1', '12345678901234567890.5', '1e400', '-0'])
      expect(parseJson(`[${text}]`)).toEqual(JSON.parse(`[${text}]`))
  })

  test('parses the other fields unchanged next to a long number', () => {
    const otherFields = {
      text: 'a\u2028"\\\ud83d\ude00',
      list: [null, true, {}],
      'toString ': 1,
      hasOwnProperty: [],
      '': 0.5,
    }
    const value = parseJson(`{"long":12345678901234567890,${JSON.stringify(otherFields).slice(1)}`) as {
      long: bigint
    }
    expect(value).toEqual({ long: 12345678901234567890n, ...otherFields })
    expect(parseJson('{"a":12345678901234567890,"a":1}')).toEqual({ a: 1 })
  })

  test('has the same canonical text for equal values, in any order of their keys', () => {
    const [firstText, secondText] = [
      '{"b":[{"d":1,"c":9007199254740993}],"a":2}',
      '{"a":2,"b":[{"c":9007199254740993,"d":1}]}',
    ]
    expect(toCanonicalJson(parseJson(firstText!))).toBe(toCanonicalJson(parseJson(secondText!)))
  })
})
