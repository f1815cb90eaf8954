import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeShop } from './shop.testing.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-cli-card-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function newShop() {
  const { customer, run } = await makeShop(folder, { usdb: 50_000_000n, usd: 10_000n })
  return { customer, run: (...args: string[]) => run('card', ...args) }
}

describe('countersign card', () => {
  test('issues a card, uses it, and freezes and closes it for its holder', async () => {
    const { customer, run } = await newShop()
    expect((await run('list')).stdout).toBe('There are no cards.\n')
    const issued = await run('issue', '--customer', customer.customerId)
    expect(issued).toMatchObject({ exitCode: 0, stderr: '' })
    const [, id] = /^(Card:\S+) {2}ACTIVE$/m.exec(issued.stdout)!
    expect(issued.stdout).toMatch(/^ {2}card +VISA ending \d{4}, USD, valid until \d\d\/\d{4}$/m)
    expect(issued.stdout).toMatch(/^ {2}number +http:\/\/\S+\/sandbox\/cards\/\S+$/m)
    expect(await run('show', id!)).toEqual(issued)

    expect((await run('use', id!, '12.50', '--merchant', 'BAR')).stdout).toMatch(/authorized +12\.50 USD/)
    const tipped = await run('clear', id!, '15')
    expect(tipped.stdout).toMatch(/ {2}SETTLED\n[\s\S]*claimed +15\.00 USD\n +taken +15\.00 USD, 2 times\n$/)
    const [, purchase] = /^(CardTransaction:\S+) /.exec(tipped.stdout)!
    const back = await run('return', id!, '5.00', '--purchase', purchase!)
    expect(back.stdout).toMatch(/returned +5\.00 USD\n$/)
    expect((await run('transactions', id!)).stdout).toBe(back.stdout)

    expect((await run('freeze', id!)).stdout).toMatch(/^Card:\S+ {2}FROZEN$/m)
    expect(await run('use', id!, '1')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'CARD_PAUSED: Declined: the card is frozen.\n',
    })
    expect((await run('freeze', id!)).stderr).toMatch(/^The server refused: 409 INVALID_STATE_TRANSITION: /)
    expect(JSON.parse((await run('unfreeze', id!, '--json')).stdout)).toMatchObject({ id, state: 'ACTIVE' })
    expect(await run('close', id!)).toMatchObject({ exitCode: 1, stdout: '' })
    expect((await run('close', id!, '--yes')).stdout).toContain('CLOSED (CLOSED_BY_PLATFORM)')
    expect(JSON.parse((await run('list', '--state', 'ACTIVE', '--json')).stdout)).toEqual([])
  })

  test('lets a card be paid from a wallet, and reports refusals in one line', async () => {
    const { customer, run } = await newShop()
    const issued = await run(
      'issue',
      '--customer',
      customer.customerId,
      '--accounts',
      customer.walletId,
      '--json',
    )
    const { id, currency } = JSON.parse(issued.stdout)
    expect(currency).toBe('USD')
    const declined = await run('use', id, '1.5')
    expect(declined.stderr).toMatch(/^CARD_INSUFFICIENT_FUNDS: .* card delegate\n$/)
    expect((await run('delegate', id)).stdout).toMatch(/^DelegatedKey:\S+ "Card" is ACTIVE: /)
    expect((await run('use', id, '1.5')).stdout).toMatch(/authorized +1\.50 USD /)
    expect((await run('sources', id, '--accounts', 'InternalAccount:none')).stderr).toContain(
      'FUNDING_SOURCE_INELIGIBLE',
    )

    const rejected = await run('issue', '--customer', customer.customerId, '--platform-card-id', 'x002')
    expect(rejected).toMatchObject({ exitCode: 1, stderr: 'The issuer has rejected the card.\n' })
    expect(rejected.stdout).toContain('CLOSED (ISSUER_REJECTED)')
    expect((await run('use', id, '1.001')).stderr).toMatch(/^The amount must be in USD, .*"1\.001"\.\n$/)
    expect((await run('list', '--state', 'OLD')).stderr).toMatch(/^--state must be one of .*"OLD"\.\n$/)
    expect((await run('freeze')).exitCode).toBe(2)
  })
})
