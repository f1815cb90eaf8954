import { AccountCheck, ConnectorPayment } from '@countersign/contract/connectors/protocol'
import {
  amountOf,
  ask,
  balanceOf,
  bodyOf,
  type Context,
  isRefused,
  movesBalance,
  newPayment,
  newPull,
  partyFor,
  send,
  waitForStatus,
} from '../kit/context.ts'
import { type Group, holds, NotChecked } from '../kit/report.ts'

/** Checks every call in its valid form. */
export const PAYMENTS: Group<Context> = {
  name: 'Payments',
  checks: [
    {
      name: 'GET /balance responds to a signed call',
      run: async (context) => void (await balanceOf(context)),
    },
    { name: 'a payment is accepted, delivered, and moves the balance once', run: checkDelivery },
    { name: 'properties that the connector does not know are ignored', run: unknownMembers },
    {
      name: 'a payment that cannot be made is FAILED with a reason, and nothing has left',
      run: checkFailure,
    },
    { name: 'a payment that comes back is RETURNED, and its money is back', run: checkReturn },
    { name: 'an UNKNOWN payment becomes known', run: checkUnknownPayment },
    { name: 'a waiting payment can be cancelled, and nothing has left', run: checkCancellation },
    { name: 'cancelling too late returns the actual state', run: checkLateCancellation },
  ],
}

export const PULLS: Group<Context> = {
  name: 'Pulls',
  checks: [
    { name: 'a pull is delivered, and moves the balance once', run: checkPull },
    { name: 'a pull that cannot be made is FAILED with a reason', run: pullFailed },
    { name: 'a pull that is taken back is RETURNED, and its money is gone', run: pullReturned },
  ],
}

export const ACCOUNT_CHECKS: Group<Context> = {
  name: 'Account checks',
  checks: (['MATCH', 'CLOSE_MATCH', 'NO_MATCH'] as const).map((result) => ({
    name: `a name check returns ${result}`,
    run: (context) => nameChecked(context, result),
  })),
}

async function checkDelivery(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    const { status } = await send(context, payment)
    holds(
      status === 'ACCEPTED' || status === 'DELIVERED' || status === 'UNKNOWN',
      `the response to the payment was ${status}`,
    )
    const { failure } = await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    holds(failure === undefined, 'a delivered payment has a failure')
  })
}

async function unknownMembers(context: Context): Promise<void> {
  const payment = { ...newPayment(context, partyFor(context, 'delivered')), addedInVersion1: { later: true } }
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    await send(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

async function checkFailure(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'fails'))
  await movesBalance(context, { [payment.id]: [] }, async () => {
    await send(context, payment)
    hasFailure(await waitForStatus(context, 'payments', payment.id, 'FAILED'))
  })
}

async function checkReturn(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'returned'))
  const amount = amountOf(context)
  await movesBalance(context, { [payment.id]: [-amount, amount] }, async () => {
    await send(context, payment)
    hasFailure(await waitForStatus(context, 'payments', payment.id, 'RETURNED'))
  })
}

async function checkUnknownPayment(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'unknown'))
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    const { status } = await send(context, payment)
    holds(status === 'UNKNOWN', `the response to the payment was ${status}, not UNKNOWN`)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

async function checkCancellation(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'waits'))
  await movesBalance(context, { [payment.id]: [] }, async () => {
    await send(context, payment)
    for (const _again of [1, 2]) {
      const { status } = await cancel(context, payment.id)
      holds(status === 'CANCELLED', `the response to cancelling was ${status}, not CANCELLED`)
    }
    await waitForStatus(context, 'payments', payment.id, 'CANCELLED')
    const { status } = await send(context, payment)
    holds(status === 'CANCELLED', `the response to the repeated POST of a cancelled payment was ${status}`)
  })
}

async function checkLateCancellation(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    await send(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    const { status } = await cancel(context, payment.id)
    holds(status === 'DELIVERED', `the response to cancelling a delivered payment was ${status}`)
  })
}

async function cancel({ wire }: Context, id: string): Promise<ConnectorPayment> {
  const path = `/payments/${id}/cancel`
  return bodyOf(await wire.call({ method: 'POST', path, body: {} }), ConnectorPayment, `POST ${path}`)
}

async function checkPull(context: Context): Promise<void> {
  const pull = newPull(context, partyFor(context, 'payer'))
  await movesBalance(context, { [pull.id]: [amountOf(context)] }, async () => {
    await send(context, pull)
    await waitForStatus(context, 'pulls', pull.id, 'DELIVERED')
    const { status } = await ask(context, 'pulls', pull.id)
    holds(status === 'DELIVERED', `a delivered pull is ${status} afterwards`)
    const reply = await context.wire.call({ method: 'GET', path: `/payments/${pull.id}` })
    isRefused(reply, [404], 'GET of a payment with the id of a pull', 'PAYMENT_NOT_FOUND')
  })
}

async function pullFailed(context: Context): Promise<void> {
  const pull = newPull(context, partyFor(context, 'payerFails'))
  await movesBalance(context, { [pull.id]: [] }, async () => {
    await send(context, pull)
    hasFailure(await waitForStatus(context, 'pulls', pull.id, 'FAILED'))
  })
}

async function pullReturned(context: Context): Promise<void> {
  const pull = newPull(context, partyFor(context, 'payerReturned'))
  const amount = amountOf(context)
  await movesBalance(context, { [pull.id]: [amount, -amount] }, async () => {
    await send(context, pull)
    hasFailure(await waitForStatus(context, 'pulls', pull.id, 'RETURNED'))
  })
}

function hasFailure({ failure, status }: ConnectorPayment): void {
  holds(failure, `a ${status} payment has no failure`)
}

async function nameChecked(context: Context, wanted: 'MATCH' | 'CLOSE_MATCH' | 'NO_MATCH'): Promise<void> {
  const party = context.accounts.nameChecks?.[wanted]
  if (!party) throw new NotChecked(`the accounts file names no account for it (member nameChecks.${wanted})`)
  const { accountType, account, holderName = 'Ada Lovelace' } = party
  const call = {
    method: 'POST',
    path: '/account-checks',
    body: { accountType, account, holderName },
  } as const
  const { result } = bodyOf(await context.wire.call(call), AccountCheck, 'POST /account-checks')
  holds(result === wanted, `the response is ${result}`)
}
