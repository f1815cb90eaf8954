import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Countersign, toJson } from '@countersign/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeFundedCustomer, makePlatform } from '../../sdk/test/platform.testing.ts'
import { type Run, run as runProgram } from './shop.testing.ts'

/** Payments to an account with this suffix wait for half a minute. */
const SLOW_ACCOUNT = '000123456005'

let folder: string
let file: string
let countersign: Countersign
let source: string
let payee: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-decide-'))
  file = join(folder, 'credentials.json')
  const credentials = await makePlatform()
  await writeFile(file, toJson(credentials))
  countersign = new Countersign(credentials)
  const customer = await makeFundedCustomer(countersign, { email: 'payer@example.com', amount: 1n })
  source = customer.usdId
  await countersign.sandbox.fund(source, { amount: 10_000n })
  const account = await countersign.externalAccounts.create({
    customerId: customer.customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: SLOW_ACCOUNT,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Charles Babbage' },
    },
  })
  payee = account.id
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: string[]): Promise<Run> =>
  runProgram(['transactions', ...args, '--credentials', file], { XDG_CONFIG_HOME: folder })

async function createWaitingPayment(): Promise<string> {
  const { id } = await countersign.transfers.out({
    source: { accountId: source },
    destination: { accountId: payee },
    amount: 2500n,
  })
  await countersign.sandbox.advanceClock({ seconds: 0 })
  return id
}

test('the CLI sets the outcome of a payment after a question that names the amount and the payee', async () => {
  const id = await createWaitingPayment()
  const options = ['--outcome', 'returned', '--reason', 'Sent back', '--charge', '3.00']
  const unconfirmed = await run('decide', id, ...options, '--note', 'Ticket 4711')
  expect(unconfirmed.exitCode).toBe(1)
  for (const words of ['25.00 USD', 'Charles Babbage', '3.00 USD', 'RETURNED'])
    expect(unconfirmed.stderr).toContain(words)
  expect((await run('decisions', id)).stderr).toContain('No decisions about this payment')
  const decided = await run('decide', id, ...options, '--note', 'Ticket 4711', '--yes')
  expect(decided).toMatchObject({ exitCode: 0, stderr: '' })
  expect(decided.stdout).toContain('25.00 USD to Charles Babbage')
  const list = await run('decisions', id)
  for (const words of ['DECIDED', 'RETURNED', '3.00 USD', 'Sent back']) expect(list.stdout).toContain(words)
  const { status, evidence, charge } = (await countersign.transactions.decisions(id)).data[0]!
  expect([status, evidence, charge?.amount]).toEqual(['DECIDED', { note: 'Ticket 4711' }, 300n])
})

test('the CLI splits, assigns and writes off deposits, each after a question', async () => {
  const { id } = await countersign.sandbox.deposit({ amount: 10_000n, currency: 'USD' })
  const deposits = (...args: string[]): Promise<Run> =>
    runProgram(['deposits', ...args, '--credentials', file], { XDG_CONFIG_HOME: folder })
  expect((await deposits('list', '--status', 'SUSPENSE')).stdout).toContain('100.00 USD')
  const unconfirmed = await deposits('split', id, '70.00', '30.00', '--reason', 'Two invoices')
  expect(unconfirmed).toMatchObject({ exitCode: 1, stdout: '' })
  expect(unconfirmed.stderr).toContain('Split 100.00 USD into 70.00 and 30.00?')
  const wrong = await deposits('split', id, '70.001', '29.999', '--reason', 'x', '--yes')
  expect(wrong.stderr).toContain('The amount must be in USD, such as 2.50, not "70.001".')
  const divided = await deposits('split', id, '70.00', '30.00', '--reason', 'Two invoices', '--yes', '--json')
  const { parts } = JSON.parse(divided.stdout)
  const assigned = await deposits('assign', parts[0].id, source, '--yes')
  expect(assigned.stdout).toContain('70.00 USD is CREDITED')
  const writtenOff = await deposits('write-off', parts[1].id, '--reason', 'Nobody claims it', '--yes')
  expect(writtenOff.stdout).toContain('30.00 USD is WRITTEN_OFF')
  const { stdout } = await deposits('get', id)
  expect(stdout).toContain('SPLIT')
})

test('invalid options and server refusals are errors, and nothing is decided', async () => {
  const id = await createWaitingPayment()
  const wrong = [
    [['--outcome', 'LOST', '--note', 'x'], '--outcome must be one of DELIVERED, FAILED, RETURNED'],
    [['--outcome', 'FAILED'], 'Evidence is required'],
    [['--outcome', 'REVERSAL', '--note', 'x'], 'Only ACH files do'],
    [['--outcome', 'RETURNED', '--note', 'x', '--charge', 'all'], '--charge must be an amount in USD'],
    [['--outcome', 'RETURNED', '--note', 'x', '--charge', '30'], 'The charge must not exceed the payment.'],
    [['--outcome', 'RETURNED', '--line', 'StatementEntry:none'], 'Statement line not found.'],
  ] as const
  for (const [options, message] of wrong) {
    const { exitCode, stderr } = await run('decide', id, '--reason', 'Because', '--yes', ...options)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(message)])
  }
  expect((await countersign.transactions.decisions(id)).data).toEqual([])
})
