import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePlatform } from '../../sdk/test/platform.testing.ts'
import { run as runProgram } from './shop.testing.ts'

let folder: string
let countersign: Countersign
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-verifications-'))
  const platform = await makePlatform()
  await writeFile(join(folder, 'credentials.json'), JSON.stringify(platform))
  countersign = new Countersign(platform)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: string[]) =>
  runProgram(['account-verifications', ...args], { COUNTERSIGN_DATA_DIR: folder })

test('a bank account is verified by two amounts in cents, and anything else is rejected', async () => {
  const [own] = (await countersign.platformInternalAccounts.list({ currency: 'USD' })).data
  await countersign.sandbox.fund(own?.id ?? '', { amount: 1_000n })
  const { id: customerId } = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
  })
  const account = await countersign.externalAccounts.create({
    customerId,
    currency: 'USD',
    accountInfo: {
      ...{ accountType: 'USD_ACCOUNT', accountNumber: '123456789', routingNumber: '021000021' },
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  const started = await run('start', account.id, '--yes', '--json')
  expect(started).toMatchObject({ exitCode: 0, stderr: '' })
  const { id, transactionIds } = JSON.parse(started.stdout)
  await countersign.sandbox.advanceClock({ seconds: 0 })
  const amounts: string[] = []
  for (const transactionId of transactionIds) {
    const { sentAmount } = await countersign.transactions.get(transactionId)
    amounts.push(String(sentAmount?.amount))
  }
  const [transactionId = '', other = ''] = amounts
  const wrong = await run('confirm', id, transactionId, '0.43')
  expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('1 to 99 cents')])
  const confirmed = await run('confirm', id, other, transactionId)
  expect(confirmed.stdout).toBe(`${id} is VERIFIED. Attempts left: 3.\n`)
  const listed = await run('list', '--external-account-id', account.id)
  expect(listed.stdout).toContain(`${id}\tVERIFIED\t${account.id}\t3`)
})
