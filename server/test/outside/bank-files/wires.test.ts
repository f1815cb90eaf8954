import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getVectorPath } from '../../../src/base/crypto/vectors.testing.ts'
import { bai2File, type SampleBai2Transaction } from '../../../src/outside/bank-files/formats/bai2.testing.ts'
import { hasPython, runPythonReader } from '../../operation/accounting/accounting.testing.ts'
import { newBankAccount, until } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  type FileBank,
  findDepositReference,
  openFileBank,
  WIRE_FORMAT,
} from '../../worlds/production/file-bank.testing.ts'
import { beginVerification } from '../../worlds/records/external-accounts.testing.ts'

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

/** Builds the next day's statement without balances, so that its transactions count one by one. */
function buildStatement(transactions: readonly SampleBai2Transaction[]): string {
  day += 86_400_000
  const date = new Date(day).toISOString().slice(2, 10).replaceAll('-', '')
  const account = { account: WIRE_FORMAT.accountNumber, transactions }
  return bai2File([{ date, accounts: [account] }], { fileId: String(++count) })
}
const putStatement = (bank: FileBank, ...transactions: readonly SampleBai2Transaction[]) =>
  bank.put(`statement-${++count}.txt`, buildStatement(transactions))

/** Sends a wire of a new customer whose money a statement has credited. */
async function sendWire(bank: FileBank, amount: number, fullName = 'Grace Hopper') {
  const { customerId, account } = await bank.customer()
  const { client } = bank.world
  await putStatement(bank, {
    code: '195',
    amount: 1_000n,
    bank: `B-${++count}`,
    texts: [`FOR ${findDepositReference(account)}`],
  })
  const waitForBalance = (wanted: bigint) => bank.waitForBalance(customerId, wanted)
  await waitForBalance(1_000n)
  const payee = await client.post('/customers/external-accounts', {
    ...{ customerId, currency: 'USD' },
    accountInfo: {
      ...{ accountType: 'USD_ACCOUNT', accountNumber: '1234567890', routingNumber: '011401533' },
      beneficiary: {
        ...{ beneficiaryType: 'INDIVIDUAL', fullName },
        address: { line1: '1 Main Street', city: 'Boston', state: 'MA', postalCode: '02108', country: 'US' },
      },
    },
  })
  expect(payee.status, JSON.stringify(payee.body)).toBe(201)
  const route = { source: { accountId: account.id }, destination: { accountId: payee.body.id } }
  const reply = await client.post('/transfer-out', { ...route, amount })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  const { name, text } = await bank.takeFile()
  const [reference = ''] = /\bCS[0-9A-F]{10,12}\b(?=<\/EndToEndId>|\r\n)/.exec(text) ?? []
  const waitForStatus = (status: string) =>
    until(
      async () => (await client.get(`/transactions/${reply.body.id}`)).body,
      (found) => found.status === status,
    )
  return { name, text, reference, waitForStatus, waitForBalance }
}

describe('a wire rail', () => {
  test.each(['xml', 'csv'] as const)(
    'sends a file in the format %s, and a statement debit that names the payment completes it',
    async (form) => {
      const bank = banks[form]
      const { name, text, reference, waitForStatus } = await sendWire(bank, 300)
      expect(name).toMatch(form === 'xml' ? /\.xml$/ : /\.csv$/)
      expect(text).toContain(
        form === 'xml'
          ? '<SvcLvl><Cd>URGP</Cd></SvcLvl>'
          : `WIRE,3.00,Grace Hopper,1234567890,011401533,${reference}\r\n`,
      )
      await putStatement(bank, {
        code: '495',
        amount: 300n,
        bank: `B-${++count}`,
        customer: reference,
        texts: ['WIRE OUT'],
      })
      await waitForStatus('COMPLETED')
    },
  )

  test('does not complete a payment if the debit has another amount, and the debit waits for a person', async () => {
    const bank = banks.xml
    const { reference, waitForStatus } = await sendWire(bank, 310)
    await putStatement(bank, {
      code: '495',
      amount: 311n,
      bank: `B-${++count}`,
      customer: reference,
      texts: ['WIRE OUT'],
    })
    await waitForStatus('PENDING')
    const waitingReports = (await bank.world.client.get('/rail-events?status=WAITING&limit=100')).body.data
    expect(waitingReports.map(({ reason }: { reason: string }) => reason)).toContain('OTHER_AMOUNT')
  })

  test('refunds a wire that the bank returns', async () => {
    const bank = banks.csv
    const { reference, waitForStatus, waitForBalance } = await sendWire(bank, 320)
    await putStatement(bank, {
      code: '495',
      amount: 320n,
      bank: `B-${++count}`,
      customer: reference,
      texts: ['WIRE OUT'],
    })
    await waitForStatus('COMPLETED')
    await putStatement(bank, {
      code: '266',
      amount: 320n,
      bank: `B-${++count}`,
      customer: reference,
      texts: ['RETURN'],
    })
    await waitForBalance(1_000n)
  })
})

const SCHEMA = getVectorPath('iso20022-xsd/pain.001.001.09.xsd')
const VALIDATE = `
import sys
from lxml import etree
schema = etree.XMLSchema(etree.parse(${JSON.stringify(SCHEMA)}))
schema.assertValid(etree.parse(sys.argv[1]))
print('valid')
`

test.skipIf(!existsSync(SCHEMA) || !hasPython('lxml'))(
  'a wire file is valid according to the official schema',
  async () => {
    const { text } = await sendWire(banks.xml, 330, 'Łukasz <& Żółć')
    expect(runPythonReader(VALIDATE, 'wires.xml', text).trim()).toBe('valid')
  },
)

test('verification deposits are never sent by wire', async () => {
  const { client } = banks.xml.world
  const { customerId } = await banks.xml.customer()
  const bank = await newBankAccount(client, customerId)
  const refusal = await beginVerification(client, bank)
  expectError(refusal, { code: 'INVALID_INPUT', field: 'externalAccountId' })
  expect((await client.get('/account-verifications')).body.data).toEqual([])
})
