import { randomUUID } from 'node:crypto'
import { ConnectorPayment } from '@countersign/contract/connectors/protocol'
import { runHook } from '../kit/accounts.ts'
import {
  buildPayment,
  buildPull,
  type Context,
  expectBalanceChange,
  expectBody,
  expectRefusal,
  fetchPayment,
  getAmount,
  getHook,
  getParty,
  sendOrder,
  settleUnknown,
  toCreateCall,
  toDirection,
  toNotFoundCode,
  waitForStatus,
} from '../kit/context.ts'
import { assert, type Group } from '../kit/report.ts'
import type { BreakPoint } from '../kit/wire.ts'

const PARALLEL = 50

/** Checks that an id identifies one payment, whatever happens between two requests. */
export const REPEATS: Group<Context> = {
  name: 'Repeats and broken connections',
  checks: [
    { name: 'a repeat with the same key returns the same payment, paid once', run: checkRetry },
    { name: 'a repeated pull returns the same pull, made once', run: checkPullRetry },
    { name: 'the order of fields in the body makes no difference', run: checkReorderedRetry },
    {
      name: 'the same key with a different body is refused with 409, and nothing is paid for it',
      run: checkConflicts,
    },
    { name: 'fifty parallel calls with one key make one payment', run: checkParallelCalls },
    {
      name: 'a call that times out or breaks before the response leaves one payment, which GET returns',
      run: checkBrokenConnection,
    },
    {
      name: 'a connection that breaks in the middle of the body leaves no payment',
      run: checkPartialRequest,
    },
    {
      name: 'a payment that never arrived returns 404 PAYMENT_NOT_FOUND, and a pull 404 PULL_NOT_FOUND',
      run: checkUnknownOrders,
    },
  ],
}

export const RESTARTS: Group<Context> = {
  name: 'Restarts',
  checks: [
    { name: 'after a restart, the same key returns the same payment, paid once', run: checkRestart },
    { name: 'a crash between accepting and responding leaves one payment', run: checkCrash },
  ],
}

async function checkRetry(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    const first = await sendOrder(context, payment)
    const second = await sendOrder(context, payment)
    expectSameReference(first, second)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    const third = await sendOrder(context, payment)
    assert(
      third.status === 'DELIVERED',
      `the response to a repeat of a delivered payment has the status ${third.status}`,
    )
    expectSameReference(first, third)
  })
}

function expectSameReference(first: ConnectorPayment, other: ConnectorPayment): void {
  const { connectorReference } = first
  assert(
    connectorReference === undefined || other.connectorReference === connectorReference,
    `the repeat has the connectorReference ${other.connectorReference}, but the first response had ${connectorReference}`,
  )
}

async function checkPullRetry(context: Context): Promise<void> {
  const pull = buildPull(context, getParty(context, 'payer'))
  await expectBalanceChange(context, { [pull.id]: [getAmount(context)] }, async () => {
    expectSameReference(await sendOrder(context, pull), await sendOrder(context, pull))
    await waitForStatus(context, 'pulls', pull.id, 'DELIVERED')
    const other = { ...pull, reference: 'KIT-other' }
    expectRefusal(
      await context.wire.call(toCreateCall(other)),
      [409],
      'a different body',
      'IDEMPOTENCY_CONFLICT',
    )
  })
}

async function checkReorderedRetry(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    await sendOrder(context, payment)
    const reversed = Object.fromEntries(Object.entries(payment).reverse())
    const raw = JSON.stringify(reversed, null, 1)
    expectBody(
      await context.wire.call({ ...toCreateCall(payment), raw }),
      ConnectorPayment,
      'the same body with its fields in a different order',
    )
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

async function checkConflicts(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  const { amount } = payment
  const changedPayments = {
    'a different amount': { ...payment, amount: { ...amount, value: String(BigInt(amount.value) + 1n) } },
    'a different reference': { ...payment, reference: 'KIT-other' },
    'a different beneficiary name': {
      ...payment,
      beneficiary: { ...payment.beneficiary!, holderName: 'Somebody Else' },
    },
    'a different remittance information': { ...payment, remittanceInformation: 'Another text' },
  }
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    await sendOrder(context, payment)
    for (const [description, other] of Object.entries(changedPayments))
      expectRefusal(await context.wire.call(toCreateCall(other)), [409], description, 'IDEMPOTENCY_CONFLICT')
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    expectRefusal(
      await context.wire.call(toCreateCall(changedPayments['a different amount'])),
      [409],
      'a different amount after delivery',
      'IDEMPOTENCY_CONFLICT',
    )
  })
}

async function checkParallelCalls(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    const results = await Promise.all(Array.from({ length: PARALLEL }, () => sendOrder(context, payment)))
    for (const result of results) expectSameReference(results[0]!, result)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

async function checkBrokenConnection(context: Context): Promise<void> {
  const points: BreakPoint[] = [0, 0, 1, 2, 5, 10, 20, 50, 100].map((afterSendingMs) => ({ afterSendingMs }))
  const payments = points.map(() => buildPayment(context, getParty(context, 'delivered')))
  const moves = Object.fromEntries(payments.map(({ id }) => [id, [-getAmount(context)]]))
  await expectBalanceChange(context, moves, async () => {
    for (const [index, payment] of payments.entries()) {
      await context.wire.breakOff(toCreateCall(payment), points[index]!)
      await settleUnknown(context, payment)
    }
    for (const { id } of payments) await waitForStatus(context, 'payments', id, 'DELIVERED')
  })
}

async function checkPartialRequest(context: Context): Promise<void> {
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    await context.wire.breakOff(toCreateCall(payment), 'in the middle of the body')
    const reply = await context.wire.call({ method: 'GET', path: `/payments/${payment.id}` })
    expectRefusal(reply, [404], 'GET of a payment whose body was cut off', 'PAYMENT_NOT_FOUND')
    await sendOrder(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

async function checkUnknownOrders(context: Context): Promise<void> {
  for (const order of [
    buildPayment(context, getParty(context, 'delivered')),
    ...(context.accounts.payer ? [buildPull(context, context.accounts.payer)] : []),
  ]) {
    const direction = toDirection(order)
    const reply = await context.wire.call({ method: 'GET', path: `/${direction}/${order.id}` })
    expectRefusal(reply, [404], `GET /${direction} of an unknown id`, toNotFoundCode(direction))
  }
  const path = `/payments/Transaction:${randomUUID()}/cancel`
  const cancel = await context.wire.call({ method: 'POST', path, body: {} })
  expectRefusal(cancel, [404], 'canceling an unknown payment', 'PAYMENT_NOT_FOUND')
}

async function checkRestart(context: Context): Promise<void> {
  const hook = getHook(context, 'restart')
  const payment = buildPayment(context, getParty(context, 'delivered'))
  await expectBalanceChange(context, { [payment.id]: [-getAmount(context)] }, async () => {
    const first = await sendOrder(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    await runHook(hook, context.url)
    const reply = await context.wire.call({ method: 'GET', path: `/payments/${payment.id}` })
    assert(reply.status === 200, `after the restart, GET returns ${reply.status} for a delivered payment`)
    const repeated = await sendOrder(context, payment)
    expectSameReference(first, repeated)
    assert(
      repeated.status === 'DELIVERED',
      `the response to the repeat after the restart has the status ${repeated.status}`,
    )
    const other = { ...payment, reference: 'KIT-other' }
    expectRefusal(await context.wire.call(toCreateCall(other)), [409], 'a different body after the restart')
  })
}

async function checkCrash(context: Context): Promise<void> {
  const hook = getHook(context, 'restart')
  const payments = Array.from({ length: 20 }, () => buildPayment(context, getParty(context, 'delivered')))
  const moves = Object.fromEntries(payments.map(({ id }) => [id, [-getAmount(context)]]))
  await expectBalanceChange(context, moves, async () => {
    const responses = new Map<string, ConnectorPayment>()
    const sends = payments.map(async (payment) => {
      const reply = await context.wire.call(toCreateCall(payment)).catch(() => undefined)
      if (reply?.status === 200)
        responses.set(payment.id, expectBody(reply, ConnectorPayment, 'POST /payments'))
    })
    await Promise.all([runHook(hook, context.url), ...sends])
    for (const payment of payments) {
      const first = responses.get(payment.id)
      // A response sent before the crash remains valid.
      if (first) expectSameReference(first, await fetchPayment(context, 'payments', payment.id))
      else await settleUnknown(context, payment)
    }
    for (const { id } of payments) await waitForStatus(context, 'payments', id, 'DELIVERED')
  })
}
