import { beforeAll, describe, expect, test } from 'vitest'
import { uuidOf } from '../../../src/storage/engine/ids.ts'
import { type Client, fund, newBankAccount, newCustomer } from '../../worlds/client.testing.ts'
import { account, noId, quoted, to } from '../../worlds/records/payments.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let service: SharedServer
let client: Client
/** All accounts that a payment could name, by their role. */
let accounts: Readonly<Record<string, string>>
/** The stored payments, newest first. */
let stored: readonly Stored[]

interface Stored {
  readonly id: string
  readonly source: string | null
  readonly destination: string | null
}

beforeAll(async () => {
  service = await world('sandbox')
  client = await service.newPlatform()
  const [payer, payee] = [await newCustomer(client), await newCustomer(client)]
  const bank = await newBankAccount(client, payer.id)
  const theirBank = await newBankAccount(client, payee.id)
  const own = await platformAccount()
  await fund(client, payer.usd, 100_000)
  await fund(client, own, 100_000)
  const immediately = { immediatelyExecute: true }
  for (let n = 0; n < 3; n++) {
    // Own accounts, both ways.
    await beginPayment('/transfer-out', payer.usd, bank)
    await beginPayment('/transfer-in', bank, payer.usd)
    // Of one customer to another one, who gets a record of it; the second is never executed.
    await quoted(client, account(payer.usd), to(payee.usd), immediately)
    await quoted(client, account(payer.usd), to(payee.usd))
    // To the customer's own account elsewhere, and between its accounts here.
    await quoted(client, account(payer.usd), to(bank), immediately)
    await quoted(client, account(payer.usd), to(payer.eur), immediately)
    // The platform's money: for itself to an account of a customer, and for a customer.
    await quoted(client, account(own), to(theirBank), immediately)
    await quoted(client, { ...account(own), customerId: payer.id }, to(bank), immediately)
    await quoted(client, account(own), to(payee.usd), immediately)
  }
  await client.advance(3600)
  accounts = { payer: payer.usd, euros: payer.eur, payee: payee.usd, bank, theirBank, own, unused: payee.eur }
  const platformId = (await client.get('/config')).body.id as string
  const { rows } = await service.app.db.query<Stored>(
    `SELECT id, source_account_id AS source, destination_account_id AS destination FROM transactions
     WHERE platform_id = $1 ORDER BY created_at DESC, id DESC`,
    [uuidOf(platformId)],
  )
  stored = rows
})

async function platformAccount(): Promise<string> {
  const { body } = await client.get('/platform/internal-accounts?currency=USD')
  return body.data[0].id
}

async function beginPayment(path: string, source: string, destination: string): Promise<void> {
  const body = { source: { accountId: source }, destination: { accountId: destination }, amount: 100 }
  expect((await client.post(path, body)).status).toBe(201)
}

/** The ids of a list, read page by page, and its total count. */
async function listed(query: string, limit: number): Promise<{ ids: string[]; totalCount: number }> {
  const ids: string[] = []
  let totalCount: number
  let cursor = ''
  do {
    const { status, body } = await client.get(`/transactions?${query}&limit=${limit}${cursor}`)
    expect(status).toBe(200)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    totalCount = body.totalCount
    cursor = body.hasMore ? `&cursor=${body.nextCursor}` : ''
  } while (cursor !== '')
  return { ids, totalCount }
}

describe('the list of an account has every transaction that names it, from any owner, newest first', () => {
  const FILTERS: Readonly<Record<string, (row: Stored, id: string) => boolean>> = {
    accountIdentifier: ({ source, destination }, id) => source === id || destination === id,
    senderAccountIdentifier: ({ source }, id) => source === id,
    receiverAccountIdentifier: ({ destination }, id) => destination === id,
  }

  test.each(Object.entries(FILTERS))('%s', async (filter, names) => {
    let found = 0
    for (const [what, id] of Object.entries(accounts))
      for (const limit of [2, 100]) {
        const expected = stored.filter((row) => names(row, id)).map((row) => row.id)
        found += expected.length
        const list = await listed(`${filter}=${id}`, limit)
        expect(list, `${what}, ${limit} a page`).toEqual({ ids: expected, totalCount: expected.length })
      }
    expect(found).toBeGreaterThan(stored.length)
  })

  test('oldest first, and with other filters', async () => {
    const { payer, payee } = accounts
    const between = stored.filter(({ source, destination }) => source === payer && destination === payee)
    const query = `senderAccountIdentifier=${payer}&receiverAccountIdentifier=${payee}`
    const ids = between.map(({ id }) => id)
    expect((await listed(query, 2)).ids).toEqual(ids)
    expect((await listed(`${query}&sortOrder=asc`, 2)).ids).toEqual(ids.toReversed())
    const expired = (await listed(`${query}&status=EXPIRED`, 2)).ids
    expect(expired).toHaveLength(3)
    expect(ids).toEqual(expect.arrayContaining(expired))
  })

  test('empty for an account that does not exist', async () => {
    for (const kind of ['InternalAccount', 'ExternalAccount'] as const)
      expect(await listed(`accountIdentifier=${noId(kind)}`, 2)).toEqual({ ids: [], totalCount: 0 })
  })
})
