import { FILLER, writeRecord } from '../../../src/outside/bank-files/formats/ach-records.ts'
import { AchTotals } from '../../../src/outside/bank-files/formats/ach-totals.ts'
import { until } from '../../worlds/client.testing.ts'
import { type FileBank, findDepositReference } from '../../worlds/production/file-bank.testing.ts'
import type { InternalAccount } from '../../worlds/production/production.testing.ts'

/** An entry in a bank's file. */
export interface BankEntry {
  readonly transactionCode: string
  readonly amount: bigint
  readonly individualId: string
  readonly trace: string
  readonly addenda: string
  /** The account number of the counterparty. */
  readonly account?: string
}

/** Builds a bank's file of these entries with correct totals. */
export function buildBankFile(entries: readonly BankEntry[]): string {
  const totals = new AchTotals()
  for (const { transactionCode, amount } of entries) totals.add(transactionCode, '01140153', amount, 1)
  const batch = { serviceClass: 200, companyId: '1123456789', originatingBank: '01140153', batchNumber: 1 }
  const sums = { entries: totals.entries, hash: totals.hash, debits: totals.debits, credits: totals.credits }
  const lines = [
    writeRecord('fileHeader', {
      priority: '01',
      destination: ' 021000021',
      origin: ' 011401533',
      date: '260302',
      time: '0930',
      modifier: 'A',
      recordSize: '094',
      blockingFactor: 10,
      format: 1,
    }),
    writeRecord('batchHeader', {
      ...batch,
      companyName: 'PAYER',
      entryClass: 'PPD',
      description: 'X',
      effectiveDate: '260302',
      originatorStatus: '1',
    }),
    ...entries.flatMap(({ addenda, account = '987654321', ...entry }) => [
      writeRecord('entry', {
        ...entry,
        receivingBank: '01140153',
        checkDigit: 3,
        account,
        name: 'ADA',
        addendaIndicator: 1,
      }),
      addenda,
    ]),
    writeRecord('batchControl', { ...batch, ...sums }),
  ]
  const blocks = Math.ceil((lines.length + 1) / 10)
  lines.push(writeRecord('fileControl', { batches: 1, blocks, ...sums }))
  while (lines.length % 10 > 0) lines.push(FILLER)
  return lines.map((line) => `${line}\n`).join('')
}

const BANK_FIELDS = { originalReceivingBank: '01140153', trace: '011401530000009' }

export const buildReturnAddenda = (originalTrace: string, reason: string) =>
  writeRecord('returnAddenda', { type: 99, reason, originalTrace, ...BANK_FIELDS })

export const buildChangeAddenda = (originalTrace: string, reason: string, corrected: string) =>
  writeRecord('changeAddenda', { type: 98, reason, originalTrace, corrected, ...BANK_FIELDS })

/** Lists the entries in one of our files, without offsets. */
export function listEntries(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('6') && !line.includes('OFFSET'))
}

export function listDescriptions(text: string): readonly string[] {
  const batches = text.split('\n').filter((line) => line.startsWith('5'))
  return batches.map((line) => line.slice(53, 63).trim())
}

/** Pays in an amount, 10.00 USD by default, with this text. */
function payIn(bank: FileBank, name: string, text: string, amount = 1_000n): Promise<unknown> {
  const creditEntry = {
    ...{ transactionCode: '22', amount, individualId: 'X', trace: '011401530000005' },
    addenda: writeRecord('addenda', { type: '05', text, sequence: 1, entrySequence: 5 }),
  }
  return bank.put(`${name}.ach`, buildBankFile([creditEntry]))
}

/** Credits 100.00 USD to the platform's own account. */
export async function fundPlatform(bank: FileBank): Promise<void> {
  const { client } = bank.world
  await payIn(bank, 'own-money', 'CAPITAL', 10_000n)
  const [deposit] = (await client.get('/deposits?status=SUSPENSE')).body.data
  const [account] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  const assigned = await client.post(`/deposits/${deposit.id}/assign`, { accountId: account.id })
  if (assigned.status !== 200) throw new Error(JSON.stringify(assigned.body))
}

/** Creates a customer with 10.00 USD, and returns calls that add accounts and pay. */
export async function newPayingCustomer(bank: FileBank, addedAt: string) {
  const { customerId, account } = await bank.customer()
  await payIn(bank, addedAt, findDepositReference(account))
  await until(
    () => bank.balanceOf(customerId),
    (balance) => balance === 1_000n,
  )
  return buildPaymentCalls(bank, customerId, account)
}

/** Creates a customer without money. */
export async function newUnfundedCustomer(bank: FileBank) {
  const { customerId, account } = await bank.customer()
  return buildPaymentCalls(bank, customerId, account)
}

function buildPaymentCalls(bank: FileBank, customerId: string, account: InternalAccount) {
  const addAccount = async (accountNumber: string) => {
    const { body } = await bank.world.client.post('/customers/external-accounts', {
      customerId,
      currency: 'USD',
      accountInfo: {
        ...{ accountType: 'USD_ACCOUNT', accountNumber, routingNumber: '011401533' },
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
      },
    })
    return body.id as string
  }
  const send = (to: string, amount: number) =>
    bank.world.client.post('/transfer-out', {
      ...{ source: { accountId: account.id }, destination: { accountId: to } },
      amount,
    })
  const pull = (from: string, amount: number) =>
    bank.world.client.post('/transfer-in', {
      ...{ source: { accountId: from }, destination: { accountId: account.id } },
      amount,
    })
  return { customerId, addAccount, send, pull }
}
