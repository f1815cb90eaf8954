import { AccountCheck, ConnectorPayment } from '@countersign/contract/connectors/protocol'
import {
  buildPayment,
  buildPull,
  type Context,
  expectBalanceChange,
  expectBody,
  expectRefusal,
  fetchBalance,
  fetchPayment,
  getAmount,
  getParty,
  type Order,
  sendOrder,
  toDirection,
  waitForStatus,
} from '../kit/context.ts'
import { assert, CheckSkipped, type Group } from '../kit/report.ts'

/** Checks every call in its valid form. */
export const PAYMENTS: Group<Context> = {
  name: 'Payments',
  checks: [
    {
      name: 'GET /balance responds to a signed call',
      run: async (context) => void (await fetchBalance(context)),
    },
    { name: 'a payment is accepted, delivered, and moves the balance once', run: checkDelivery },
    { name: 'unknown fields are ignored', run: checkUnknownFields },
    {
      name: 'a payment that cannot be made becomes FAILED with a reason and moves no money',
      run: (context) => checkFailure(context, buildPayment(context, getParty(context, 'fails'))),
    },
    {
      name: 'a returned payment becomes RETURNED, and its money is back in the balance',
      run: (context) => {
        const payment = buildPayment(context, getParty(context, 'returned'))
        return checkReturn(context, payment, -getAmount(context))
      },
    },
    { name: 'an UNKNOWN payment reaches a definite status', run: checkUnknownPayment },
    { name: 'a waiting payment can be canceled and moves no money', run: checkCancellation },
    { name: 'canceling too late returns the actual status', run: checkLateCancellation },
  ],
}

export const PULLS: Group<Context> = {
  name: 'Pulls',
  checks: [
    { name: 'a pull is delivered, and moves the balance once', run: checkPull },
    {
      name: 'a pull that cannot be made becomes FAILED with a reason',
      run: (context) => checkFailure(context, buildPull(context, getParty(context, 'payerFails'))),
    },
    {
      name: 'a pull that the payer reverses becomes RETURNED, and its money leaves the balance',
      run: (context) => {
        const pull = buildPull(context, getParty(context, 'payerReturned'))
        return checkReturn(context, pull, getAmount(context))
      },
    },
  ],
}

export const ACCOUNT_CHECKS: Group<Context> = {
  name: 'Account checks',
  checks: (['MATCH', 'CLOSE_MATCH', 'NO_MATCH'] as const).map((result) => ({
    name: `a name check returns ${result}`,
    run: (context) => checkName(context, result),
  })),
}

async function checkDelivery(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    const { status } = await sendOrder(context, payment)
    assert(
      status === 'ACCEPTED' || status === 'DELIVERED' || status === 'UNKNOWN',
      `the response to the payment has the status ${status}`,
    )
    const { failure } = await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    assert(failure === undefined, 'a delivered payment has a failure')
  })
}

async function checkUnknownFields(context: Context): Promise<void> {
  const payment = {
    ...buildPayment(context, getParty(context, 'delivered')),
    addedInVersion1: { later: true },
  }
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    await sendOrder(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

/** Checks an order that cannot be made. */
async function checkFailure(context: Context, order: Order): Promise<void> {
  await expectBalanceChange(context, { [order.id]: [] }, async () => {
    await sendOrder(context, order)
    expectFailure(await waitForStatus(context, toDirection(order), order.id, 'FAILED'))
  })
}

/** Checks an order whose money comes back. `amount` is how it first changes the balance. */
async function checkReturn(context: Context, order: Order, amount: bigint): Promise<void> {
  await expectBalanceChange(context, { [order.id]: [amount, -amount] }, async () => {
    await sendOrder(context, order)
    expectFailure(await waitForStatus(context, toDirection(order), order.id, 'RETURNED'))
  })
}

async function checkUnknownPayment(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'unknown'))
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    const { status } = await sendOrder(context, payment)
    assert(status === 'UNKNOWN', `the response to the payment has the status ${status}, not UNKNOWN`)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

async function checkCancellation(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'waits'))
  await expectBalanceChange(context, { [payment.id]: [] }, async () => {
    await sendOrder(context, payment)
    for (const _again of [1, 2]) {
      const { status } = await cancelPayment(context, payment.id)
      assert(
        status === 'CANCELLED',
        `the response to the cancellation has the status ${status}, not CANCELLED`,
      )
    }
    await waitForStatus(context, 'payments', payment.id, 'CANCELLED')
    const { status } = await sendOrder(context, payment)
    assert(status === 'CANCELLED', `the response to a repeat of a canceled payment has the status ${status}`)
  })
}

async function checkLateCancellation(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    await sendOrder(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    const { status } = await cancelPayment(context, payment.id)
    assert(status === 'DELIVERED', `the response to canceling a delivered payment has the status ${status}`)
  })
}

async function cancelPayment({ wire }: Context, id: string): Promise<ConnectorPayment> {
  const path = `/payments/${id}/cancel`
  return expectBody(await wire.call({ method: 'POST', path, body: {} }), ConnectorPayment, `POST ${path}`)
}

async function checkPull(context: Context): Promise<void> {
  const pull = buildPull(context, getParty(context, 'payer'))
  await expectBalanceChange(context, { [pull.id]: [getAmount(context)] }, async () => {
    await sendOrder(context, pull)
    await waitForStatus(context, 'pulls', pull.id, 'DELIVERED')
    const { status } = await fetchPayment(context, 'pulls', pull.id)
    assert(status === 'DELIVERED', `a delivered pull is ${status} afterwards`)
    const reply = await context.wire.call({ method: 'GET', path: `/payments/${pull.id}` })
    expectRefusal(reply, [404], 'GET of a payment with the id of a pull', 'PAYMENT_NOT_FOUND')
  })
}

function expectFailure({ failure, status }: ConnectorPayment): void {
  assert(failure, `a ${status} payment has no failure`)
}

async function checkName(context: Context, expected: 'MATCH' | 'CLOSE_MATCH' | 'NO_MATCH'): Promise<void> {
  const party = context.accounts.nameChecks?.[expected]
  if (!party) throw new CheckSkipped(`the accounts file has no account for it (field nameChecks.${expected})`)
  const { accountType, account, holderName = 'Ada Lovelace' } = party
  const call = {
    method: 'POST',
    path: '/account-checks',
    body: { accountType, account, holderName },
  } as const
  const { result } = expectBody(await context.wire.call(call), AccountCheck, 'POST /account-checks')
  assert(result === expected, `the result is ${result}, not ${expected}`)
}
