import { beforeAll, describe, expect, test } from 'vitest'
import { extractUuid } from '../../../src/storage/engine/ids.ts'
import { type Client, fund, newBankAccount, newCustomer } from '../../worlds/client.testing.ts'
import { account, buildUnknownId, quoted, to } from '../../worlds/records/payments.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let service: SharedServer
let client: Client
/** All accounts that a payment could name, by their role. */
let accounts: Readonly<Record<string, string>>
/** The stored payments, newest first. */
let storedPayments: readonly StoredPayment[]

interface StoredPayment {
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
  const platformUsd = await findPlatformAccount()
  await fund(client, payer.usd, 100_000)
  await fund(client, platformUsd, 100_000)
  const immediate = { immediatelyExecute: true }
  for (let n = 0; n < 3; n++) {
    // Between the customer's own accounts, in both directions.
    await startPayment('/transfer-out', payer.usd, bank)
    await startPayment('/transfer-in', bank, payer.usd)
    // From one customer to another, who gets a record too. The second quote is never executed.
    await quoted(client, account(payer.usd), to(payee.usd), immediate)
    await quoted(client, account(payer.usd), to(payee.usd))
    // To the customer's external account, and between its internal accounts.
    await quoted(client, account(payer.usd), to(bank), immediate)
    await quoted(client, account(payer.usd), to(payer.eur), immediate)
    // The platform's money: to accounts of a customer, and on behalf of a customer.
    await quoted(client, account(platformUsd), to(theirBank), immediate)
    await quoted(client, { ...account(platformUsd), customerId: payer.id }, to(bank), immediate)
    await quoted(client, account(platformUsd), to(payee.usd), immediate)
  }
  await client.advance(3600)
  accounts = {
    payer: payer.usd,
    euros: payer.eur,
    payee: payee.usd,
    bank,
    theirBank,
    own: platformUsd,
    unused: payee.eur,
  }
  const platformId = (await client.get('/config')).body.id as string
  const { rows } = await service.app.db.query<StoredPayment>(
    `SELECT id, source_account_id AS source, destination_account_id AS destination FROM transactions
     WHERE platform_id = $1 ORDER BY created_at DESC, id DESC`,
    [extractUuid(platformId)],
  )
  storedPayments = rows
})

async function findPlatformAccount(): Promise<string> {
  const { body } = await client.get('/platform/internal-accounts?currency=USD')
  return body.data[0].id
}

async function startPayment(path: string, source: string, destination: string): Promise<void> {
  const body = { source: { accountId: source }, destination: { accountId: destination }, amount: 100 }
  expect((await client.post(path, body)).status).toBe(201)
}

/** Reads a list page by page. */
async function readWholeList(query: string, limit: number): Promise<{ ids: string[]; totalCount: number }> {
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

describe('the list of transactions', () => {
  const FILTERS: Readonly<Record<string, (row: StoredPayment, id: string) => boolean>> = {
    accountIdentifier: ({ source, destination }, id) => source === id || destination === id,
    senderAccountIdentifier: ({ source }, id) => source === id,
    receiverAccountIdentifier: ({ destination }, id) => destination === id,
  }

  test.each(Object.entries(FILTERS))(
    'filtered by %s has every match of any owner, newest first',
    async (filter, matches) => {
      let matchCount = 0
      for (const [role, id] of Object.entries(accounts))
        for (const limit of [2, 100]) {
          const expected = storedPayments.filter((row) => matches(row, id)).map((row) => row.id)
          matchCount += expected.length
          const list = await readWholeList(`${filter}=${id}`, limit)
          expect(list, `${role}, ${limit} a page`).toEqual({ ids: expected, totalCount: expected.length })
        }
      expect(matchCount).toBeGreaterThan(storedPayments.length)
    },
  )

  test('can be sorted oldest first, and combines with other filters', async () => {
    const { payer, payee } = accounts
    const sharedPayments = storedPayments.filter(
      ({ source, destination }) => source === payer && destination === payee,
    )
    const query = `senderAccountIdentifier=${payer}&receiverAccountIdentifier=${payee}`
    const ids = sharedPayments.map(({ id }) => id)
    expect((await readWholeList(query, 2)).ids).toEqual(ids)
    expect((await readWholeList(`${query}&sortOrder=asc`, 2)).ids).toEqual(ids.toReversed())
    const expired = (await readWholeList(`${query}&status=EXPIRED`, 2)).ids
    expect(expired).toHaveLength(3)
    expect(ids).toEqual(expect.arrayContaining(expired))
  })

  test('is empty for an account that does not exist', async () => {
    for (const kind of ['InternalAccount', 'ExternalAccount'] as const)
      expect(await readWholeList(`accountIdentifier=${buildUnknownId(kind)}`, 2)).toEqual({
        ids: [],
        totalCount: 0,
      })
  })
})
