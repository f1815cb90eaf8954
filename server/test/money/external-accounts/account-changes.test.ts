import { describe, expect, test } from 'vitest'
import {
  type Client,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
} from '../../worlds/client.testing.ts'
import {
  change,
  changesOf,
  decide,
  newNumber,
  paidAccount,
  pay,
  pendingChange,
  REASON,
  report,
} from '../../worlds/records/account-changes.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { account, quoted, to } from '../../worlds/records/payments.testing.ts'

const accountOf = async (client: Client, id: string) =>
  (await client.get(`/customers/external-accounts/${id}`)).body

const eventsOf = async (client: Client, id: string): Promise<Reply['body'][]> =>
  (await client.events()).filter(({ objectId }: Reply['body']) => objectId === id)

describe('details that a bank reports for an account', () => {
  test('stop payments to it until they are applied, and are used by the next payment', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await paidAccount(client)
    const before = await accountOf(client, bank)
    const number = newNumber()
    expect(await report(client, transaction, change(number))).toMatchObject({ status: 'APPLIED' })
    const [pending] = await changesOf(client, bank)
    expect(pending).toMatchObject({
      status: 'PENDING',
      externalAccountId: bank,
      customerId: customer.id,
      transactionId: transaction,
      code: 'C01',
      message: 'Corrected',
      changes: [{ field: 'accountNumber', before: before.accountInfo.accountNumber, after: number }],
    })
    expect(await accountOf(client, bank)).toEqual({ ...before, status: 'UNDER_REVIEW' })

    const refused = await pay(client, { customer, bank }, 409)
    expect([refused.code, refused.details]).toEqual([
      'EXTERNAL_ACCOUNT_UNDER_REVIEW',
      { field: 'destination.accountId', externalAccountId: bank, accountChangeId: pending.id },
    ])
    const quote = await client.post('/quotes', {
      source: account(customer.usd),
      destination: to(bank),
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 100,
    })
    expect([quote.status, quote.body.code]).toEqual([409, 'EXTERNAL_ACCOUNT_UNDER_REVIEW'])
    const pulled = await client.post('/transfer-in', {
      source: { accountId: bank },
      destination: { accountId: customer.usd },
      amount: 100,
    })
    expect([pulled.status, pulled.body.details.field]).toEqual([409, 'source.accountId'])

    const applied = await decide(client, pending.id, 'apply')
    expect(applied).toMatchObject({ status: 'APPLIED', ...REASON, decidedBy: { type: 'TOKEN' } })
    const accountInfo = { ...before.accountInfo, accountNumber: number }
    expect(await accountOf(client, bank)).toEqual({ ...before, accountInfo })
    const next = await pay(client, { customer, bank })
    await client.advance(0)
    // The bank repeats the report for the earlier payment: nothing has to be decided.
    await report(client, next.id, change(number))
    await report(client, transaction, change(number))
    expect(await changesOf(client, bank)).toEqual([applied])
  })

  test('are shown shortened in events, with who has decided', async () => {
    const client = await newPlatform()
    const { bank, transaction } = await paidAccount(client)
    const number = newNumber()
    await report(client, transaction, change(number))
    const [{ id }] = await changesOf(client, bank)
    await decide(client, id, 'dismiss')
    const events = await eventsOf(client, id)
    expect(events.map(({ type, data }) => [type, data.status, data.changes[0].after])).toEqual([
      ['EXTERNAL_ACCOUNT.CHANGE_REPORTED', 'PENDING', `•••• ${number.slice(-4)}`],
      ['EXTERNAL_ACCOUNT.CHANGE_DECIDED', 'DISMISSED', `•••• ${number.slice(-4)}`],
    ])
    expect(JSON.stringify(events)).not.toContain(number)
  })

  test('are dismissed: the account keeps its own, and a further report waits again', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await paidAccount(client)
    const before = await accountOf(client, bank)
    const number = newNumber()
    await report(client, transaction, change(number))
    const [{ id }] = await changesOf(client, bank)
    await decide(client, id, 'dismiss')
    expect(await accountOf(client, bank)).toEqual(before)
    const next = await pay(client, { customer, bank })
    await client.advance(0)
    await report(client, next.id, change(number))
    expect((await changesOf(client, bank)).map(({ status }) => status)).toEqual(['PENDING', 'DISMISSED'])
    await pay(client, { customer, bank }, 409)
  })

  test('of several fields are one change, and equal reports wait once', async () => {
    const client = await newPlatform()
    const { bank, transaction } = await paidAccount(client)
    const number = newNumber()
    const parts = [
      { field: 'routingNumber', value: '011401533' },
      { field: 'accountNumber', value: number },
      { field: 'bankAccountType', value: 'SAVINGS' },
      { field: 'holderName', value: 'ADA LOVELACE' },
    ]
    await Promise.all([1, 2, 3, 4].map(() => report(client, transaction, parts, 'C07')))
    const [pending, ...others] = await changesOf(client, bank)
    expect(others).toEqual([])
    expect(pending.changes).toHaveLength(4)
    await decide(client, pending.id, 'apply')
    expect((await accountOf(client, bank)).accountInfo).toMatchObject({
      routingNumber: '011401533',
      accountNumber: number,
      bankAccountType: 'SAVINGS',
      beneficiary: { fullName: 'ADA LOVELACE' },
    })
  })

  test('that differ are two changes: the one that no longer fits can only be dismissed', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await paidAccount(client)
    const [one, other] = [newNumber(), newNumber()]
    await report(client, transaction, change(one))
    await report(client, transaction, change(other))
    const [second, first] = await changesOf(client, bank)
    await decide(client, first.id, 'apply')
    expect(await accountOf(client, bank)).toMatchObject({
      status: 'UNDER_REVIEW',
      accountInfo: { accountNumber: one },
    })
    expect((await decide(client, second.id, 'apply', 409)).code).toBe('EXTERNAL_ACCOUNT_CHANGED')
    await pay(client, { customer, bank }, 409)
    await decide(client, second.id, 'dismiss')
    await pay(client, { customer, bank })
    // The first payment was to the earlier number: what its bank says about that is for a person.
    expect(await report(client, transaction, change(newNumber()))).toMatchObject({
      status: 'WAITING',
      reason: 'CHANGE_OF_ACCOUNT',
    })
  })

  test('are decided once, whatever races', async () => {
    const client = await newPlatform()
    const { id, bank } = await pendingChange(client)
    const before = await accountOf(client, bank)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.post(`/account-changes/${id}/${index % 2 === 0 ? 'apply' : 'dismiss'}`, REASON),
      ),
    )
    const done = replies.filter(({ status }) => status === 200)
    expect(done).toHaveLength(1)
    const codes = replies.flatMap(({ status, body }) => (status === 200 ? [] : body.code))
    expect(codes).toEqual(Array.from({ length: 19 }, () => 'INVALID_STATE_TRANSITION'))
    const { status, changes } = (await client.get(`/account-changes/${id}`)).body
    expect(status).toBe(done[0]!.body.status)
    const number = status === 'APPLIED' ? changes[0].after : changes[0].before
    expect(await accountOf(client, bank)).toMatchObject({
      status: 'ACTIVE',
      accountInfo: { accountNumber: number },
    })
    expect(before.status).toBe('UNDER_REVIEW')
    expect(await eventsOf(client, id)).toHaveLength(2)
  })

  test('that no account can have wait as a report, and propose nothing', async () => {
    const client = await newPlatform()
    const { bank, transaction } = await paidAccount(client)
    for (const changes of [
      change('021000022', 'routingNumber'),
      change('x'.repeat(300).slice(0, 40)),
      change('MAYBE', 'bankAccountType'),
      change('DE89370400440532013000', 'iban'),
      change('EUR_ACCOUNT', 'accountType'),
      change('1', '__proto__'),
      change('1', 'beneficiary'),
    ])
      expect(await report(client, transaction, changes), JSON.stringify(changes)).toMatchObject({
        status: 'WAITING',
        reason: 'CHANGE_OF_ACCOUNT',
      })
    expect(await changesOf(client, bank)).toEqual([])
    expect((await accountOf(client, bank)).status).toBe('ACTIVE')
  })

  test('are about the payment that the rail was given, and no other', async () => {
    const [client, other] = [await newPlatform(), await newPlatform()]
    const { bank, transaction } = await paidAccount(client)
    const { transaction: strange } = await paidAccount(other)
    for (const id of ['Transaction:0193a1b2-0000-7000-8000-000000000010', strange, bank, 'nothing'])
      expect(await report(client, id, change(newNumber()))).toMatchObject({
        status: 'WAITING',
        reason: 'UNKNOWN_PAYMENT',
      })
    expect(await changesOf(client, bank)).toEqual([])
    await report(client, transaction, change(newNumber()))
    const [{ id }] = await changesOf(client, bank)
    for (const call of [
      other.get(`/account-changes/${id}`),
      other.post(`/account-changes/${id}/apply`, REASON),
      other.post(`/account-changes/${id}/dismiss`, REASON),
    ])
      expect((await call).body.code).toBe('ACCOUNT_CHANGE_NOT_FOUND')
    expect((await other.get('/account-changes')).body.data).toEqual([])
  })

  test('of another account of the owner are not applied to a second one', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await paidAccount(client)
    const twin = await newBankAccount(client, customer.id, '814')
    const { accountNumber, routingNumber } = (await accountOf(client, twin)).accountInfo
    await report(client, transaction, [...change(accountNumber), ...change(routingNumber, 'routingNumber')])
    const [{ id }] = await changesOf(client, bank)
    const refused = await decide(client, id, 'apply', 409)
    expect([refused.code, refused.details]).toEqual([
      'EXTERNAL_ACCOUNT_ALREADY_EXISTS',
      { externalAccountId: twin },
    ])
    await client.send('DELETE', `/customers/external-accounts/${twin}`)
    await decide(client, id, 'apply')
  })

  test('end with the account, if somebody removes it', async () => {
    const client = await newPlatform()
    const { id, bank } = await pendingChange(client)
    expect((await client.send('DELETE', `/customers/external-accounts/${bank}`)).status).toBe(204)
    expect((await client.get(`/account-changes/${id}`)).body).toMatchObject({
      status: 'DISMISSED',
      reason: 'The account was removed',
    })
    expect((await decide(client, id, 'apply', 409)).code).toBe('INVALID_STATE_TRANSITION')
  })

  test('are not used by a quote that was made before', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await paidAccount(client)
    const quote = await quoted(client, account(customer.usd), to(bank))
    await report(client, transaction, change(newNumber()))
    const execute = async () => (await client.post(`/quotes/${quote.id}/execute`)).body
    expect(await execute()).toMatchObject({
      code: 'EXTERNAL_ACCOUNT_UNDER_REVIEW',
      details: { field: 'quoteId' },
    })
    const [{ id }] = await changesOf(client, bank)
    await client.advance(1)
    await decide(client, id, 'apply')
    expect(await execute()).toMatchObject({
      code: 'EXTERNAL_ACCOUNT_CHANGED',
      details: { externalAccountId: bank },
    })
  })

  test('leave the records of earlier payments as they were', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await paidAccount(client)
    const { accountNumber } = (await accountOf(client, bank)).accountInfo
    const number = newNumber()
    await client.advance(1)
    await report(client, transaction, change(number))
    const [{ id }] = await changesOf(client, bank)
    await decide(client, id, 'apply')
    await client.advance(1)
    const later = await pay(client, { customer, bank })
    await client.advance(0)
    const explained = async (payment: string) => {
      const [transfer] = (await client.get(`/ledger/transfers?cause=${payment}`)).body.data
      return JSON.stringify((await client.get(`/ledger/transfers/${transfer.id}/explain`)).body)
    }
    expect(await explained(transaction)).toContain(accountNumber)
    expect(await explained(transaction)).not.toContain(number)
    expect(await explained(later.id)).toContain(number)
  })
})

describe('on a platform that asks two members', () => {
  test('a change is applied by the second vote for it, and a vote to dismiss it does not count', async () => {
    const client = await newPlatform()
    const { id, bank } = await pendingChange(client)
    const members = await Promise.all([1, 2, 3].map(() => newMember(client, ['VIEW', 'APPROVE'])))
    const [first, second, third] = members.map(({ browser }) => browser)
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    const path = `/account-changes/${id}`
    expect((await client.post(`${path}/apply`, REASON)).status).toBe(403)
    for (const [browser, by] of [
      [first, 'apply'],
      [first, 'apply'],
      [second, 'dismiss'],
    ] as const)
      expect((await browser!.post(`${path}/${by}`, REASON)).body.status).toBe('PENDING')
    const [waiting] = (await client.get(`/approvals?objectId=${id}`)).body.data
    expect(waiting).toMatchObject({ kind: 'ACCOUNT_CHANGE', votesRequired: 2, policy: { rule: 'C01' } })
    expect(waiting.votes).toHaveLength(1)
    const counted = async () => (await client.get('/overview')).body.waiting.approvals
    expect(await counted()).toBe(1)
    expect((await third!.post(`${path}/apply`, REASON)).body).toMatchObject({
      status: 'APPLIED',
      decidedBy: { type: 'MEMBER' },
    })
    expect((await accountOf(client, bank)).status).toBe('ACTIVE')
    expect((await client.get(`/approvals?objectId=${id}`)).body.data).toEqual([])
    expect(await counted()).toBe(0)
  })

  test('a member without APPROVE and a customer decide nothing', async () => {
    const client = await newPlatform()
    const { id } = await pendingChange(client)
    const { browser } = await newMember(client, ['VIEW', 'MANAGE', 'TRANSACT'])
    for (const by of ['apply', 'dismiss'])
      expect((await browser.post(`/account-changes/${id}/${by}`, REASON)).status).toBe(403)
    expect((await newCustomer(client)).id).toBeDefined()
  })
})
