import { beforeAll, describe, expect, test } from 'vitest'
import { readIsoMessages } from '../../../src/outside/bank-files/formats/iso-messages.ts'
import { readMt940 } from '../../../src/outside/bank-files/formats/mt-940-reader.ts'
import {
  all,
  bytesOf,
  entriesOf,
  pickStatements,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
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

const readText = async (format: string, accountId = usd) =>
  (await client.get(`/statements?accountId=${accountId}&format=${format}`)).body

describe('a statement in a bank format', () => {
  test('as camt.053 is understood by the bank file reader, with its balances and entries', async () => {
    const records = await all(readIsoMessages(bytesOf(await readText('camt053'))))
    const printedRecords = JSON.stringify(records, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    expect(records.length).toBeGreaterThan(statement.lines.length)
    expect(printedRecords).toContain(String(statement.closingBalance))
    for (const { amount } of statement.lines) expect(printedRecords).toContain(String(amount))
  })

  test('as MT940 is understood by the bank file reader, with its balances and entries', async () => {
    const records = await all(readMt940(bytesOf(await readText('mt940'))))
    expect(entriesOf(records).map(({ amount }) => Number(amount))).toEqual(
      statement.lines.map(({ amount }: { amount: number }) => amount),
    )
    const [parsedStatement] = pickStatements(records)
    expect(parsedStatement?.contradiction).toBeNull()
    expect(parsedStatement?.balances.slice(0, 2).map(({ amount }) => Number(amount))).toEqual([
      ...[statement.openingBalance, statement.closingBalance],
    ])
  })

  test('as MT940 has only SWIFT characters, in lines of at most 65', async () => {
    const lines = (await readText('mt940')).split('\r\n')
    for (const line of lines) expect(line).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]{0,65}$/)
    expect(lines.filter((line: string) => line.startsWith(':61:'))).toHaveLength(statement.lines.length)
    expect(lines.at(-2)).toBe('-')
  })

  test('escapes names in XML', async () => {
    const xml = await readText('camt053')
    expect(xml).toContain('<Nm>Zoë &lt;&amp; Łukasz&gt;</Nm>')
    expect(xml).not.toContain('<& ')
  })

  test.each([
    ['camt053', 'application/xml', 'xml'],
    ['mt940', 'text/plain', 'sta'],
    ['ofx', 'application/x-ofx', 'ofx'],
  ])('as %s is a file of type %s', async (format, type, extension) => {
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
      const refusal = await client.get(`/statements?accountId=${wallet}&format=${format}`)
      expectError(refusal, { code: 'INVALID_INPUT', field: 'format' })
    },
  )
})
