import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vectorPath } from '../../../src/base/crypto/vectors.testing.ts'
import { bai2File, type SampleBai2Transaction } from '../../../src/outside/bank-files/formats/bai2.testing.ts'
import { hasPython, readByPython } from '../../operation/accounting/accounting.testing.ts'
import { newBankAccount, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  type FileBank,
  openFileBank,
  referenceOf,
  WIRE_FORMAT,
} from '../../worlds/production/file-bank.testing.ts'
import { begin } from '../../worlds/records/account-verifications.testing.ts'

const columns = [
  { header: 'Type', text: 'WIRE' },
  ...['AMOUNT', 'NAME', 'ACCOUNT_NUMBER', 'ROUTING_NUMBER', 'REFERENCE'].map((value) => ({
    header: value,
    value,
  })),
]

let banks: Record<'xml' | 'csv', FileBank>
beforeAll(async () => {
  banks = {
    xml: await openFileBank('WIRE'),
    csv: await openFileBank('WIRE', { format: { ...WIRE_FORMAT, csv: { columns } } }),
  }
})
afterAll(() => Promise.all(Object.values(banks).map((bank) => bank.close())))

let count = 0
let day = Date.parse('2026-03-02T00:00:00Z')

/** A statement of the next day, without balances: its transactions count one by one. */
function statement(transactions: readonly SampleBai2Transaction[]): string {
  day += 86_400_000
  const date = new Date(day).toISOString().slice(2, 10).replaceAll('-', '')
  const account = { account: WIRE_FORMAT.accountNumber, transactions }
  return bai2File([{ date, accounts: [account] }], { fileId: String(++count) })
}
const book = (bank: FileBank, ...transactions: readonly SampleBai2Transaction[]) =>
  bank.put(`statement-${++count}.txt`, statement(transactions))

/** A customer sends a wire from money that a statement has credited. */
async function sent(bank: FileBank, amount: number, fullName = 'Grace Hopper') {
  const { customerId, account } = await bank.customer()
  const { client } = bank.world
  await book(bank, {
    code: '195',
    amount: 1_000n,
    bank: `B-${++count}`,
    texts: [`FOR ${referenceOf(account)}`],
  })
  const balanceIs = (wanted: bigint) =>
    until(
      () => bank.balanceOf(customerId),
      (found) => found === wanted,
    )
  await balanceIs(1_000n)
  const to = await client.post('/customers/external-accounts', {
    ...{ customerId, currency: 'USD' },
    accountInfo: {
      ...{ accountType: 'USD_ACCOUNT', accountNumber: '1234567890', routingNumber: '011401533' },
      beneficiary: {
        ...{ beneficiaryType: 'INDIVIDUAL', fullName },
        address: { line1: '1 Main Street', city: 'Boston', state: 'MA', postalCode: '02108', country: 'US' },
      },
    },
  })
  expect(to.status, JSON.stringify(to.body)).toBe(201)
  const ends = { source: { accountId: account.id }, destination: { accountId: to.body.id } }
  const made = await client.post('/transfer-out', { ...ends, amount })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const { name, text } = await bank.takeFile()
  const [reference = ''] = /\bCS[0-9A-F]{10,12}\b(?=<\/EndToEndId>|\r\n)/.exec(text) ?? []
  const transactionIs = (status: string) =>
    until(
      async () => (await client.get(`/transactions/${made.body.id}`)).body,
      (found) => found.status === status,
    )
  return { name, text, reference, transactionIs, balanceIs }
}

describe('a rail of wires', () => {
  test.each(['xml', 'csv'] as const)(
    'sends a file of the form %s, and a debit of a statement that names the payment completes it',
    async (form) => {
      const bank = banks[form]
      const { name, text, reference, transactionIs } = await sent(bank, 300)
      expect(name).toMatch(form === 'xml' ? /\.xml$/ : /\.csv$/)
      expect(text).toContain(
        form === 'xml'
          ? '<SvcLvl><Cd>URGP</Cd></SvcLvl>'
          : `WIRE,3.00,Grace Hopper,1234567890,011401533,${reference}\r\n`,
      )
      await book(bank, {
        code: '495',
        amount: 300n,
        bank: `B-${++count}`,
        customer: reference,
        texts: ['WIRE OUT'],
      })
      await transactionIs('COMPLETED')
    },
  )

  test('does not complete a payment by a debit of another amount, which waits', async () => {
    const bank = banks.xml
    const { reference, transactionIs } = await sent(bank, 310)
    await book(bank, {
      code: '495',
      amount: 311n,
      bank: `B-${++count}`,
      customer: reference,
      texts: ['WIRE OUT'],
    })
    await transactionIs('PENDING')
    const waiting = (await bank.world.client.get('/rail-events?status=WAITING&limit=100')).body.data
    expect(waiting.map(({ reason }: { reason: string }) => reason)).toContain('OTHER_AMOUNT')
  })

  test('refunds a wire that the bank returns', async () => {
    const bank = banks.csv
    const { reference, transactionIs, balanceIs } = await sent(bank, 320)
    await book(bank, {
      code: '495',
      amount: 320n,
      bank: `B-${++count}`,
      customer: reference,
      texts: ['WIRE OUT'],
    })
    await transactionIs('COMPLETED')
    await book(bank, {
      code: '266',
      amount: 320n,
      bank: `B-${++count}`,
      customer: reference,
      texts: ['RETURN'],
    })
    await balanceIs(1_000n)
  })
})

const SCHEMA = vectorPath('iso20022-xsd/pain.001.001.09.xsd')
const VALIDATE = `
import sys
from lxml import etree
schema = etree.XMLSchema(etree.parse(${JSON.stringify(SCHEMA)}))
schema.assertValid(etree.parse(sys.argv[1]))
print('valid')
`

test.skipIf(!existsSync(SCHEMA) || !hasPython('lxml'))(
  'a file of wires is valid by the official schema',
  async () => {
    const { text } = await sent(banks.xml, 330, 'Łukasz <& Żółć')
    expect(readByPython(VALIDATE, 'wires.xml', text).trim()).toBe('valid')
  },
)

test('no deposit that verifies an account is sent by wire', async () => {
  const { client } = banks.xml.world
  const { customerId } = await banks.xml.customer()
  const bank = await newBankAccount(client, customerId)
  const refused = await begin(client, bank)
  expectError(refused, { code: 'INVALID_INPUT', field: 'externalAccountId' })
  expect((await client.get('/account-verifications')).body.data).toEqual([])
})
