import { expect } from 'vitest'
import { toChecksumAddress } from '../../../src/base/formats/addresses.ts'
import { newAddress } from '../chain/holder.testing.ts'
import { type Client, fund, type Reply } from '../client.testing.ts'
import { type Place, registered } from './payouts.testing.ts'

export const MOVEMENTS = '/platform/treasury-movements'
export const KEYS = '/platform/treasury-keys'
const FUNDED = 10_000

type PostingClient = Pick<Client, 'post'>

/** Requests an external account of the platform for an address on Base. */
export function addAddress(client: PostingClient, address: string): Promise<Reply> {
  return client.post('/platform/external-accounts', {
    currency: 'USDC',
    accountInfo: { accountType: 'BASE_WALLET', address },
  })
}

/** Registers an address as cold storage. */
export async function coldStorage(
  client: PostingClient,
  address: string = toChecksumAddress(newAddress().slice(2)),
  more: object = {},
): Promise<Reply['body']> {
  const { body } = await addAddress(client, address)
  return registered(client, body.id, { purpose: 'COLD_STORAGE', reason: 'Our vault', ...more })
}

export const movement = (ownAccountId: string, amount: number, more: object = {}) => ({
  ownAccountId,
  amount,
  reason: 'More than a day needs',
  ...more,
})

export async function moved(
  client: PostingClient,
  ownAccountId: string,
  amount: number,
  more: object = {},
): Promise<Reply['body']> {
  const reply = await client.post(MOVEMENTS, movement(ownAccountId, amount, more))
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

/** Creates cold storage in a sandbox, and gives the platform money in its treasury. */
export async function newColdStorage(client: Client, amount = FUNDED): Promise<string> {
  const [account] = (await client.get('/platform/internal-accounts?currency=USDC')).body.data
  await fund(client, account.id, amount)
  return String((await coldStorage(client)).id)
}

/** Creates cold storage, for a call that moves money there. */
export async function newVault({ client }: Place) {
  return { OwnAccount: await newColdStorage(client) }
}

/** Creates cold storage with money, for a call that moves money back. */
export async function newFundedVault({ client }: Place) {
  const OwnAccount = await newColdStorage(client)
  await moved(client, OwnAccount, FUNDED)
  await client.advance(60)
  return { OwnAccount }
}

/** Creates a movement in a sandbox that waits for one approval. */
export async function newMovement({ client }: Place) {
  const OwnAccount = await newColdStorage(client)
  const { id } = await moved(client, OwnAccount, 100, { needsApproval: true })
  return { OwnAccount, TreasuryMovement: String(id) }
}

const ROTATION = { rail: 'sandbox', reason: 'A year is over' }

/** Cancels a waiting rotation, because only one can wait at a time. */
export async function cancelWaitingKeys({ client }: Place) {
  const waiting = (await client.get(`${KEYS}?status=AWAITING_APPROVAL`)).body.data
  for (const { id } of waiting) await client.post(`${KEYS}/${id}/cancel`)
  return {}
}

/** Creates an active treasury key in a sandbox. */
export async function newKey({ client }: Place) {
  await cancelWaitingKeys({ client })
  const reply = await client.post(KEYS, ROTATION)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return { TreasuryKey: String(reply.body.id) }
}

/** Creates a treasury key that waits for one approval. */
export async function newWaitingKey({ client }: Place) {
  await cancelWaitingKeys({ client })
  const reply = await client.post(KEYS, { ...ROTATION, needsApproval: true })
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return { TreasuryKey: String(reply.body.id) }
}
