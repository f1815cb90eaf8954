import { API, type EndpointName } from '@countersign/contract/api'
import { SETTING_PERMISSIONS } from '@countersign/contract/platforms/config'
import { describe, expect, test } from 'vitest'
import { Client, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../../worlds/contract/schemas.testing.ts'
import { pendingChange } from '../../worlds/records/account-changes.testing.ts'
import { waitingAction } from '../../worlds/records/agents.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { decision, waitingPayment } from '../../worlds/records/payments.testing.ts'
import {
  balanceOf,
  checked,
  dailyOf,
  heldPull,
  payingPlatform,
  payout,
  registered,
  sendLines,
  totalsOf,
  waitingSchedule,
  withdrawal,
} from '../../worlds/records/payouts.testing.ts'
import {
  newWallet,
  onlyScreening,
  paidInByListed,
  ready,
  sendPayment,
} from '../../worlds/records/screenings.testing.ts'
import { KEYS, MOVEMENTS, newMovement, newWaitingKey } from '../../worlds/records/treasury.testing.ts'

/** A call that moves money which is held, and the state of what holds it. */
interface Door {
  readonly client: Client
  readonly path: string
  readonly body?: object
  readonly status: () => Promise<string>
}

const at = (client: Client, path: string) => async () => (await client.get(path)).body.status

async function suspended(isRejected: boolean) {
  const { client, usdc } = await ready()
  const deposit = isRejected
    ? await paidInByListed(client)
    : (await client.post('/sandbox/deposits', { amount: 500, currency: 'USDC' })).body.id
  if (isRejected) await client.post(`/screenings/${(await onlyScreening(client)).id}/reject`)
  return { client, path: `/deposits/${deposit}`, usdc, status: at(client, `/deposits/${deposit}`) }
}

const assign = (isRejected: boolean) => async (): Promise<Door> => {
  const { client, path, usdc, status } = await suspended(isRejected)
  return { client, path: `${path}/assign`, body: { accountId: usdc }, status }
}

const correct = (what: string, body: object) => (isRejected: boolean) => async (): Promise<Door> => {
  const { client, path, status } = await suspended(isRejected)
  return { client, path: `${path}/${what}`, body, status }
}

const split = (isRejected: boolean) => {
  const amounts = isRejected ? [600_000, 400_000] : [400, 100]
  return correct('split', { amounts, reason: 'Two invoices' })(isRejected)
}
const writeOff = correct('write-off', { reason: 'Nobody claims it' })

const returnIt = (isRejected: boolean) => async (): Promise<Door> => {
  const { client, path, status } = await suspended(isRejected)
  return { client, path: `${path}/return`, status }
}

async function releasePayment(): Promise<Door> {
  const { client, customer, usdc } = await ready()
  await sendPayment(client, usdc, await newWallet(client, customer.id))
  const path = `/screenings/${(await onlyScreening(client)).id}`
  return { client, path: `${path}/release`, status: at(client, path) }
}

async function releaseDeposit(): Promise<Door> {
  const { client } = await ready()
  await paidInByListed(client)
  const path = `/screenings/${(await onlyScreening(client)).id}`
  return { client, path: `${path}/release`, status: at(client, path) }
}

async function liftHold(): Promise<Door> {
  const client = await newPlatform()
  const path = `/funds-holds/${await heldPull(client)}`
  return { client, path: `${path}/lift`, body: { reason: 'Known' }, status: at(client, path) }
}

const decideChange = (by: 'apply' | 'dismiss') => async (): Promise<Door> => {
  const client = await newPlatform()
  const path = `/account-changes/${(await pendingChange(client)).id}`
  return { client, path: `${path}/${by}`, body: { reason: 'Known' }, status: at(client, path) }
}

async function decideIt(): Promise<Door> {
  const { client, id } = await waitingPayment()
  const path = `/transactions/${id}`
  const decisions = async () => {
    const { data } = (await client.get(`${path}/decisions`)).body
    return data.filter(({ status }: { status: string }) => status === 'DECIDED').length.toString()
  }
  return { client, path: `${path}/decide`, body: decision('RETURNED'), status: decisions }
}

async function executeBatch(): Promise<Door> {
  const { client, payee } = await payingPlatform()
  const batch = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
  // A vote shows in the state of the batch, and moves nothing.
  const spent = async () => String(await balanceOf(client))
  return {
    client,
    path: `/payouts/batches/${batch.id}/execute`,
    body: { totals: totalsOf(batch) },
    status: async () => {
      await client.advance(0)
      return spent()
    },
  }
}

async function approveSchedule(): Promise<Door> {
  const { client, ...paying } = await payingPlatform()
  const { id } = await waitingSchedule(client, dailyOf(paying))
  const path = `/payment-schedules/${id}`
  const isActive = async () => String((await client.get(path)).body.status === 'ACTIVE')
  return { client, path: `${path}/approve`, status: isActive }
}

const approveOwn = (what: 'account' | 'withdrawal') => async (): Promise<Door> => {
  const { client, payee } = await payingPlatform()
  const { id } = await registered(client, payee, { needsApproval: what === 'account' })
  const body = withdrawal(id, 100, { needsApproval: true })
  const path =
    what === 'account'
      ? `/platform/own-accounts/${id}`
      : `/platform/withdrawals/${(await client.post('/platform/withdrawals', body)).body.id}`
  return { client, path: `${path}/approve`, status: at(client, path) }
}

async function approveMovement(): Promise<Door> {
  const client = await newPlatform()
  const path = `${MOVEMENTS}/${(await newMovement({ client })).TreasuryMovement}`
  return { client, path: `${path}/approve`, status: at(client, path) }
}

async function approveKey(): Promise<Door> {
  const client = await newPlatform()
  const path = `${KEYS}/${(await newWaitingKey({ client })).TreasuryKey}`
  return { client, path: `${path}/approve`, status: at(client, path) }
}

async function approveIncoming(): Promise<Door> {
  const client = await newPlatform()
  await client.send('PATCH', '/config', { webhookEndpoint: 'https://nobody.invalid/hook' })
  const customer = await newCustomer(client)
  const { body } = await client.post('/sandbox/uma/receive', {
    senderUmaAddress: '$sender@vasp.example',
    customerId: customer.id,
    receivingCurrencyCode: 'USD',
    receivingCurrencyAmount: 500,
  })
  const path = `/transactions/${body.id}`
  return { client, path: `${path}/approve`, status: at(client, path) }
}

async function approveAction(): Promise<Door> {
  const client = await newPlatform()
  const path = await waitingAction(client)
  const waiting = async () => String((await client.get('/agents/approvals')).body.data.length)
  return { client, path: `${path}/approve`, status: waiting }
}

/** Every way through every door, by the endpoint. */
const DOORS: Partial<Record<EndpointName, Readonly<Record<string, () => Promise<Door>>>>> = {
  deposit_assign: {
    'of a deposit in suspense': assign(false),
    'of one whose screening was rejected': assign(true),
  },
  deposit_return: {
    'of a deposit in suspense': returnIt(false),
    'of one whose screening was rejected': returnIt(true),
  },
  deposit_split: {
    'of a deposit in suspense': split(false),
    'of one whose screening was rejected': split(true),
  },
  deposit_write_off: {
    'of a deposit in suspense': writeOff(false),
    'of one whose screening was rejected': writeOff(true),
  },
  transaction_decide: { 'of a payment that its rail has not ended': decideIt },
  screening_release: { 'of a payment': releasePayment, 'of a deposit': releaseDeposit },
  funds_hold_lift: { 'of pulled money': liftHold },
  account_change_apply: { 'of an external account': decideChange('apply') },
  account_change_dismiss: { 'of an external account': decideChange('dismiss') },
  payout_batch_execute: { 'of a checked batch': executeBatch },
  own_account_approve: { 'of an account of the operator': approveOwn('account') },
  treasury_key_approve: { 'of a key of a treasury': approveKey },
  treasury_movement_approve: { 'of a movement to cold storage': approveMovement },
  platform_withdrawal_approve: { 'of a withdrawal': approveOwn('withdrawal') },
  payment_schedule_approve: { 'of a schedule that waits': approveSchedule },
  transaction_approve: { 'of an incoming payment': approveIncoming },
  agent_action_approve: { 'of an action of an agent': approveAction },
}

/** A sandbox has no statements: `adjust.test.ts` and `matches.test.ts` try them. */
const OF_PRODUCTION: readonly EndpointName[] = [
  'deposit_adjust',
  'reconciliation_match_create',
  'reconciliation_match_undo',
]

/** Calls with the same permission that move no money but back to where it came from, and those that stop a card. */
const REFUSALS: readonly EndpointName[] = [
  'agent_action_reject',
  'card_freeze',
  'card_freeze_lift',
  'rail_event_resolve',
  'reconciliation_match_close',
  'screening_reject',
  'transaction_reject',
]

test('every call that needs APPROVE is tested here, or refuses', () => {
  const deciding = ENDPOINTS.filter(([, { method, ...endpoint }]) => {
    return method !== 'GET' && 'permission' in endpoint && endpoint.permission === 'APPROVE'
  })
  const doors = ENDPOINTS.filter(([, { movesHeldMoney }]) => movesHeldMoney)
  expect(doors.map(([name]) => name).sort()).toEqual([...Object.keys(DOORS), ...OF_PRODUCTION].sort())
  const others = deciding.filter(([, { movesHeldMoney }]) => !movesHeldMoney)
  expect(others.map(([name]) => name).sort()).toEqual([...REFUSALS].sort())
})

const WAYS = Object.entries(DOORS).flatMap(([name, ways]) =>
  Object.entries(ways).map(([way, open]) => [`${name} ${way}`, open] as const),
)

describe('if two members have to approve, held money is moved by two, and by no API token', () => {
  test.each(WAYS)('%s', async (_, open) => {
    const { client, path, body, status } = await open()
    const members = await Promise.all([1, 2].map(() => newMember(client, ['VIEW', 'APPROVE'])))
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    const before = await status()
    expectError(await client.post(path, body), { code: 'FORBIDDEN' })
    expect(await status()).toBe(before)
    const [one, other] = members as [(typeof members)[0], (typeof members)[0]]
    for (let count = 0; count < 2; count++) {
      const vote = await one.browser.post(path, body)
      expect(vote.status, JSON.stringify(vote.body)).toBe(200)
      expect(await status()).toBe(before)
    }
    expect((await other.browser.post(path, body)).status).toBe(200)
    expect(await status()).not.toBe(before)
  })

  test('a vote for one account counts neither for another nor for a return', async () => {
    const { client, path, body, status } = await assign(false)()
    const [one, other] = await Promise.all([1, 2].map(() => newMember(client, ['VIEW', 'APPROVE'])))
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    const elsewhere = await newCustomer(client)
    const accounts = `/customers/internal-accounts?customerId=${elsewhere.id}&currency=USDC`
    const accountId = (await client.get(accounts)).body.data[0].id
    expect((await other!.browser.post(path, { accountId })).status).toBe(200)
    await one!.browser.post(path, body)
    expect((await other!.browser.post(path.replace('assign', 'return'))).status).toBe(200)
    expect(await status()).toBe('SUSPENSE')
    expect((await other!.browser.post(path, body)).status).toBe(200)
    expect(await status()).toBe('CREDITED')
  })
})

test('a setting that replaces a permission can be changed only by callers with that permission', async () => {
  const values: Readonly<Record<string, unknown>> = {
    webhookEndpoint: 'https://mine.invalid/hook',
    approvalsRequired: 2,
    riskConfig: { fundsHolds: [{ bankingDays: 2, currency: 'USD', minAmount: 100 }] },
  }
  const client = await newPlatform()
  const { body } = await client.post('/tokens', { name: 'Settings', permissions: ['VIEW', 'MANAGE'] })
  const managing = new Client(
    { ...client.credentials, tokenId: body.id, clientSecret: body.clientSecret },
    client.baseUrl,
  )
  const deciding = Object.entries(SETTING_PERMISSIONS).filter(([, permission]) => permission !== null)
  expect(deciding.map(([name]) => name).sort()).toEqual(Object.keys(values).sort())
  for (const [name] of deciding) {
    const change = { [name]: values[name] }
    const { body: before } = await client.get('/config')
    expectError(await managing.send('PATCH', '/config', change), { code: 'FORBIDDEN', field: name })
    expect((await client.get('/config')).body).toEqual(before)
    expect((await client.send('PATCH', '/config', change)).status).toBe(200)
    // An unchanged value may be sent along.
    expect((await managing.send('PATCH', '/config', { ...change, lenientInput: false })).status).toBe(200)
    if (name === 'webhookEndpoint')
      expectError(await managing.send('PATCH', '/config', { webhookEndpoint: null }), {
        code: 'FORBIDDEN',
        field: name,
      })
  }
  expect(Object.keys(API.config_update.body.properties).sort()).toEqual(
    Object.keys(SETTING_PERMISSIONS).sort(),
  )
})
