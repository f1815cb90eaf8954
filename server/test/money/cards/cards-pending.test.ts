import { describe, expect, test } from 'vitest'
import { type Client, fund, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newCard, readCard, use, used } from '../../worlds/records/cards.testing.ts'
import { PERSON, send } from '../../worlds/records/onboarding.testing.ts'
import { account, readAllRecords, to } from '../../worlds/records/payments.testing.ts'

/** A person whose check stays pending until somebody decides, with the dollar account of that person. */
async function newPendingHolder(client: Client) {
  const person = { ...PERSON, fullName: 'Ada Lovelace001', email: `ada-${crypto.randomUUID()}@example.com` }
  const { id } = await send(client, 'POST', '/customers', person, 201)
  const { data } = (await client.get(`/customers/internal-accounts?customerId=${id}&currency=USD`)).body
  return { id, usd: data[0].id as string }
}

async function decide(client: Client, customerId: string, decision: object) {
  const { id } = await send(client, 'POST', '/verifications', { customerId }, 200)
  return send(client, 'POST', `/verifications/${id}/decision`, decision, 200)
}

const APPROVE = { decision: 'APPROVE' }
const REJECT = { decision: 'REJECT', reason: 'Somebody else.' }

const listStates = async (client: Client, cardId: string) =>
  (await client.events(`&objectId=${cardId}`)).map(({ data }) => data.state)

describe('a card for a customer whose check is pending', () => {
  test('is PENDING_KYC and cannot pay, and is issued automatically once the customer is approved', async () => {
    const client = await newPlatform()
    const holder = await newPendingHolder(client)
    const card = await newCard(client, holder.id, [holder.usd])
    expect(card).toMatchObject({ state: 'PENDING_KYC', stateReason: null, currency: 'USD' })
    const waiting = await readCard(client, card.id)
    expect(waiting.state).toBe('PENDING_KYC')
    expect(waiting).not.toHaveProperty('processorRef')
    expectError(await use(client, card.id, 100), { code: 'CARD_NOT_ACTIVE' })
    await decide(client, holder.id, APPROVE)
    expect((await readCard(client, card.id)).state).toBe('ACTIVE')
    expect(await listStates(client, card.id)).toEqual(['PROCESSING', 'ACTIVE'])
    await fund(client, holder.usd, 1000)
    expect(await used(client, card.id, 100)).toMatchObject({ status: 'AUTHORIZED', accountId: holder.usd })
  })

  test('is CLOSED automatically if the customer is rejected, who cannot get another card', async () => {
    const client = await newPlatform()
    const holder = await newPendingHolder(client)
    const card = await newCard(client, holder.id, [holder.usd])
    await decide(client, holder.id, REJECT)
    const closed = { state: 'CLOSED', stateReason: 'CLOSED_BY_SVC' }
    expect(await readCard(client, card.id)).toMatchObject(closed)
    expect(await listStates(client, card.id)).toEqual(['CLOSED'])
    const secondCard = { cardholderId: holder.id, form: 'VIRTUAL', fundingSources: [holder.usd] }
    expectError(await client.post('/cards', secondCard), { code: 'CARDHOLDER_KYC_NOT_APPROVED' })
  })

  test('is CLOSED when the customer is deleted', async () => {
    const client = await newPlatform()
    const holder = await newPendingHolder(client)
    const card = await newCard(client, holder.id, [holder.usd])
    expect((await client.send('DELETE', `/customers/${holder.id}`)).status).toBeLessThan(300)
    expect(await readCard(client, card.id)).toMatchObject({
      state: 'CLOSED',
      stateReason: 'CLOSED_BY_PLATFORM',
    })
  })

  test.each([
    ['approved', APPROVE, { state: 'ACTIVE', stateReason: null }],
    ['rejected', REJECT, { state: 'CLOSED', stateReason: 'CLOSED_BY_SVC' }],
  ])(
    'ends like every other card that was requested while the customer was %s',
    async (_, decision, expected) => {
      const client = await newPlatform()
      const holder = await newPendingHolder(client)
      const request = { cardholderId: holder.id, form: 'VIRTUAL', fundingSources: [holder.usd] }
      const issue = (count: number) => Array.from({ length: count }, () => client.post('/cards', request))
      const [before, , during] = [
        await Promise.all(issue(110)),
        ...(await Promise.all([decide(client, holder.id, decision), Promise.all(issue(50))])),
      ]
      await client.advance(0)
      await client.advance(0)
      const accepted = [...before, ...during].filter(({ status }) => status === 201)
      for (const { status, body } of during.filter((reply) => reply.status !== 201))
        expect([status, body.code]).toEqual([400, 'CARDHOLDER_KYC_NOT_APPROVED'])
      const cards = await readAllRecords(client, `/cards?cardholderId=${holder.id}`)
      expect(cards).toHaveLength(accepted.length)
      for (const card of cards) expect(card).toMatchObject(expected)
    },
  )
})

test('an account of a customer whose check is pending takes no money from any source until the approval opens it', async () => {
  const client = await newPlatform()
  const holder = await newPendingHolder(client)
  const listAccounts = async () =>
    (await client.get(`/customers/internal-accounts?customerId=${holder.id}`)).body.data
  for (const one of await listAccounts())
    expect(one).toMatchObject({ status: 'PENDING', fundingPaymentInstructions: [], balance: { amount: 0 } })
  const funding = await client.post(`/sandbox/internal-accounts/${holder.usd}/fund`, { amount: 1000 })
  expectError(funding, { code: 'INVALID_INPUT', field: 'accountId' })
  const [platformAccount] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, platformAccount.id, 10_000)
  const locked = { lockedCurrencySide: 'SENDING', lockedCurrencyAmount: 1000, immediatelyExecute: true }
  const quoteReply = await client.post('/quotes', {
    source: account(platformAccount.id),
    destination: to(holder.usd),
    ...locked,
  })
  expectError(quoteReply, { code: 'INVALID_INPUT', field: 'destination.accountId' })
  const deposit = { accountId: holder.usd, amount: 1000, currency: 'USD' }
  expect((await client.post('/sandbox/deposits', deposit)).body.status).not.toBe('CREDITED')
  const { umaAddress } = (await client.get(`/customers/${holder.id}`)).body
  const uma = { destinationType: 'UMA_ADDRESS', umaAddress, currency: 'USD' }
  const byUma = await client.post('/quotes', {
    source: account(platformAccount.id),
    destination: uma,
    ...locked,
  })
  expect(byUma.status).toBeGreaterThanOrEqual(400)
  for (const one of await listAccounts()) expect(one).toMatchObject({ totalBalance: { amount: 0 } })
  await decide(client, holder.id, APPROVE)
  const openedAccounts = (await listAccounts()).filter(
    ({ type }: { type: string }) => type !== 'EMBEDDED_WALLET',
  )
  for (const one of openedAccounts) expect(one).toMatchObject({ status: 'ACTIVE' })
  const reports = await client.events(`&objectId=${holder.usd}`)
  expect(reports).toMatchObject([{ type: 'INTERNAL_ACCOUNT.STATUS_UPDATED', data: { status: 'ACTIVE' } }])
  await fund(client, holder.usd, 1000)
  expect(await listAccounts()).toContainEqual(expect.objectContaining({ id: holder.usd, status: 'ACTIVE' }))
})
