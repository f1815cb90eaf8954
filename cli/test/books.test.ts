import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeShop } from './shop.testing.ts'

let folder: string
let shop: Awaited<ReturnType<typeof makeShop>>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-books-'))
  shop = await makeShop(folder, { usdb: 1n, usd: 12_345n })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const run = (...args: string[]) => shop.run(...args)

describe('the books on the command line', () => {
  test('a statement is text, JSON, CSV or HTML, on the screen or in a file', async () => {
    const { usdId } = shop.customer
    const words = await run('statement', usdId)
    expect(words).toMatchObject({ exitCode: 0, stderr: '' })
    expect(words.stdout).toMatch(
      /^InternalAccount:\S+ {2}.+\n {2}from \S+Z to \S+Z\n {2}opening balance {2}0\.00 USD\n {2}\S+Z {2}123\.45 USD {2}123\.45 USD {2}DEPOSIT {2}Sandbox\n {2}closing balance {2}123\.45 USD\n$/,
    )
    const json = JSON.parse((await run('statement', usdId, '--json')).stdout)
    expect(json).toMatchObject({ account: { id: usdId }, closingBalance: 12_345 })
    expect((await run('statement', usdId, '--format', 'csv')).stdout).toMatch(
      /^at,line,kind,[\s\S]*MOVEMENT,DEPOSIT/,
    )
    const page = join(folder, 'page.html')
    expect(await run('statement', usdId, '--format', 'html', '--output', page)).toMatchObject({
      exitCode: 0,
      stdout: '',
    })
    expect(await readFile(page, 'utf8')).toContain('<h1>Statement of account</h1>')
    const empty = await run('statement', usdId, '--from', '2020-01-01', '--to', '2020-02-01T00:00:00Z')
    expect(empty.stdout).toContain('from 2020-01-01T00:00:00.000Z to 2020-02-01T00:00:00.000Z')
  })

  test('an invalid time is reported in one line', async () => {
    expect(await run('statement', shop.customer.usdId, '--from', 'May')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: '--from must be a time such as 2026-01-31 or 2026-01-31T12:00:00Z, not "May".\n',
    })
  })

  test('transactions are saved as a file, and a payment is explained', async () => {
    const { countersign, customer } = shop
    const { usdId } = customer
    expect((await run('transactions', 'export', '-', '--account', usdId)).stdout).toMatch(
      /^id,type,direction,[^\n]*\n$/,
    )
    const { data } = (await countersign.call('ledger_transfer_list', { query: { accountId: usdId } })).body
    const explained = await run('ledger', 'explain', data[0]!.id)
    expect(explained.stdout).toMatch(
      /^ENTRY {2}LedgerTransfer:\S+ {2}posted {2}\S+Z\n {2}123\.45 USD moved from [^\n]+\n {2}CAUSE {2}/,
    )
    expect((await run('ledger', 'explain', usdId)).stdout).toBe(explained.stdout)
    expect(await run('ledger', 'explain', 'Transaction:x')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'Transaction:x has no ledger transfers.\n',
    })
  })
})
