import { FILLER, writeRecord } from '../../../src/outside/bank-files/formats/ach-records.ts'
import { AchTotals } from '../../../src/outside/bank-files/formats/ach-totals.ts'
import { until } from '../../worlds/client.testing.ts'
import { type FileBank, referenceOf } from '../../worlds/production/file-bank.testing.ts'
import type { InternalAccount } from '../../worlds/production/production.testing.ts'

/** An entry of a bank's file. */
export interface BankEntry {
  readonly transactionCode: string
  readonly amount: bigint
  readonly individualId: string
  readonly trace: string
  readonly addenda: string
  /** The account at the other end. */
  readonly account?: string
}

/** A file of the bank with these entries, whose sums are right. */
export function bankFile(entries: readonly BankEntry[]): string {
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

const OF_BANK = { originalReceivingBank: '01140153', trace: '011401530000009' }

export const returnAddenda = (originalTrace: string, reason: string) =>
  writeRecord('returnAddenda', { type: 99, reason, originalTrace, ...OF_BANK })

export const changeAddenda = (originalTrace: string, reason: string, corrected: string) =>
  writeRecord('changeAddenda', { type: 98, reason, originalTrace, corrected, ...OF_BANK })

/** The entries of a file of ours, without offsets. */
export function entriesIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.startsWith('6') && !line.includes('OFFSET'))
}

/** The descriptions of the batches of a file. */
export function descriptionsIn(text: string): readonly string[] {
  const batches = text.split('\n').filter((line) => line.startsWith('5'))
  return batches.map((line) => line.slice(53, 63).trim())
}

/** Pays 10.00 USD, or another amount, in with this text. */
function payIn(bank: FileBank, name: string, text: string, amount = 1_000n): Promise<unknown> {
  const paidIn = {
    ...{ transactionCode: '22', amount, individualId: 'X', trace: '011401530000005' },
    addenda: writeRecord('addenda', { type: '05', text, sequence: 1, entrySequence: 5 }),
  }
  return bank.put(`${name}.ach`, bankFile([paidIn]))
}

/** Puts 100.00 USD on the platform's own account. */
export async function fundPlatform(bank: FileBank): Promise<void> {
  const { client } = bank.world
  await payIn(bank, 'own-money', 'CAPITAL', 10_000n)
  const [deposit] = (await client.get('/deposits?status=SUSPENSE')).body.data
  const [own] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  const assigned = await client.post(`/deposits/${deposit.id}/assign`, { accountId: own.id })
  if (assigned.status !== 200) throw new Error(JSON.stringify(assigned.body))
}

/** Pays in for a new customer, and returns how its money is sent and where to. */
export async function payingCustomer(bank: FileBank, addedAt: string) {
  const { customerId, account } = await bank.customer()
  await payIn(bank, addedAt, referenceOf(account))
  await until(
    () => bank.balanceOf(customerId),
    (balance) => balance === 1_000n,
  )
  return paymentsOf(bank, customerId, account)
}

/** A new customer without money. */
export async function poorCustomer(bank: FileBank) {
  const { customerId, account } = await bank.customer()
  return paymentsOf(bank, customerId, account)
}

function paymentsOf(bank: FileBank, customerId: string, account: InternalAccount) {
  const accountOf = async (accountNumber: string) => {
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
  return { customerId, accountOf, send, pull }
}
