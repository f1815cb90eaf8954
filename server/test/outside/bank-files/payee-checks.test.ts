import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireValue } from '../../../src/base/formats/require-value.ts'
import {
  buildPaymentStatus,
  buildStatusReport,
  camtFile,
  readElement,
  readMessageId,
  type SampleEntry,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  findDepositReference,
  openFileBank,
} from '../../worlds/production/file-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA')
})
afterAll(() => bank.close())

const get = async (path: string) => (await bank.world.client.get(path)).body

async function addAccount(customerId: string, iban: string): Promise<string> {
  const { body } = await bank.world.client.post('/customers/external-accounts', {
    customerId,
    currency: 'EUR',
    accountInfo: {
      ...{ accountType: 'EUR_ACCOUNT', iban },
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Zoe Miller', countryOfResidence: 'FR' },
    },
  })
  return body.id
}

test('a verification of payee is stored with the account, asks a person if the names differ, and moves no money', async () => {
  const { customerId, account } = await bank.customer()
  const paidIn: SampleEntry = {
    ...{ amount: '1000.00', direction: 'CRDT', servicerReference: 'SVC-1' },
    transactions: [{ amount: '1000.00', debtor: 'Ada', text: findDepositReference(account) }],
  }
  await bank.put('paid-in.xml', camtFile({ id: 'STMT-1', entries: [paidIn] }))
  await bank.waitForBalance(customerId, 100_000n)
  const results = [
    ['FR1420041010050500013M02606', 'RCVC', 'MATCHED'],
    ['NL91ABNA0417164300', 'RVMC', 'PARTIAL_MATCH'],
    ['BE68539007547034', 'RVNM', 'NOT_MATCHED'],
    ['AT611904300234573201', 'RVNA', 'UNSUPPORTED'],
  ] as const
  const payments: { readonly id: string; readonly to: string }[] = []
  for (const [iban] of results) {
    const to = await addAccount(customerId, iban)
    const transfer = await bank.world.client.post('/transfer-out', {
      ...{ source: { accountId: account.id }, destination: { accountId: to } },
      amount: 1_000,
    })
    payments.push({ id: transfer.body.id, to })
  }
  const { db } = bank.world.service.app
  await until(
    async () => (await db.query('SELECT id FROM bank_payments')).rows,
    (rows) => rows.length === results.length,
  )
  const { text } = await bank.takeFile()
  const message = readMessageId(text)
  const statuses = results.map(([iban, status]) => {
    const [match = ''] = text.match(new RegExp(`<CdtTrfTxInf>(?:(?!</CdtTrfTxInf>).)*${iban}`, 's')) ?? []
    const instructionId = readElement(match.slice(match.lastIndexOf('<CdtTrfTxInf>')), 'InstrId')
    const name = status === 'RVMC' ? '<StsRsnInf><AddtlInf>Zoe Mueller</AddtlInf></StsRsnInf>' : ''
    return buildPaymentStatus({ instructionId }, status, name)
  })
  await bank.put(
    'vop.xml',
    buildStatusReport(message, { ofFile: '<GrpSts>RVCM</GrpSts>', ofBatch: statuses.join('') }),
  )

  for (const [index, [, , result]] of results.entries()) {
    const { id, to } = requireValue(payments[index], 'payment')
    expect(await get(`/customers/external-accounts/${to}`)).toMatchObject({
      beneficiaryVerificationStatus: result,
      status: 'ACTIVE',
    })
    expect((await get(`/transactions/${id}`)).status).toBe('PENDING')
  }
  expect(await bank.balanceOf(customerId)).toBe(96_000n)
  const waiting = (await get('/approvals?kind=RAIL_EVENT&limit=100')).data
  const findPolicyWords = (id: string) =>
    waiting.find((approval: { transactionId?: string }) => approval.transactionId === id)?.policy.words
  expect(payments.map(({ id }) => findPolicyWords(id))).toEqual([
    undefined,
    expect.stringContaining(
      'matches closely: the bank may wait for a confirmation. The bank says: Zoe Mueller.',
    ),
    expect.stringContaining('does not match'),
    undefined,
  ])

  // The bank executes the file once it is released, or rejects it.
  const executed = statuses.map((report, index) =>
    report.replace(/<TxSts>.*?</, `<TxSts>${index === 2 ? 'RJCT' : 'ACSC'}<`),
  )
  await bank.put('executed.xml', buildStatusReport(message, { ofBatch: executed.join('') }))
  const readStatuses = () =>
    Promise.all(payments.map(async ({ id }) => (await get(`/transactions/${id}`)).status))
  await until(readStatuses, (found) => !found.includes('PENDING') && !found.includes('PROCESSING'))
  expect(await readStatuses()).toEqual(['COMPLETED', 'COMPLETED', 'FAILED', 'COMPLETED'])
})
