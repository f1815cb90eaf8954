import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  DepositAccount,
  type DepositAccountRequest,
  type PaymentRequest,
} from '@countersign/contract/connectors/protocol'
import { runHook } from '../kit/accounts.ts'
import {
  amountOf,
  bodyOf,
  type Context,
  eventAbout,
  hookFor,
  isRefused,
  moneyOf,
  movesBalance,
  receiverOf,
  send,
  waitForStatus,
} from '../kit/context.ts'
import { type Group, holds } from '../kit/report.ts'
import type { Reply, WireCall } from '../kit/wire.ts'

export const DEPOSITS: Group<Context> = {
  name: 'Deposits',
  checks: [
    {
      name: 'an internal account gets deposit details, and repeated requests return the same details',
      run: details,
    },
    { name: 'reusing an id with a different body returns 409', run: conflict },
    { name: 'a pool asks payers for a reference', run: pool },
    { name: 'a deposit is reported with its account and amount, and moves the balance', run: checkDeposit },
    { name: 'a deposit can be returned to its sender, once', run: checkDepositReturn },
    {
      name: 'a deposit that the sender’s bank takes back is reported, and the balance is restored',
      run: checkReversal,
    },
    { name: 'returning an unknown deposit ends as FAILED', run: checkUnknownReturn },
  ],
}

function newRequest({ accounts }: Context, of: Partial<DepositAccountRequest> = {}): DepositAccountRequest {
  const id = randomUUID()
  return {
    id: `InternalAccount:${id}`,
    purpose: 'ACCOUNT',
    currency: accounts.currency,
    reference: `KIT${id.slice(0, 8).toUpperCase()}`,
    holder: { id: `Customer:${id}`, name: 'Ada Lovelace' },
    ...of,
  }
}

function toWireCall(body: DepositAccountRequest): WireCall {
  return { method: 'POST', path: '/deposit-accounts', body, creates: body.id }
}

async function readDetails({ wire }: Context, request: DepositAccountRequest): Promise<DepositAccount> {
  const reply: Reply = await wire.call(toWireCall(request))
  const answer = bodyOf(reply, DepositAccount, 'POST /deposit-accounts', 'deposit')
  holds(answer.id === request.id, `the response has the id ${answer.id}, not ${request.id}`)
  return answer
}

async function details(context: Context): Promise<void> {
  const request = newRequest(context)
  const first = await readDetails(context, request)
  const repeated = await Promise.all([1, 2, 3].map(() => readDetails(context, request)))
  for (const one of repeated)
    holds(isDeepStrictEqual(one, first), 'a repeated request returned different details')
  const other = await readDetails(context, newRequest(context))
  holds(other.depositAccountId !== first.depositAccountId, 'two accounts share a depositAccountId')
  holds(
    first.matching === 'REFERENCE' || !isDeepStrictEqual(other.account, first.account),
    'two accounts have the same details, but matching is ACCOUNT',
  )
}

async function conflict(context: Context): Promise<void> {
  const request = newRequest(context)
  await readDetails(context, request)
  const other = toWireCall({ ...request, reference: 'KIT-OTHER' })
  isRefused(await context.wire.call(other), [409], 'another body', 'IDEMPOTENCY_CONFLICT')
}

async function pool(context: Context): Promise<void> {
  const { currency } = context.accounts
  const request: DepositAccountRequest = {
    id: `Pool:${currency}`,
    purpose: 'POOL',
    currency,
    reference: 'POOL',
  }
  const first = await readDetails(context, request)
  holds(first.matching === 'REFERENCE', `matching of a pool is ${first.matching}`)
  const repeated = await readDetails(context, request)
  holds(isDeepStrictEqual(repeated, first), 'a repeated request returned different details')
}

/** Pays money in. Returns the deposit's id, as stated in its event. */
async function payIn(context: Context, moves: Record<string, readonly bigint[]>): Promise<string> {
  const hook = hookFor(context, 'deposit')
  const receiver = receiverOf(context)
  const request = newRequest(context)
  const answer = await readDetails(context, request)
  const { iban, accountNumber } = answer.account
  const { value, currency } = moneyOf(context)
  await runHook(hook, context.url, {
    depositAccountId: answer.depositAccountId,
    account: String(iban ?? accountNumber ?? ''),
    reference: request.reference,
    amount: value,
    currency,
  })
  const found = await receiver.wait(
    ({ event }) =>
      event.type === 'deposit.received' && event.data.depositAccountId === answer.depositAccountId,
    context.waitMs,
  )
  const event = found?.event
  holds(event?.type === 'deposit.received', `no event deposit.received came within ${context.waitMs} ms`)
  const { amount, depositId, remittanceInformation } = event.data
  moves[depositId] = [amountOf(context)]
  holds(
    amount.value === value && amount.currency === currency,
    `the event says ${amount.value} ${amount.currency}`,
  )
  holds(
    answer.matching === 'ACCOUNT' || remittanceInformation?.includes(request.reference),
    'matching is REFERENCE, and the event does not have what the payer stated',
  )
  return depositId
}

async function checkDeposit(context: Context): Promise<void> {
  const moves: Record<string, readonly bigint[]> = {}
  await movesBalance(context, moves, async () => void (await payIn(context, moves)))
}

function returnOf(context: Context, depositId: string): PaymentRequest {
  const id = randomUUID()
  return {
    id: `Deposit:${id}`,
    amount: moneyOf(context),
    returnOf: { depositId },
    reference: `KIT-${id.slice(0, 8)}`,
    requestedAt: new Date().toISOString(),
  }
}

async function checkDepositReturn(context: Context): Promise<void> {
  const moves: Record<string, readonly bigint[]> = {}
  await movesBalance(context, moves, async () => {
    const depositId = await payIn(context, moves)
    const payment = returnOf(context, depositId)
    moves[payment.id] = [-amountOf(context)]
    await send(context, payment)
    await send(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    const second = returnOf(context, depositId)
    await send(context, second)
    await waitForStatus(context, 'payments', second.id, 'FAILED')
  })
}

async function checkReversal(context: Context): Promise<void> {
  const hook = hookFor(context, 'reverseDeposit')
  const moves: Record<string, readonly bigint[]> = {}
  await movesBalance(context, moves, async () => {
    const depositId = await payIn(context, moves)
    await runHook(hook, context.url, { depositId })
    moves[depositId] = [amountOf(context), -amountOf(context)]
    await eventAbout(context, depositId, 'deposit.reversed')
  })
}

async function checkUnknownReturn(context: Context): Promise<void> {
  const payment = returnOf(context, `none-${randomUUID()}`)
  await movesBalance(context, { [payment.id]: [] }, async () => {
    await send(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'FAILED')
  })
}
