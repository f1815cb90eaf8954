import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  DepositAccount,
  type DepositAccountRequest,
  type PaymentRequest,
} from '@countersign/contract/connectors/protocol'
import { runHook } from '../kit/accounts.ts'
import {
  type Context,
  expectBalanceChange,
  expectBody,
  expectRefusal,
  getAmount,
  getHook,
  getMoney,
  getReceiver,
  sendOrder,
  waitForEvent,
  waitForStatus,
} from '../kit/context.ts'
import { assert, type Group } from '../kit/report.ts'
import type { WireCall, WireResponse } from '../kit/wire.ts'

export const DEPOSITS: Group<Context> = {
  name: 'Deposits',
  checks: [
    {
      name: 'an internal account gets deposit details, and repeated requests return the same details',
      run: checkDetails,
    },
    { name: 'reusing an id with a different body returns 409', run: checkConflict },
    { name: 'the deposit details of a pool require a reference', run: checkPool },
    { name: 'a deposit is reported with its account and amount, and moves the balance', run: checkDeposit },
    { name: 'a deposit can be returned to its sender, once', run: checkDepositReturn },
    {
      name: 'a deposit reversed by the sender’s bank is reported, and the balance is restored',
      run: checkReversal,
    },
    { name: 'returning an unknown deposit ends as FAILED', run: checkUnknownReturn },
  ],
}

function buildRequest(
  { accounts }: Context,
  overrides: Partial<DepositAccountRequest> = {},
): DepositAccountRequest {
  const id = randomUUID()
  return {
    id: `InternalAccount:${id}`,
    purpose: 'ACCOUNT',
    currency: accounts.currency,
    reference: `KIT${id.slice(0, 8).toUpperCase()}`,
    holder: { id: `Customer:${id}`, name: 'Ada Lovelace' },
    ...overrides,
  }
}

function toWireCall(body: DepositAccountRequest): WireCall {
  return { method: 'POST', path: '/deposit-accounts', body, createdId: body.id }
}

async function readDetails({ wire }: Context, request: DepositAccountRequest): Promise<DepositAccount> {
  const reply: WireResponse = await wire.call(toWireCall(request))
  const details = expectBody(reply, DepositAccount, 'POST /deposit-accounts', 'deposit')
  assert(details.id === request.id, `the response has the id ${details.id}, not ${request.id}`)
  return details
}

async function checkDetails(context: Context): Promise<void> {
  const request = buildRequest(context)
  const first = await readDetails(context, request)
  const repeated = await Promise.all([1, 2, 3].map(() => readDetails(context, request)))
  for (const details of repeated)
    assert(isDeepStrictEqual(details, first), 'a repeated request returned different details')
  const other = await readDetails(context, buildRequest(context))
  assert(other.depositAccountId !== first.depositAccountId, 'two accounts share a depositAccountId')
  assert(
    first.matching === 'REFERENCE' || !isDeepStrictEqual(other.account, first.account),
    'two accounts have the same details, but matching is ACCOUNT',
  )
}

async function checkConflict(context: Context): Promise<void> {
  const request = buildRequest(context)
  await readDetails(context, request)
  const other = toWireCall({ ...request, reference: 'KIT-OTHER' })
  expectRefusal(await context.wire.call(other), [409], 'a different body', 'IDEMPOTENCY_CONFLICT')
}

async function checkPool(context: Context): Promise<void> {
  const { currency } = context.accounts
  const request: DepositAccountRequest = {
    id: `Pool:${currency}`,
    purpose: 'POOL',
    currency,
    reference: 'POOL',
  }
  const first = await readDetails(context, request)
  assert(first.matching === 'REFERENCE', `matching of a pool is ${first.matching}`)
  const repeated = await readDetails(context, request)
  assert(isDeepStrictEqual(repeated, first), 'a repeated request returned different details')
}

/** Pays money in. Returns the deposit's id, as stated in its event. */
async function payIn(context: Context, movements: Record<string, readonly bigint[]>): Promise<string> {
  const hook = getHook(context, 'deposit')
  const receiver = getReceiver(context)
  const request = buildRequest(context)
  const details = await readDetails(context, request)
  const { iban, accountNumber } = details.account
  const { value, currency } = getMoney(context)
  await runHook(hook, context.url, {
    depositAccountId: details.depositAccountId,
    account: String(iban ?? accountNumber ?? ''),
    reference: request.reference,
    amount: value,
    currency,
  })
  const found = await receiver.waitForDelivery(
    ({ event }) =>
      event.type === 'deposit.received' && event.data.depositAccountId === details.depositAccountId,
    context.waitMs,
  )
  const event = found?.event
  assert(event?.type === 'deposit.received', `no deposit.received event arrived within ${context.waitMs} ms`)
  const { amount, depositId, remittanceInformation } = event.data
  movements[depositId] = [getAmount(context)]
  assert(
    amount.value === value && amount.currency === currency,
    `the event states ${amount.value} ${amount.currency}, not ${value} ${currency}`,
  )
  assert(
    details.matching === 'ACCOUNT' || remittanceInformation?.includes(request.reference),
    'matching is REFERENCE, but the event does not contain the payer’s reference',
  )
  return depositId
}

async function checkDeposit(context: Context): Promise<void> {
  const movements: Record<string, readonly bigint[]> = {}
  await expectBalanceChange(context, movements, async () => void (await payIn(context, movements)))
}

function buildReturn(context: Context, depositId: string): PaymentRequest {
  const id = randomUUID()
  return {
    id: `Deposit:${id}`,
    amount: getMoney(context),
    returnOf: { depositId },
    reference: `KIT-${id.slice(0, 8)}`,
    requestedAt: new Date().toISOString(),
  }
}

async function checkDepositReturn(context: Context): Promise<void> {
  const movements: Record<string, readonly bigint[]> = {}
  await expectBalanceChange(context, movements, async () => {
    const depositId = await payIn(context, movements)
    const payment = buildReturn(context, depositId)
    movements[payment.id] = [-getAmount(context)]
    await sendOrder(context, payment)
    await sendOrder(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    const second = buildReturn(context, depositId)
    await sendOrder(context, second)
    await waitForStatus(context, 'payments', second.id, 'FAILED')
  })
}

async function checkReversal(context: Context): Promise<void> {
  const hook = getHook(context, 'reverseDeposit')
  const movements: Record<string, readonly bigint[]> = {}
  await expectBalanceChange(context, movements, async () => {
    const depositId = await payIn(context, movements)
    await runHook(hook, context.url, { depositId })
    movements[depositId] = [getAmount(context), -getAmount(context)]
    await waitForEvent(context, depositId, 'deposit.reversed')
  })
}

async function checkUnknownReturn(context: Context): Promise<void> {
  const payment = buildReturn(context, `none-${randomUUID()}`)
  await expectBalanceChange(context, { [payment.id]: [] }, async () => {
    await sendOrder(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'FAILED')
  })
}
