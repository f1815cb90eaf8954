import { beforeAll, describe, expect, test } from 'vitest'
import { parseStamp, verifyStamp } from '../../../src/base/crypto/stamp.ts'
import { toJson } from '../../../src/base/json/json.ts'
import {
  type Client,
  fund,
  newCustomer,
  newPlatform,
  type Reply,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent, newPayer, newWaitingTransfer, say, settled } from '../../worlds/records/agents.testing.ts'
import { clear, newCard, used } from '../../worlds/records/cards.testing.ts'
import {
  account,
  quoted,
  readAllRecords,
  readQuoteTransaction,
  ready,
  statementOf,
  to,
} from '../../worlds/records/payments.testing.ts'

type Body = Reply['body']

const listSteps = ({ steps }: Body) => steps.map(({ step }: Body) => step)

/** Explains the first posted transfer of a cause. */
async function explainCause(client: Client, cause: string): Promise<Body> {
  const { data } = (await client.get(`/ledger/transfers?cause=${cause}&sortOrder=asc`)).body
  const posted = data.find(({ state }: Body) => state === 'posted')
  const { status, body } = await client.get(`/ledger/transfers/${posted.id}/explain`)
  expect(status, toJson(body)).toBe(200)
  expect(body.transfer).toEqual(posted)
  return body
}

describe('ledger accounts', () => {
  let client: Client
  let customer: Awaited<ReturnType<typeof ready>>['customer']
  beforeAll(async () => {
    const world = await ready()
    client = world.client
    customer = world.customer
    await newCustomer(client)
    await quoted(client, account(customer.usd), to(customer.eur), { immediatelyExecute: true })
    await client.advance(0)
  })

  test('are listed once each, page by page, in the order of their ids', async () => {
    const allAccounts = await readAllRecords(client, '/ledger/accounts')
    const ids = allAccounts.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const uuids = ids.map((id) => id.split(':')[1])
    expect(uuids).toEqual(uuids.toSorted())
    const pagedIds: string[] = []
    let cursor = ''
    do {
      const { body } = await client.get(`/ledger/accounts?limit=3${cursor}`)
      expect(body.totalCount).toBe(ids.length)
      pagedIds.push(...body.data.map(({ id }: Body) => id))
      cursor = body.hasMore ? `&cursor=${body.nextCursor}` : ''
    } while (cursor !== '')
    expect(pagedIds).toEqual(ids)
  })

  test('have a name if they belong to the platform itself, and are found by name, currency and owner', async () => {
    const platformId = (await client.get('/config')).body.id
    const allAccounts = await readAllRecords(client, '/ledger/accounts')
    expect(new Set(allAccounts.flatMap(({ name }) => name ?? []))).toEqual(
      new Set(['rail', 'fx', 'fees', 'clearing']),
    )
    for (const { id, name, owner } of allAccounts)
      expect([id.split(':')[0], name === undefined]).toEqual(
        name === undefined ? ['InternalAccount', true] : ['LedgerAccount', owner !== platformId],
      )
    const findIds = async (query: string) =>
      (await readAllRecords(client, `/ledger/accounts?${query}`)).map(({ id }) => id)
    const selectIds = (matches: (row: Body) => boolean) => allAccounts.filter(matches).map(({ id }) => id)
    expect(await findIds('name=rail')).toEqual(selectIds(({ name }) => name === 'rail'))
    expect(await findIds('currency=EUR')).toEqual(selectIds(({ currency }) => currency.code === 'EUR'))
    expect(await findIds(`owner=${customer.id}`)).toEqual(selectIds(({ owner }) => owner === customer.id))
    expect(await findIds(`owner=${platformId}&name=fees&currency=USD`)).toHaveLength(1)
    expect(await findIds(`owner=${customer.id}&name=rail`)).toEqual([])
    expect(await findIds('name=nothing')).toEqual([])
  })

  test('are visible only to their own platform', async () => {
    const otherClient = await newPlatform()
    expectError(await otherClient.get(`/ledger/accounts/${customer.usd}`), {
      code: 'ACCOUNT_NOT_FOUND',
      field: 'ledgerAccountId',
    })
    expect(await readAllRecords(otherClient, `/ledger/accounts?owner=${customer.id}`)).toEqual([])
    expect(await readAllRecords(otherClient, `/ledger/transfers?accountId=${customer.usd}`)).toEqual([])
    expect((await client.get(`/ledger/accounts/${customer.usd}`)).body).toMatchObject({
      id: customer.usd,
      owner: customer.id,
      normalSide: 'credit',
    })
  })

  test('have no balance before the platform existed, and the current balance in the future', async () => {
    const listAt = async (asOf: string) => readAllRecords(client, `/ledger/accounts?asOf=${asOf}`)
    for (const { posted, held } of await listAt('2001-01-01T00:00:00Z'))
      expect([posted, held]).toEqual([0, 0])
    expect(await listAt('9999-01-01T00:00:00Z')).toEqual(await readAllRecords(client, '/ledger/accounts'))
  })
})

test('the balance at a time excludes postings of that millisecond, and includes them a millisecond later', async () => {
  const { client, customer } = await ready()
  const [{ at }] = (await statementOf(client, customer.usd)).lines
  const nextMs = new Date(Date.parse(at) + 1).toISOString()
  const readPosted = async (asOf: string) =>
    (await client.get(`/ledger/accounts/${customer.usd}?asOf=${asOf}`)).body.posted
  expect([await readPosted(at), await readPosted(nextMs)]).toEqual([0, 100_000])
  expect((await statementOf(client, customer.usd, `&to=${at}`)).lines).toEqual([])
  expect((await statementOf(client, customer.usd, `&to=${nextMs}`)).lines).toHaveLength(1)
})

describe('the transfers of a cause', () => {
  test('are found by the id of the transaction or of its quote', async () => {
    const { client, customer, bank } = await ready('005')
    const quote = await quoted(client, account(customer.usd), to(bank), { immediatelyExecute: true })
    await client.advance(3600)
    expect(await readQuoteTransaction(client, quote)).toMatchObject({ refund: { status: 'COMPLETED' } })
    const byQuote = await readAllRecords(client, `/ledger/transfers?cause=${quote.id}`)
    expect(await readAllRecords(client, `/ledger/transfers?cause=${quote.transactionId}`)).toEqual(byQuote)
    expect(new Set(byQuote.map(({ cause }) => cause.id))).toEqual(new Set([quote.id, quote.transactionId]))
    const customerTransfers = await readAllRecords(
      client,
      `/ledger/transfers?cause=${quote.id}&accountId=${customer.usd}`,
    )
    expect(customerTransfers.map(({ debit, credit }) => [debit.name, credit.name])).toEqual([
      ['refunds', undefined],
      [undefined, 'clearing'],
    ])
    const postedTransfers = byQuote.filter(({ state }) => state === 'posted')
    expect(postedTransfers.length).toBe(byQuote.length)
  })

  test('need a cause or an account in the query', async () => {
    const client = await newPlatform()
    expectError(await client.get('/ledger/transfers'), { code: 'INVALID_INPUT', field: 'cause' })
    expect(await readAllRecords(client, '/ledger/transfers?cause=nothing')).toEqual([])
  })
})

describe('explaining a transfer', () => {
  test('leads from the entry to the quote, the policy, the approval and the signature of the wallet', async () => {
    const client = await newPlatform()
    const payer = await newPayer(client)
    await fund(client, payer.wallet, 5_000_000)
    const device = await signIn(client, payer.wallet)
    const limits = { spendingLimits: { currency: 'USDB', perTransactionLimit: 10_000_000 } }
    const agent = await newAgent(client, payer.id, limits)
    const quote = await agent.quote(payer, 1_000_000, payer.wallet)
    const execution = await agent.post(`/agents/me/quotes/${quote.body.id}/execute`)
    expect(execution.body.status, toJson(execution.body)).toBe('PENDING_APPROVAL')
    const path = `/agents/${agent.id}/actions/${execution.body.id}/approve`
    expect((await sendSigned(client, device, 'POST', path)).status).toBe(200)
    await settled(client, agent, execution.body.id)

    const { steps } = await explainCause(client, quote.body.id)
    expect(steps.map(({ step, state }: Body) => [step, state])).toEqual([
      ['ENTRY', 'posted'],
      ['TRANSACTION', 'COMPLETED'],
      ['QUOTE', 'COMPLETED'],
      ['POLICY_DECISION', 'APPROVAL_REQUIRED'],
      ['POLICY_DECISION', 'ALLOWED'],
      ['APPROVAL', 'APPROVED'],
      ['SIGNATURE', 'SIGNED'],
    ])
    expect(steps[0].summary).toMatch(
      /^1\.000000 USDB moved from InternalAccount:\S+ to the platform's account “clearing” in USDB\.$/,
    )
    expect(steps[3].summary).toContain(agent.id)
    expect(steps[5]).toMatchObject({ id: execution.body.id, summary: 'The platform approved the payment.' })
    // Anyone with the response can check the signature without this server.
    const { signature, summary } = steps.at(-1)
    const sessions = (await client.get(`/auth/sessions?accountId=${payer.wallet}`)).body.data
    expect(sessions.map(({ id }: Body) => id)).toContain(signature.sessionId)
    expect(signature.sessionId).toBe(device.sessionId)
    expect(summary).toContain(signature.credentialId)
    expect(JSON.parse(signature.payload)).toMatchObject({ quote: quote.body.id, account: payer.wallet })
    const stamp = parseStamp(signature.stamp)!
    expect(stamp.publicKey).toBe(signature.publicKey)
    expect(verifyStamp(stamp, signature.payload)).toBe(true)
    expect(verifyStamp(stamp, `${signature.payload} `)).toBe(false)
  })

  test('of an agent shows the approval, or the policy that allowed it without one', async () => {
    const { client, payer, agent, action } = await newWaitingTransfer({
      approvalThresholds: { amount: 1_000 },
    })
    expect((await say(client, 'approve', action)).status).toBe(200)
    await settled(client, agent, action.id)
    expect(listSteps(await explainCause(client, action.transaction.id))).toEqual([
      'ENTRY',
      'TRANSACTION',
      'POLICY_DECISION',
      'POLICY_DECISION',
      'APPROVAL',
    ])
    const freeAgent = await newAgent(client, payer.id)
    const payment = (await freeAgent.transferOut(payer, 500)).body
    await client.advance(0)
    const { steps } = await explainCause(client, payment.transaction.id)
    expect(steps.map(({ step, state }: Body) => [step, state])).toEqual([
      ['ENTRY', 'posted'],
      ['TRANSACTION', 'COMPLETED'],
      ['POLICY_DECISION', 'ALLOWED'],
    ])
  })

  test("of a card purchase shows the payload that the card's key signed", async () => {
    const client = await newPlatform()
    const holder = await newCustomer(client)
    await fund(client, holder.wallet, 50_000_000)
    const session = await signIn(client, holder.wallet)
    const card = await newCard(client, holder.id, [holder.wallet])
    const keyRequest = { cardId: card.id, internalAccountId: holder.wallet, nickname: 'Spending' }
    expect((await sendSigned(client, session, 'POST', '/auth/delegated-keys', keyRequest)).status).toBe(201)
    const purchase = await used(client, card.id, 1_000)
    await clear(client, purchase, 1_000)
    await client.advance(0)
    const { steps } = await explainCause(client, purchase.id)
    expect(steps.map(({ step }: Body) => step)).toEqual(['ENTRY', 'CARD_TRANSACTION', 'SIGNATURE'])
    expect(steps[1].summary).toContain('COFFEE SHOP')
    expect(JSON.parse(steps[2].signature.payload)).toMatchObject({ cardTransaction: purchase.id, pull: 1 })
    expect(steps[2].signature.publicKey).toMatch(/^0[234]/)
  })

  test('of sandbox money shows that origin, and returns 404 to other platforms', async () => {
    const { client, customer } = await ready()
    const [{ id }] = await readAllRecords(client, `/ledger/transfers?accountId=${customer.usd}`)
    const { body } = await client.get(`/ledger/transfers/${id}/explain`)
    expect(listSteps(body)).toEqual(['ENTRY', 'CAUSE'])
    expect(body.steps[1]).toMatchObject({
      id: customer.usd,
      summary: expect.stringContaining('funded in the sandbox'),
    })
    const otherClient = await newPlatform()
    expectError(await otherClient.get(`/ledger/transfers/${id}/explain`), {
      code: 'LEDGER_TRANSFER_NOT_FOUND',
    })
  })
})
