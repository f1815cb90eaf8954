import { API, type EndpointName } from '@countersign/contract/api'
import { SETTING_PERMISSIONS } from '@countersign/contract/platforms/config'
import { describe, expect, test } from 'vitest'
import { Client, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../../worlds/contract/schemas.testing.ts'
import { waitingAction } from '../../worlds/records/agents.testing.ts'
import { newPendingChange } from '../../worlds/records/external-accounts.testing.ts'
import { newMember } from '../../worlds/records/members.testing.ts'
import { decision, waitingPayment } from '../../worlds/records/payments.testing.ts'
import {
  balanceOf,
  buildDailySchedule,
  checked,
  listRequestTotals,
  newHeldPull,
  newPayingPlatform,
  payout,
  registered,
  sendLines,
  waitingSchedule,
  withdrawal,
} from '../../worlds/records/payouts.testing.ts'
import {
  findOnlyScreening,
  newWallet,
  payInFromListed,
  ready,
  sendPayment,
} from '../../worlds/records/screenings.testing.ts'
import { KEYS, MOVEMENTS, newMovement, newWaitingKey } from '../../worlds/records/treasury.testing.ts'

/** A call that moves held money. `status` reads a value that changes when the money moves. */
interface HeldMoneyCall {
  readonly client: Client
  readonly path: string
  readonly body?: object
  readonly status: () => Promise<string>
}

const createStatusReader = (client: Client, path: string) => async () => (await client.get(path)).body.status

async function createSuspendedDeposit(isRejected: boolean) {
  const { client, usdc } = await ready()
  const deposit = isRejected
    ? await payInFromListed(client)
    : (await client.post('/sandbox/deposits', { amount: 500, currency: 'USDC' })).body.id
  if (isRejected) await client.post(`/screenings/${(await findOnlyScreening(client)).id}/reject`)
  return {
    client,
    path: `/deposits/${deposit}`,
    usdc,
    status: createStatusReader(client, `/deposits/${deposit}`),
  }
}

const prepareAssignment = (isRejected: boolean) => async (): Promise<HeldMoneyCall> => {
  const { client, path, usdc, status } = await createSuspendedDeposit(isRejected)
  return { client, path: `${path}/assign`, body: { accountId: usdc }, status }
}

const prepareCorrection =
  (action: string, body: object) => (isRejected: boolean) => async (): Promise<HeldMoneyCall> => {
    const { client, path, status } = await createSuspendedDeposit(isRejected)
    return { client, path: `${path}/${action}`, body, status }
  }

const prepareSplit = (isRejected: boolean) => {
  const amounts = isRejected ? [600_000, 400_000] : [400, 100]
  return prepareCorrection('split', { amounts, reason: 'Two invoices' })(isRejected)
}
const prepareWriteOff = prepareCorrection('write-off', { reason: 'Nobody claims it' })

const prepareReturn = (isRejected: boolean) => async (): Promise<HeldMoneyCall> => {
  const { client, path, status } = await createSuspendedDeposit(isRejected)
  return { client, path: `${path}/return`, status }
}

async function preparePaymentRelease(): Promise<HeldMoneyCall> {
  const { client, customer, usdc } = await ready()
  await sendPayment(client, usdc, await newWallet(client, customer.id))
  const path = `/screenings/${(await findOnlyScreening(client)).id}`
  return { client, path: `${path}/release`, status: createStatusReader(client, path) }
}

async function prepareDepositRelease(): Promise<HeldMoneyCall> {
  const { client } = await ready()
  await payInFromListed(client)
  const path = `/screenings/${(await findOnlyScreening(client)).id}`
  return { client, path: `${path}/release`, status: createStatusReader(client, path) }
}

async function prepareHoldLift(): Promise<HeldMoneyCall> {
  const client = await newPlatform()
  const path = `/funds-holds/${await newHeldPull(client)}`
  return { client, path: `${path}/lift`, body: { reason: 'Known' }, status: createStatusReader(client, path) }
}

const prepareChangeDecision = (action: 'apply' | 'dismiss') => async (): Promise<HeldMoneyCall> => {
  const client = await newPlatform()
  const path = `/account-changes/${(await newPendingChange(client)).id}`
  return {
    client,
    path: `${path}/${action}`,
    body: { reason: 'Known' },
    status: createStatusReader(client, path),
  }
}

async function preparePaymentDecision(): Promise<HeldMoneyCall> {
  const { client, id } = await waitingPayment()
  const path = `/transactions/${id}`
  const countDecisions = async () => {
    const { data } = (await client.get(`${path}/decisions`)).body
    return data.filter(({ status }: { status: string }) => status === 'DECIDED').length.toString()
  }
  return { client, path: `${path}/decide`, body: decision('RETURNED'), status: countDecisions }
}

async function prepareBatchExecution(): Promise<HeldMoneyCall> {
  const { client, payee } = await newPayingPlatform()
  const batch = await checked(client, (await sendLines(client, [payout(payee, 10)])).id)
  // A vote changes the state of the batch but not the balance, so the balance is read.
  const readBalance = async () => String(await balanceOf(client))
  return {
    client,
    path: `/payouts/batches/${batch.id}/execute`,
    body: { totals: listRequestTotals(batch) },
    status: async () => {
      await client.advance(0)
      return readBalance()
    },
  }
}

async function prepareScheduleApproval(): Promise<HeldMoneyCall> {
  const { client, ...paying } = await newPayingPlatform()
  const { id } = await waitingSchedule(client, buildDailySchedule(paying))
  const path = `/payment-schedules/${id}`
  const readIsActive = async () => String((await client.get(path)).body.status === 'ACTIVE')
  return { client, path: `${path}/approve`, status: readIsActive }
}

const prepareOwnApproval = (record: 'account' | 'withdrawal') => async (): Promise<HeldMoneyCall> => {
  const { client, payee } = await newPayingPlatform()
  const { id } = await registered(client, payee, { needsApproval: record === 'account' })
  const body = withdrawal(id, 100, { needsApproval: true })
  const path =
    record === 'account'
      ? `/platform/own-accounts/${id}`
      : `/platform/withdrawals/${(await client.post('/platform/withdrawals', body)).body.id}`
  return { client, path: `${path}/approve`, status: createStatusReader(client, path) }
}

async function prepareMovementApproval(): Promise<HeldMoneyCall> {
  const client = await newPlatform()
  const path = `${MOVEMENTS}/${(await newMovement({ client })).TreasuryMovement}`
  return { client, path: `${path}/approve`, status: createStatusReader(client, path) }
}

async function prepareKeyApproval(): Promise<HeldMoneyCall> {
  const client = await newPlatform()
  const path = `${KEYS}/${(await newWaitingKey({ client })).TreasuryKey}`
  return { client, path: `${path}/approve`, status: createStatusReader(client, path) }
}

async function prepareIncomingApproval(): Promise<HeldMoneyCall> {
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
  return { client, path: `${path}/approve`, status: createStatusReader(client, path) }
}

async function prepareActionApproval(): Promise<HeldMoneyCall> {
  const client = await newPlatform()
  const path = await waitingAction(client)
  const countWaiting = async () => String((await client.get('/agents/approvals')).body.data.length)
  return { client, path: `${path}/approve`, status: countWaiting }
}

/** The cases of each endpoint that moves held money, by their labels. */
const HELD_MONEY_CALLS: Partial<
  Record<EndpointName, Readonly<Record<string, () => Promise<HeldMoneyCall>>>>
> = {
  deposit_assign: {
    'of a deposit in suspense': prepareAssignment(false),
    'of a deposit whose screening was rejected': prepareAssignment(true),
  },
  deposit_return: {
    'of a deposit in suspense': prepareReturn(false),
    'of a deposit whose screening was rejected': prepareReturn(true),
  },
  deposit_split: {
    'of a deposit in suspense': prepareSplit(false),
    'of a deposit whose screening was rejected': prepareSplit(true),
  },
  deposit_write_off: {
    'of a deposit in suspense': prepareWriteOff(false),
    'of a deposit whose screening was rejected': prepareWriteOff(true),
  },
  transaction_decide: { 'of a payment without a result from its rail': preparePaymentDecision },
  screening_release: { 'of a payment': preparePaymentRelease, 'of a deposit': prepareDepositRelease },
  funds_hold_lift: { 'of a pulled payment': prepareHoldLift },
  account_change_apply: { 'of an external account': prepareChangeDecision('apply') },
  account_change_dismiss: { 'of an external account': prepareChangeDecision('dismiss') },
  payout_batch_execute: { 'of a checked batch': prepareBatchExecution },
  own_account_approve: { 'of an account of the operator': prepareOwnApproval('account') },
  treasury_key_approve: { 'of a key of a treasury': prepareKeyApproval },
  treasury_movement_approve: { 'of a movement to cold storage': prepareMovementApproval },
  platform_withdrawal_approve: { 'of a withdrawal': prepareOwnApproval('withdrawal') },
  payment_schedule_approve: { 'of a waiting schedule': prepareScheduleApproval },
  transaction_approve: { 'of an incoming payment': prepareIncomingApproval },
  agent_action_approve: { 'of an action of an agent': prepareActionApproval },
}

/** A sandbox has no statements: `adjust.test.ts` and `matches.test.ts` try them. */
const PRODUCTION_ONLY: readonly EndpointName[] = [
  'deposit_adjust',
  'reconciliation_match_create',
  'reconciliation_match_undo',
]

/** Calls with the same permission that only return money or stop a card. */
const REFUSALS: readonly EndpointName[] = [
  'agent_action_reject',
  'card_freeze',
  'card_freeze_lift',
  'rail_event_resolve',
  'reconciliation_match_close',
  'screening_reject',
  'transaction_reject',
]

test('every call that needs APPROVE is tested here, or only refuses', () => {
  const approvingCalls = ENDPOINTS.filter(([, { method, ...endpoint }]) => {
    return method !== 'GET' && 'permission' in endpoint && endpoint.permission === 'APPROVE'
  })
  const movingCalls = ENDPOINTS.filter(([, { movesHeldMoney }]) => movesHeldMoney)
  expect(movingCalls.map(([name]) => name).sort()).toEqual(
    [...Object.keys(HELD_MONEY_CALLS), ...PRODUCTION_ONLY].sort(),
  )
  const otherCalls = approvingCalls.filter(([, { movesHeldMoney }]) => !movesHeldMoney)
  expect(otherCalls.map(([name]) => name).sort()).toEqual([...REFUSALS].sort())
})

const CASES = Object.entries(HELD_MONEY_CALLS).flatMap(([name, cases]) =>
  Object.entries(cases).map(([label, prepare]) => [`${name} ${label}`, prepare] as const),
)

describe('if two members have to approve', () => {
  test.each(CASES)('%s needs the votes of two members, and no API token can vote', async (_, prepare) => {
    const { client, path, body, status } = await prepare()
    const members = await Promise.all([1, 2].map(() => newMember(client, ['VIEW', 'APPROVE'])))
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    const before = await status()
    expectError(await client.post(path, body), { code: 'FORBIDDEN' })
    expect(await status()).toBe(before)
    const [first, second] = members as [(typeof members)[0], (typeof members)[0]]
    for (let count = 0; count < 2; count++) {
      const vote = await first.browser.post(path, body)
      expect(vote.status, JSON.stringify(vote.body)).toBe(200)
      expect(await status()).toBe(before)
    }
    expect((await second.browser.post(path, body)).status).toBe(200)
    expect(await status()).not.toBe(before)
  })

  test('a vote for one account counts neither for another account nor for a return', async () => {
    const { client, path, body, status } = await prepareAssignment(false)()
    const [first, second] = await Promise.all([1, 2].map(() => newMember(client, ['VIEW', 'APPROVE'])))
    await client.send('PATCH', '/config', { approvalsRequired: 2 })
    const otherCustomer = await newCustomer(client)
    const accounts = `/customers/internal-accounts?customerId=${otherCustomer.id}&currency=USDC`
    const accountId = (await client.get(accounts)).body.data[0].id
    expect((await second!.browser.post(path, { accountId })).status).toBe(200)
    await first!.browser.post(path, body)
    expect((await second!.browser.post(path.replace('assign', 'return'))).status).toBe(200)
    expect(await status()).toBe('SUSPENSE')
    expect((await second!.browser.post(path, body)).status).toBe(200)
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
  const manager = new Client(
    { ...client.credentials, tokenId: body.id, clientSecret: body.clientSecret },
    client.baseUrl,
  )
  const protectedSettings = Object.entries(SETTING_PERMISSIONS).filter(
    ([, permission]) => permission !== null,
  )
  expect(protectedSettings.map(([name]) => name).sort()).toEqual(Object.keys(values).sort())
  for (const [name] of protectedSettings) {
    const change = { [name]: values[name] }
    const { body: before } = await client.get('/config')
    expectError(await manager.send('PATCH', '/config', change), { code: 'FORBIDDEN', field: name })
    expect((await client.get('/config')).body).toEqual(before)
    expect((await client.send('PATCH', '/config', change)).status).toBe(200)
    // An unchanged value may be sent along.
    expect((await manager.send('PATCH', '/config', { ...change, lenientInput: false })).status).toBe(200)
    if (name === 'webhookEndpoint')
      expectError(await manager.send('PATCH', '/config', { webhookEndpoint: null }), {
        code: 'FORBIDDEN',
        field: name,
      })
  }
  expect(Object.keys(API.config_update.body.properties).sort()).toEqual(
    Object.keys(SETTING_PERMISSIONS).sort(),
  )
})
