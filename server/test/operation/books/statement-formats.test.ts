import { beforeAll, describe, expect, test } from 'vitest'
import { entriesOf, pickStatements } from '../../../src/outside/bank-files/formats/bank-records.testing.ts'
import { readIsoMessages } from '../../../src/outside/bank-files/formats/iso-messages.ts'
import { readMt940 } from '../../../src/outside/bank-files/formats/mt-940-reader.ts'
import { all, bytesOf } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { type Client, newCustomer, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { payNow, statementOf } from '../../worlds/records/payments.testing.ts'

let client: Client
let usd: string
let wallet: string
let statement: Reply['body']

beforeAll(async () => {
  client = await newPlatform()
  const customer = await newCustomer(client, { fullName: 'Zoë <& Łukasz>' })
  usd = customer.usd
  wallet = customer.wallet
  for (let n = 0; n < 3; n++) await payNow(client, customer.id, { receivingCurrencyAmount: 1_000 + n })
  await client.advance(0)
  statement = await statementOf(client, usd)
})

const textOf = async (format: string, accountId = usd) =>
  (await client.get(`/statements?accountId=${accountId}&format=${format}`)).body

describe('a statement in a format of banks', () => {
  test('as camt.053 is read by the reader of bank files, with its balances and entries', async () => {
    const records = await all(readIsoMessages(bytesOf(await textOf('camt053'))))
    const found = JSON.stringify(records, (_, value) => (typeof value === 'bigint' ? String(value) : value))
    expect(records.length).toBeGreaterThan(statement.lines.length)
    expect(found).toContain(String(statement.closingBalance))
    for (const { amount } of statement.lines) expect(found).toContain(String(amount))
  })

  test('as MT940 is read by the reader of bank files, with its balances and entries', async () => {
    const records = await all(readMt940(bytesOf(await textOf('mt940'))))
    expect(entriesOf(records).map(({ amount }) => Number(amount))).toEqual(
      statement.lines.map(({ amount }: { amount: number }) => amount),
    )
    const [found] = pickStatements(records)
    expect(found?.contradiction).toBeNull()
    expect(found?.balances.slice(0, 2).map(({ amount }) => Number(amount))).toEqual([
      ...[statement.openingBalance, statement.closingBalance],
    ])
  })

  test('as MT940 has only lines of the SWIFT set, at most 65 characters each', async () => {
    const lines = (await textOf('mt940')).split('\r\n')
    for (const line of lines) expect(line).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{0,65}$/)
    expect(lines.filter((line: string) => line.startsWith(':61:'))).toHaveLength(statement.lines.length)
    expect(lines.at(-2)).toBe('-')
  })

  test('escapes names in XML', async () => {
    const xml = await textOf('camt053')
    expect(xml).toContain('<Nm>Zoë &lt;&amp; Łukasz&gt;</Nm>')
    expect(xml).not.toContain('<& ')
  })

  test.each([
    ['camt053', 'application/xml', 'xml'],
    ['mt940', 'text/plain', 'sta'],
    ['ofx', 'application/x-ofx', 'ofx'],
  ])('as %s is a file of the type %s', async (format, type, extension) => {
    const response = await fetch(`${client.baseUrl}/statements?accountId=${usd}&format=${format}`, {
      headers: { Authorization: client.authorization },
    })
    expect(response.headers.get('Content-Type')).toBe(`${type}; charset=utf-8`)
    expect(response.headers.get('Content-Disposition')).toMatch(new RegExp(`\\.${extension}"$`))
    await response.text()
  })

  test.each(['camt053', 'mt940', 'ofx'])(
    'as %s is refused for a currency outside of ISO 4217',
    async (format) => {
      const refused = await client.get(`/statements?accountId=${wallet}&format=${format}`)
      expectError(refused, { code: 'INVALID_INPUT', field: 'format' })
    },
  )
})
