import { describe, expect, test } from 'vitest'
import {
  type Client,
  newBankAccount,
  newCustomer,
  newPlatform,
  type Reply,
} from '../../worlds/client.testing.ts'
import {
  buildChange,
  decideChange,
  listChanges,
  newNumber,
  newPaidAccount,
  newPendingChange,
  payBank,
  REASON,
  reportChange,
} from '../../worlds/records/external-accounts.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { account, quoted, to } from '../../worlds/records/payments.testing.ts'

const readAccount = async (client: Client, id: string) =>
  (await client.get(`/customers/external-accounts/${id}`)).body

const listEvents = async (client: Client, id: string): Promise<Reply['body'][]> =>
  (await client.events()).filter(({ objectId }: Reply['body']) => objectId === id)

describe('details that a bank reports for an account', () => {
  test('stop payments to it until they are applied, and are used by the next payment', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await newPaidAccount(client)
    const before = await readAccount(client, bank)
    const number = newNumber()
    expect(await reportChange(client, transaction, buildChange(number))).toMatchObject({ status: 'APPLIED' })
    const [pending] = await listChanges(client, bank)
    expect(pending).toMatchObject({
      status: 'PENDING',
      externalAccountId: bank,
      customerId: customer.id,
      transactionId: transaction,
      code: 'C01',
      message: 'Corrected',
      changes: [{ field: 'accountNumber', before: before.accountInfo.accountNumber, after: number }],
    })
    expect(await readAccount(client, bank)).toEqual({ ...before, status: 'UNDER_REVIEW' })

    const refused = await payBank(client, { customer, bank }, 409)
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
    const pull = await client.post('/transfer-in', {
      source: { accountId: bank },
      destination: { accountId: customer.usd },
      amount: 100,
    })
    expect([pull.status, pull.body.details.field]).toEqual([409, 'source.accountId'])

    const applied = await decideChange(client, pending.id, 'apply')
    expect(applied).toMatchObject({ status: 'APPLIED', ...REASON, decidedBy: { type: 'TOKEN' } })
    const accountInfo = { ...before.accountInfo, accountNumber: number }
    expect(await readAccount(client, bank)).toEqual({ ...before, accountInfo })
    const next = await payBank(client, { customer, bank })
    await client.advance(0)
    // A repeated report for the earlier payment needs no decision.
    await reportChange(client, next.id, buildChange(number))
    await reportChange(client, transaction, buildChange(number))
    expect(await listChanges(client, bank)).toEqual([applied])
  })

  test('are masked in the events about the change', async () => {
    const client = await newPlatform()
    const { bank, transaction } = await newPaidAccount(client)
    const number = newNumber()
    await reportChange(client, transaction, buildChange(number))
    const [{ id }] = await listChanges(client, bank)
    await decideChange(client, id, 'dismiss')
    const events = await listEvents(client, id)
    expect(events.map(({ type, data }) => [type, data.status, data.changes[0].after])).toEqual([
      ['EXTERNAL_ACCOUNT.CHANGE_REPORTED', 'PENDING', `•••• ${number.slice(-4)}`],
      ['EXTERNAL_ACCOUNT.CHANGE_DECIDED', 'DISMISSED', `•••• ${number.slice(-4)}`],
    ])
    expect(JSON.stringify(events)).not.toContain(number)
  })

  test('leave the account unchanged if they are dismissed, and a later report waits again', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await newPaidAccount(client)
    const before = await readAccount(client, bank)
    const number = newNumber()
    await reportChange(client, transaction, buildChange(number))
    const [{ id }] = await listChanges(client, bank)
    await decideChange(client, id, 'dismiss')
    expect(await readAccount(client, bank)).toEqual(before)
    const next = await payBank(client, { customer, bank })
    await client.advance(0)
    await reportChange(client, next.id, buildChange(number))
    expect((await listChanges(client, bank)).map(({ status }) => status)).toEqual(['PENDING', 'DISMISSED'])
    await payBank(client, { customer, bank }, 409)
  })

  test('for several fields are one change, and equal reports are stored once', async () => {
    const client = await newPlatform()
    const { bank, transaction } = await newPaidAccount(client)
    const number = newNumber()
    const reportedFields = [
      { field: 'routingNumber', value: '011401533' },
      { field: 'accountNumber', value: number },
      { field: 'bankAccountType', value: 'SAVINGS' },
      { field: 'holderName', value: 'ADA LOVELACE' },
    ]
    await Promise.all([1, 2, 3, 4].map(() => reportChange(client, transaction, reportedFields, 'C07')))
    const [pending, ...others] = await listChanges(client, bank)
    expect(others).toEqual([])
    expect(pending.changes).toHaveLength(4)
    await decideChange(client, pending.id, 'apply')
    expect((await readAccount(client, bank)).accountInfo).toMatchObject({
      routingNumber: '011401533',
      accountNumber: number,
      bankAccountType: 'SAVINGS',
      beneficiary: { fullName: 'ADA LOVELACE' },
    })
  })

  test('that differ are two changes, of which the outdated one can only be dismissed', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await newPaidAccount(client)
    const [firstNumber, secondNumber] = [newNumber(), newNumber()]
    await reportChange(client, transaction, buildChange(firstNumber))
    await reportChange(client, transaction, buildChange(secondNumber))
    const [second, first] = await listChanges(client, bank)
    await decideChange(client, first.id, 'apply')
    expect(await readAccount(client, bank)).toMatchObject({
      status: 'UNDER_REVIEW',
      accountInfo: { accountNumber: firstNumber },
    })
    expect((await decideChange(client, second.id, 'apply', 409)).code).toBe('EXTERNAL_ACCOUNT_CHANGED')
    await payBank(client, { customer, bank }, 409)
    await decideChange(client, second.id, 'dismiss')
    await payBank(client, { customer, bank })
    // The first payment went to an earlier number, so a person decides about this report.
    expect(await reportChange(client, transaction, buildChange(newNumber()))).toMatchObject({
      status: 'WAITING',
      reason: 'CHANGE_OF_ACCOUNT',
    })
  })

  test('are decided once if twenty decisions race', async () => {
    const client = await newPlatform()
    const { id, bank } = await newPendingChange(client)
    const before = await readAccount(client, bank)
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        client.post(`/account-changes/${id}/${index % 2 === 0 ? 'apply' : 'dismiss'}`, REASON),
      ),
    )
    const accepted = replies.filter(({ status }) => status === 200)
    expect(accepted).toHaveLength(1)
    const codes = replies.flatMap(({ status, body }) => (status === 200 ? [] : body.code))
    expect(codes).toEqual(Array.from({ length: 19 }, () => 'INVALID_STATE_TRANSITION'))
    const { status, changes } = (await client.get(`/account-changes/${id}`)).body
    expect(status).toBe(accepted[0]!.body.status)
    const number = status === 'APPLIED' ? changes[0].after : changes[0].before
    expect(await readAccount(client, bank)).toMatchObject({
      status: 'ACTIVE',
      accountInfo: { accountNumber: number },
    })
    expect(before.status).toBe('UNDER_REVIEW')
    expect(await listEvents(client, id)).toHaveLength(2)
  })

  test('that are invalid for the account wait as a rail report, and propose no change', async () => {
    const client = await newPlatform()
    const { bank, transaction } = await newPaidAccount(client)
    for (const changes of [
      buildChange('021000022', 'routingNumber'),
      buildChange('x'.repeat(300).slice(0, 40)),
      buildChange('MAYBE', 'bankAccountType'),
      buildChange('DE89370400440532013000', 'iban'),
      buildChange('EUR_ACCOUNT', 'accountType'),
      buildChange('1', '__proto__'),
      buildChange('1', 'beneficiary'),
    ])
      expect(await reportChange(client, transaction, changes), JSON.stringify(changes)).toMatchObject({
        status: 'WAITING',
        reason: 'CHANGE_OF_ACCOUNT',
      })
    expect(await listChanges(client, bank)).toEqual([])
    expect((await readAccount(client, bank)).status).toBe('ACTIVE')
  })

  test('are accepted only for a payment that the rail received', async () => {
    const [client, otherPlatform] = [await newPlatform(), await newPlatform()]
    const { bank, transaction } = await newPaidAccount(client)
    const { transaction: otherTransaction } = await newPaidAccount(otherPlatform)
    for (const id of ['Transaction:0193a1b2-0000-7000-8000-000000000010', otherTransaction, bank, 'nothing'])
      expect(await reportChange(client, id, buildChange(newNumber()))).toMatchObject({
        status: 'WAITING',
        reason: 'UNKNOWN_PAYMENT',
      })
    expect(await listChanges(client, bank)).toEqual([])
    await reportChange(client, transaction, buildChange(newNumber()))
    const [{ id }] = await listChanges(client, bank)
    for (const call of [
      otherPlatform.get(`/account-changes/${id}`),
      otherPlatform.post(`/account-changes/${id}/apply`, REASON),
      otherPlatform.post(`/account-changes/${id}/dismiss`, REASON),
    ])
      expect((await call).body.code).toBe('ACCOUNT_CHANGE_NOT_FOUND')
    expect((await otherPlatform.get('/account-changes')).body.data).toEqual([])
  })

  test('that another account of the owner already has are not applied', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await newPaidAccount(client)
    const secondBank = await newBankAccount(client, customer.id, '814')
    const { accountNumber, routingNumber } = (await readAccount(client, secondBank)).accountInfo
    await reportChange(client, transaction, [
      ...buildChange(accountNumber),
      ...buildChange(routingNumber, 'routingNumber'),
    ])
    const [{ id }] = await listChanges(client, bank)
    const refused = await decideChange(client, id, 'apply', 409)
    expect([refused.code, refused.details]).toEqual([
      'EXTERNAL_ACCOUNT_ALREADY_EXISTS',
      { externalAccountId: secondBank },
    ])
    await client.send('DELETE', `/customers/external-accounts/${secondBank}`)
    await decideChange(client, id, 'apply')
  })

  test('are dismissed if the account is removed', async () => {
    const client = await newPlatform()
    const { id, bank } = await newPendingChange(client)
    expect((await client.send('DELETE', `/customers/external-accounts/${bank}`)).status).toBe(204)
    expect((await client.get(`/account-changes/${id}`)).body).toMatchObject({
      status: 'DISMISSED',
      reason: 'The account was removed',
    })
    expect((await decideChange(client, id, 'apply', 409)).code).toBe('INVALID_STATE_TRANSITION')
  })

  test('are not used by an earlier quote', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await newPaidAccount(client)
    const quote = await quoted(client, account(customer.usd), to(bank))
    await reportChange(client, transaction, buildChange(newNumber()))
    const execute = async () => (await client.post(`/quotes/${quote.id}/execute`)).body
    expect(await execute()).toMatchObject({
      code: 'EXTERNAL_ACCOUNT_UNDER_REVIEW',
      details: { field: 'quoteId' },
    })
    const [{ id }] = await listChanges(client, bank)
    await client.advance(1)
    await decideChange(client, id, 'apply')
    expect(await execute()).toMatchObject({
      code: 'EXTERNAL_ACCOUNT_CHANGED',
      details: { externalAccountId: bank },
    })
  })

  test('leave the records of earlier payments unchanged', async () => {
    const client = await newPlatform()
    const { customer, bank, transaction } = await newPaidAccount(client)
    const { accountNumber } = (await readAccount(client, bank)).accountInfo
    const number = newNumber()
    await client.advance(1)
    await reportChange(client, transaction, buildChange(number))
    const [{ id }] = await listChanges(client, bank)
    await decideChange(client, id, 'apply')
    await client.advance(1)
    const later = await payBank(client, { customer, bank })
    await client.advance(0)
    const explainTransfer = async (payment: string) => {
      const [transfer] = (await client.get(`/ledger/transfers?cause=${payment}`)).body.data
      return JSON.stringify((await client.get(`/ledger/transfers/${transfer.id}/explain`)).body)
    }
    expect(await explainTransfer(transaction)).toContain(accountNumber)
    expect(await explainTransfer(transaction)).not.toContain(number)
    expect(await explainTransfer(later.id)).toContain(number)
  })
})

describe('on a platform that requires two approvals', () => {
  test('a change is applied by the second vote for it, and a vote to dismiss it does not count', async () => {
    const client = await newPlatform()
    const { id, bank } = await newPendingChange(client)
    const members = await Promise.all([1, 2, 3].map(() => newMember(client, ['VIEW', 'APPROVE'])))
    const [first, second, third] = members.map(({ browser }) => browser)
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    const path = `/account-changes/${id}`
    expect((await client.post(`${path}/apply`, REASON)).status).toBe(403)
    for (const [browser, decision] of [
      [first, 'apply'],
      [first, 'apply'],
      [second, 'dismiss'],
    ] as const)
      expect((await browser!.post(`${path}/${decision}`, REASON)).body.status).toBe('PENDING')
    const [waiting] = (await client.get(`/approvals?objectId=${id}`)).body.data
    expect(waiting).toMatchObject({ kind: 'ACCOUNT_CHANGE', votesRequired: 2, policy: { rule: 'C01' } })
    expect(waiting.votes).toHaveLength(1)
    const countApprovals = async () => (await client.get('/overview')).body.waiting.approvals
    expect(await countApprovals()).toBe(1)
    expect((await third!.post(`${path}/apply`, REASON)).body).toMatchObject({
      status: 'APPLIED',
      decidedBy: { type: 'MEMBER' },
    })
    expect((await readAccount(client, bank)).status).toBe('ACTIVE')
    expect((await client.get(`/approvals?objectId=${id}`)).body.data).toEqual([])
    expect(await countApprovals()).toBe(0)
  })

  test('a member without APPROVE cannot decide about a change', async () => {
    const client = await newPlatform()
    const { id } = await newPendingChange(client)
    const { browser } = await newMember(client, ['VIEW', 'MANAGE', 'TRANSACT'])
    for (const decision of ['apply', 'dismiss'])
      expect((await browser.post(`/account-changes/${id}/${decision}`, REASON)).status).toBe(403)
    expect((await newCustomer(client)).id).toBeDefined()
  })
})
