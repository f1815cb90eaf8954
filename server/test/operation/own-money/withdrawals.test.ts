import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import {
  balanceOf,
  feesOf,
  newPayingPlatform,
  registered,
  usAccount,
  withdrawal,
  withdrawals,
} from '../../worlds/records/payouts.testing.ts'

const PATH = '/platform/withdrawals'

/** Creates a platform with own capital and a registered account of its operator. */
async function createPlatformWithAccount(amount = 1_000_000) {
  const { client, payee, own } = await newPayingPlatform(amount)
  const account = await registered(client, payee)
  return { client, payee, own, ownAccountId: String(account.id) }
}

/** Lets a customer convert dollars to euros, and returns the fees in dollars. */
async function chargeFees(client: Client): Promise<number> {
  const { usd, eur } = await newCustomer(client)
  await fund(client, usd, 10_000_000)
  const quote = await client.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: usd },
    destination: { destinationType: 'ACCOUNT', accountId: eur },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 10_000_000,
    immediatelyExecute: true,
  })
  expect(quote.status, JSON.stringify(quote.body)).toBe(201)
  await client.advance(60)
  const fees = await feesOf(client)
  expect(fees).toBeGreaterThan(100)
  return fees
}

describe('a withdrawal of own capital', () => {
  test("is a transfer out of the platform's account, and is in the audit trail", async () => {
    const { client, payee, own, ownAccountId } = await createPlatformWithAccount()
    const created = await client.post(
      PATH,
      withdrawal(ownAccountId, 250_000, { remittanceInformation: 'Q1' }),
    )
    expect(created).toMatchObject({
      status: 201,
      body: {
        status: 'SENT',
        source: 'OWN_CAPITAL',
        reason: 'Dividend',
        isSweep: false,
        transactionStatus: 'PENDING',
        amount: { amount: 250_000, currency: { code: 'USD' } },
      },
    })
    expect(await balanceOf(client)).toBe(750_000)
    await client.advance(60)
    const { body } = await client.get(`${PATH}/${created.body.id}`)
    expect(body).toMatchObject({ status: 'SENT', transactionStatus: 'COMPLETED' })
    expect((await client.get(`/transactions/${body.transactionId}`)).body).toMatchObject({
      source: { accountId: own },
      destination: { accountId: payee },
      sentAmount: { amount: 250_000 },
    })
    const audit = (await client.get('/audit-events?limit=5')).body.data
    expect(JSON.stringify(audit)).toContain(created.body.id)
  })

  test('sends an event when it waits, is sent or is canceled, and when its payment arrives, fails or is returned', async () => {
    const { client, ownAccountId } = await createPlatformWithAccount()
    const createWithdrawal = async (account: string, fields: object = {}): Promise<string> =>
      (await client.post(PATH, withdrawal(account, 100, fields))).body.id
    const approvalFields = { needsApproval: true }
    const [approved, canceled] = [
      await createWithdrawal(ownAccountId, approvalFields),
      await createWithdrawal(ownAccountId, approvalFields),
    ]
    await client.post(`${PATH}/${approved}/approve`)
    await client.post(`${PATH}/${canceled}/cancel`)
    const failingAccount = await client.post('/platform/external-accounts', {
      currency: 'USD',
      accountInfo: usAccount('123456004'),
    })
    const failedId = await createWithdrawal((await registered(client, failingAccount.body.id)).id)
    await client.advance(60)
    const { transactionId } = (await client.get(`${PATH}/${approved}`)).body
    const report = { type: 'payment.returned', paymentId: transactionId, message: 'R03' }
    expect((await client.post('/sandbox/rail-events', report)).status).toBe(201)
    await client.advance(0)
    const listEvents = async (id: string) =>
      (await client.events(`&objectId=${id}`)).map(({ type, data }) => [
        type.replace('PLATFORM_WITHDRAWAL.', ''),
        data.status,
        data.transactionStatus,
      ])
    expect(await listEvents(approved)).toEqual([
      ['AWAITING_APPROVAL', 'AWAITING_APPROVAL', undefined],
      ['SENT', 'SENT', 'PENDING'],
      ['COMPLETED', 'SENT', 'COMPLETED'],
      ['FAILED', 'SENT', 'FAILED'],
    ])
    expect(await listEvents(canceled)).toEqual([
      ['AWAITING_APPROVAL', 'AWAITING_APPROVAL', undefined],
      ['CANCELED', 'CANCELED', undefined],
    ])
    expect(await listEvents(failedId)).toEqual([
      ['SENT', 'SENT', 'PENDING'],
      ['FAILED', 'SENT', 'FAILED'],
    ])
  })

  test('never takes more than the account has, even with fifty in parallel', async () => {
    const { client, ownAccountId } = await createPlatformWithAccount(1000)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => client.post(PATH, withdrawal(ownAccountId, 100))),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(10)
    for (const reply of replies.filter(({ status }) => status !== 201))
      expectError(reply, { code: 'INSUFFICIENT_BALANCE' })
    expect(await balanceOf(client)).toBe(0)
    expect(await withdrawals(client)).toHaveLength(10)
  })

  test('is replayed by its Idempotency-Key without a second payment', async () => {
    const { client, ownAccountId } = await createPlatformWithAccount()
    const sendWithdrawal = () =>
      client.post(PATH, withdrawal(ownAccountId, 100), { 'Idempotency-Key': 'dividend' })
    const [first, second] = [await sendWithdrawal(), await sendWithdrawal()]
    expect(second.body).toEqual(first.body)
    expect(await withdrawals(client)).toHaveLength(1)
    expect(await balanceOf(client)).toBe(999_900)
  })

  test('returns the money to the account if its payment fails', async () => {
    const { client } = await newPayingPlatform(1000)
    const failingAccount = await client.post('/platform/external-accounts', {
      currency: 'USD',
      accountInfo: usAccount('777000002'),
    })
    const account = await registered(client, failingAccount.body.id)
    const { body } = await client.post(PATH, withdrawal(account.id, 400))
    await client.advance(3600)
    expect((await client.get(`${PATH}/${body.id}`)).body.transactionStatus).toBe('FAILED')
    expect(await balanceOf(client)).toBe(1000)
  })

  test('goes only to registered accounts of the operator', async () => {
    const { client, ownAccountId } = await createPlatformWithAccount()
    const otherPlatform = await createPlatformWithAccount()
    expectError(await client.post(PATH, withdrawal(otherPlatform.ownAccountId, 100)), {
      code: 'OWN_ACCOUNT_NOT_FOUND',
    })
    await client.post(`/platform/own-accounts/${ownAccountId}/remove`)
    expectError(await client.post(PATH, withdrawal(ownAccountId, 100)), {
      code: 'INVALID_INPUT',
      field: 'ownAccountId',
    })
    expect(await withdrawals(client)).toEqual([])
    expect(await balanceOf(client)).toBe(1_000_000)
  })
})

describe('a withdrawal', () => {
  test('of fees pays only charged fees and no capital, even with fifty in parallel', async () => {
    const { client, ownAccountId } = await createPlatformWithAccount(5000)
    const fees = await chargeFees(client)
    const part = Math.floor(fees / 3)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => client.post(PATH, withdrawal(ownAccountId, part, { source: 'FEES' }))),
    )
    const sentCount = replies.filter(({ status }) => status === 201).length
    for (const reply of replies.filter(({ status }) => status === 400))
      expectError(reply, { code: 'INSUFFICIENT_BALANCE' })
    expect(sentCount).toBe(3)
    expect(await feesOf(client)).toBe(fees - 3 * part)
    expect(await balanceOf(client)).toBe(5000)
    await client.advance(60)
    const list = (await client.get('/platform/fees?currency=USD&limit=100')).body.data
    const sum = list.reduce(
      (total: number, { amount }: { amount: { amount: number } }) => total + amount.amount,
      0,
    )
    expect(sum).toBe(fees - 3 * part)
    expect(list.filter(({ quoteId }: { quoteId?: string }) => quoteId === undefined)).toMatchObject(
      Array.from({ length: 3 }, () => ({ amount: { amount: -part } })),
    )
  })

  test('of ALL takes the fees first and then the capital', async () => {
    const { client, ownAccountId } = await createPlatformWithAccount(5000)
    const fees = await chargeFees(client)
    const withdrawAll = (amount: number) =>
      client.post(PATH, withdrawal(ownAccountId, amount, { source: 'ALL' }))
    expectError(await withdrawAll(fees + 5001), { code: 'INSUFFICIENT_BALANCE' })
    expect((await withdrawAll(fees + 1000)).status).toBe(201)
    expect([await feesOf(client), await balanceOf(client)]).toEqual([0, 4000])
  })
})

describe('on a platform that requires two approvals', () => {
  let client: Client
  let payee: string
  let members: Awaited<ReturnType<typeof newMember>>[]
  beforeAll(async () => {
    ;({ client, payee } = await newPayingPlatform(1000))
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    members = await Promise.all([1, 2].map(() => newMember(client, ['VIEW', 'APPROVE'])))
  })

  test('an account and a withdrawal each wait for two members, and hold no money before that', async () => {
    const [firstMember, secondMember] = members.map(({ browser }) => browser)
    const account = await registered(client, payee)
    expect(account.status).toBe('AWAITING_APPROVAL')
    const accountPath = `/platform/own-accounts/${account.id}`
    expectError(await client.post(PATH, withdrawal(account.id, 100)), { code: 'INVALID_INPUT' })
    expectError(await client.post(`${accountPath}/approve`), { code: 'FORBIDDEN' })
    const [approval, ...otherApprovals] = (await client.get(`/approvals?objectId=${account.id}`)).body.data
    expect([approval, otherApprovals]).toMatchObject([{ objectId: account.id, kind: 'OWN_ACCOUNT' }, []])
    for (const status of ['AWAITING_APPROVAL', 'AWAITING_APPROVAL'])
      expect((await firstMember!.post(`${accountPath}/approve`)).body.status).toBe(status)
    expect((await secondMember!.post(`${accountPath}/approve`)).body.status).toBe('ACTIVE')

    const created = await client.post(PATH, withdrawal(account.id, 1000))
    expect(created.body.status).toBe('AWAITING_APPROVAL')
    const canceled = await client.post(PATH, withdrawal(account.id, 1000))
    expect(await balanceOf(client)).toBe(1000)
    const approvals = (await client.get('/approvals')).body.data
    expect(approvals.map(({ objectId }: { objectId: string }) => objectId)).toContain(created.body.id)
    const path = `${PATH}/${created.body.id}`
    expectError(await client.post(`${path}/approve`), { code: 'FORBIDDEN' })
    expect((await firstMember!.post(`${path}/approve`)).body.status).toBe('AWAITING_APPROVAL')
    const replies = await Promise.all(Array.from({ length: 10 }, () => secondMember!.post(`${path}/approve`)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await balanceOf(client)).toBe(0)

    expectError(await firstMember!.post(`${PATH}/${canceled.body.id}/approve`), {
      code: 'INSUFFICIENT_BALANCE',
    })
    expect((await client.post(`${PATH}/${canceled.body.id}/cancel`)).body.status).toBe('CANCELED')
    expectError(await firstMember!.post(`${PATH}/${canceled.body.id}/approve`), {
      code: 'INVALID_STATE_TRANSITION',
    })
  })
})

describe('an account of the operator', () => {
  test('must be an account of the platform, and is registered only once at a time', async () => {
    const client = await newPlatform()
    const { id } = await newCustomer(client)
    const customerAccount = await client.post('/customers/external-accounts', {
      customerId: id,
      currency: 'USD',
      accountInfo: usAccount('777000789'),
    })
    const body = { externalAccountId: customerAccount.body.id, reason: 'Ours' }
    expectError(await client.post('/platform/own-accounts', body), { code: 'ACCOUNT_NOT_FOUND' })
    const { client: platform, payee } = await newPayingPlatform()
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        platform.post('/platform/own-accounts', { externalAccountId: payee, reason: 'Ours' }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  test('is a source of own capital, so its deposits are credited to the platform account', async () => {
    const { client, ownAccountId } = await createPlatformWithAccount(300)
    const createDeposit = async (sender: object, currency = 'USD') =>
      (await client.post('/sandbox/deposits', { amount: 700, currency, sender })).body.status
    const ownSender = { accountIdentifier: '7770 00789', bankIdentifier: '021000021' }
    expect(await createDeposit(ownSender)).toBe('CREDITED')
    expect(await balanceOf(client)).toBe(1000)
    expect(await createDeposit(ownSender, 'EUR')).toBe('SUSPENSE')
    expect(await createDeposit({ accountIdentifier: '777000789' })).toBe('SUSPENSE')
    expect(await createDeposit({ ...ownSender, bankIdentifier: '021000089' })).toBe('SUSPENSE')
    expect(await createDeposit({ ...ownSender, accountIdentifier: '777000788' })).toBe('SUSPENSE')
    await client.post(`/platform/own-accounts/${ownAccountId}/remove`)
    expect(await createDeposit(ownSender)).toBe('SUSPENSE')
    expect(await balanceOf(client)).toBe(1000)
  })
})
