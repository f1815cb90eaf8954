import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePlatform } from '../../sdk/test/platform.testing.ts'
import { run as runProgram } from './shop.testing.ts'

let folder: string
let countersign: Countersign
let own: string
let payee: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-schedules-'))
  const platform = await makePlatform()
  await writeFile(join(folder, 'credentials.json'), JSON.stringify(platform))
  countersign = new Countersign(platform)
  own = (await countersign.platformInternalAccounts.list({ currency: 'USD' })).data[0]!.id
  await countersign.sandbox.fund(own, { amount: 1_000n })
  const added = await countersign.platformExternalAccounts.create({
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: '777000789',
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    },
  })
  payee = added.id
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: string[]) => runProgram(['schedules', ...args], { COUNTERSIGN_DATA_DIR: folder })

const create = (rule: string, ...more: string[]) =>
  run('create', '--from', own, '--to', payee, '--amount', '7.50', '--rule', rule, ...more)

test('a schedule is created after confirmation, changed, and shown with its payments', async () => {
  const options = ['--business-days', 'preceding', '--start', '2032-01-01', '--name', 'Rent']
  const unasked = await create('monthly:last', ...options)
  expect(unasked).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Pay 7.50 USD by the rule') })
  expect((await countersign.paymentSchedules.list()).data).toEqual([])
  const created = await create('monthly:last', ...options, '--yes')
  expect(created).toMatchObject({ exitCode: 0, stderr: '' })
  expect(created.stdout.replace(/:\S{36}/, ':1')).toBe(
    [
      'PaymentSchedule:1  ACTIVE  Rent',
      '  7.50 USD to Ada Lovelace',
      '  Monthly on the last day, else on the business day before (the Federal Reserve), at 09:00 America/New_York, from 2032-01-01',
      '  next: 2032-01-30, 2032-02-27, 2032-03-31, 2032-04-30, 2032-05-28',
      '',
    ].join('\n'),
  )
  const { id } = (await countersign.paymentSchedules.list()).data[0]!
  const skipped = await run('skip', id)
  expect(skipped.stdout).toContain('next: 2032-02-27,')
  expect((await run('skip', id, '--date', '2032-03-31')).stdout).toContain('skipped: 2032-03-31')
  expect((await run('payments', id)).stdout).toBe('1  2032-01-30  SKIPPED\n')
  expect((await run('pause', id)).stdout).toContain('PAUSED')
  const list = await run('list')
  expect(list.stdout).toMatch(/PAUSED\tRent\t7\.50 USD\tAda Lovelace/)
  expect(JSON.parse((await run('resume', id, '--json')).stdout)).toMatchObject({ status: 'ACTIVE' })
  expect((await run('cancel', id)).exitCode).toBe(1)
  expect((await run('cancel', id, '--yes')).stdout).toContain('CANCELED')
  expect((await run('resume', id)).stderr).toContain('INVALID_STATE_TRANSITION')
})

test.each([
  ['weekly:MON,THU', { type: 'WEEKLY', weekdays: ['MON', 'THU'] }],
  ['once:2031-01-31', { type: 'ONCE', date: '2031-01-31' }],
  ['daily', { type: 'DAILY' }],
])('the rule %s is understood', async (rule, expected) => {
  const created = await create(
    rule,
    '--needs-approval',
    '--notice',
    '2',
    '--if-missed',
    'skip',
    '--yes',
    '--json',
  )
  expect(JSON.parse(created.stdout)).toMatchObject({
    status: 'AWAITING_APPROVAL',
    rule: expected,
    noticeSeconds: 7200,
    ifMissed: 'SKIP',
  })
})

test.each([
  ['yearly', '--rule must be once:2030-01-31'],
  ['weekly:FOO', 'A day of the week must be one of MON'],
  ['monthly:x', 'The day of the month must be a number'],
])('the rule %s is refused', async (rule, message) => {
  expect(await create(rule, '--yes')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(message) })
})
