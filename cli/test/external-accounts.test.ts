import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Countersign } from '@countersign/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makePlatform } from '../../sdk/test/platform.testing.ts'
import { run as runProgram } from './shop.testing.ts'

let folder: string
let countersign: Countersign
let customerId: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-accounts-'))
  const platform = await makePlatform()
  await writeFile(join(folder, 'credentials.json'), JSON.stringify(platform))
  countersign = new Countersign(platform)
  const customer = await countersign.customers.create({
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
  })
  customerId = customer.id
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: string[]) =>
  runProgram(['external-accounts', ...args], { COUNTERSIGN_DATA_DIR: folder })

const FIELDS = [
  'iban=DE89370400440532013000',
  'beneficiary.beneficiaryType=INDIVIDUAL',
  'beneficiary.fullName=Ada Lovelace',
  'beneficiary.countryOfResidence=DE',
]
const create = (...more: string[]) => run('create', 'EUR_ACCOUNT', ...FIELDS, '--currency', 'EUR', ...more)

test('an account is added for a customer or for the platform, and listed', async () => {
  const created = await create('--customer', customerId, '--own-id', 'ada-1', '--json')
  expect(created).toMatchObject({ exitCode: 0, stderr: '' })
  const account = JSON.parse(created.stdout)
  expect(await countersign.externalAccounts.get(account.id)).toMatchObject({
    customerId,
    platformAccountId: 'ada-1',
    accountInfo: { iban: 'DE89370400440532013000', beneficiary: { fullName: 'Ada Lovelace' } },
  })
  const listed = await run('list', '--customer-id', customerId)
  expect(listed.stdout).toContain(`${account.id}\tEUR_ACCOUNT\tACTIVE\tEUR\t${customerId}`)
  expect(JSON.parse((await run('get', account.id, '--json')).stdout).id).toBe(account.id)
  const own = await create('--platform')
  expect(own.stdout).toMatch(/^ExternalAccount:\S+ added: EUR_ACCOUNT of the platform in EUR\.\n$/)
  expect((await countersign.platformExternalAccounts.list()).data).toHaveLength(1)
})

test('an invalid account is rejected with the field name, and nothing is added without an owner', async () => {
  const { stderr, exitCode } = await run(
    ...['create', 'EUR_ACCOUNT', 'iban=DE00370400440532013000', ...FIELDS.slice(1)],
    ...['--currency', 'EUR', '--customer', customerId],
  )
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/iban/i)])
  for (const owner of [[], ['--platform', '--customer', customerId]]) {
    const refused = await create(...owner)
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('An owner is required')])
  }
  const unknown = await run('create', 'MOON_ACCOUNT', 'crater=7', '--currency', 'EUR', '--platform')
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    1,
    expect.stringContaining('accountInfo.accountType must be one of'),
  ])
  const incomplete = await run(
    ...['create', 'EUR_ACCOUNT', ...FIELDS.slice(0, 1), '--currency', 'EUR', '--platform'],
  )
  expect([incomplete.exitCode, incomplete.stderr]).toEqual([1, expect.stringContaining('beneficiary')])
})
