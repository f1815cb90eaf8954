import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makePlatform } from '../../sdk/test/platform.testing.ts'
import { run as runProgram } from './shop.testing.ts'

let folder: string
let countersign: Countersign
let own: string
let payee: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-payouts-'))
  const platform = await makePlatform()
  await writeFile(join(folder, 'credentials.json'), JSON.stringify(platform))
  countersign = new Countersign(platform)
  const [account] = (await countersign.platformInternalAccounts.list({ currency: 'USD' })).data
  own = account!.id
  await countersign.sandbox.fund(own, { amount: 100_000n })
  payee = (
    await countersign.platformExternalAccounts.create({
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '777000789',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
  ).id
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (file: string, ...args: string[]) =>
  runProgram(['payouts', 'send', join(folder, file), ...args], { COUNTERSIGN_DATA_DIR: folder })

const write = (name: string, rows: readonly string[]) =>
  writeFile(join(folder, name), ['accountId,currency,amount', ...rows].join('\n'))

async function readBalance(): Promise<bigint> {
  return (await countersign.platformInternalAccounts.list({ currency: 'USD' })).data[0]!.balance.amount
}

describe('countersign payouts send', () => {
  test('checks a file, pays it with --yes, and pays it only once even if it is sent again', async () => {
    await write('may.csv', [`${payee},USD,1500`, `${payee},USD,2500`])
    const before = await readBalance()
    const dry = await run('may.csv', '--dry-run')
    expect(dry).toMatchObject({ exitCode: 0, stderr: '' })
    expect(dry.stdout).toMatch(
      /^PayoutBatch:\S+ {2}READY\n {2}2 lines: 0 cannot be paid, 0 sent, 0 refused\n {2}40\.00 USD by sandbox: 2 payments\n$/,
    )
    expect(await readBalance()).toBe(before)
    const unasked = await run('may.csv')
    expect(unasked).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Pay 40.00 USD in 2 payments?'),
    })
    for (let count = 0; count < 2; count++) {
      const { exitCode, stdout } = await run('may.csv', '--yes')
      expect([exitCode, stdout.split('\n')[0]]).toEqual([
        0,
        expect.stringMatching(/^PayoutBatch:\S+ {2}COMPLETED$/),
      ])
    }
    expect(await readBalance()).toBe(before - 4000n)
    const again = ['may.csv', '--key', 'once more', '--yes', '--json'] as const
    expect((await run(...again)).stderr).toContain('PAYOUT_FILE_PAID_BEFORE')
    expect(await readBalance()).toBe(before - 4000n)
    expect(JSON.parse((await run(...again, '--again')).stdout)).toMatchObject({ status: 'COMPLETED' })
    expect(await readBalance()).toBe(before - 8000n)
  })

  test('names each line that cannot be paid and pays nothing, or the other lines with --skip-faulty', async () => {
    await write('mixed.csv', [`${payee},USD,100`, `${payee},USD,0`, 'nobody,USD,5'])
    const before = await readBalance()
    const { exitCode, stdout, stderr } = await run(
      'mixed.csv',
      '--yes',
      '--faults',
      join(folder, 'faults.csv'),
    )
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining('2 lines cannot be paid, so nothing was paid.'),
    ])
    expect(stdout).toMatch(/ {2}line 2 {2}INVALID_INPUT: .*\n {2}line 3 {2}INVALID_INPUT: /)
    expect((await readFile(join(folder, 'faults.csv'), 'utf8')).trim().split(/\r?\n/)).toHaveLength(3)
    expect(await readBalance()).toBe(before)
    expect(await run('mixed.csv', '--yes', '--skip-faulty')).toMatchObject({ exitCode: 0 })
    expect(await readBalance()).toBe(before - 100n)
  })

  test('reports an invalid payout file in one line', async () => {
    await writeFile(join(folder, 'wrong.csv'), 'accountId,currency,amont\n')
    const { exitCode, stdout, stderr } = await run('wrong.csv')
    expect([exitCode, stderr]).toEqual([1, 'The file could not be read.\n'])
    expect(stdout).toMatch(/FAILED\n {2}header: The column “amont” is not known; did you mean amount\?\n$/)
  })
})
