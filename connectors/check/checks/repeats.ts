import { randomUUID } from 'node:crypto'
import { ConnectorPayment } from '@countersign/contract/connectors/protocol'
import { runHook } from '../kit/accounts.ts'
import {
  amountOf,
  ask,
  bodyOf,
  type Context,
  creating,
  directionOf,
  hookFor,
  isRefused,
  movesBalance,
  newPayment,
  newPull,
  notFoundCodeOf,
  partyFor,
  send,
  settleUnknown,
  waitForStatus,
} from '../kit/context.ts'
import { type Group, holds } from '../kit/report.ts'
import type { BreakPoint } from '../kit/wire.ts'

const PARALLEL = 50

/** An id stands for one payment, whatever happens between two requests. */
export const REPEATS: Group<Context> = {
  name: 'Repeats and broken connections',
  checks: [
    { name: 'a repeat with the same key is the same payment, paid once', run: checkRetry },
    { name: 'a repeated pull is the same pull, made once', run: pullRepeated },
    { name: 'the order of properties in the body makes no difference', run: checkReorderedRetry },
    {
      name: 'the same key with another body is refused with 409, and nothing is paid for it',
      run: conflicts,
    },
    { name: 'fifty parallel calls with one key are one payment', run: parallel },
    {
      name: 'a timeout or a connection that breaks before the response leaves one payment, which GET returns',
      run: checkBrokenConnection,
    },
    { name: 'a connection that breaks in the middle of the body leaves nothing', run: checkPartialRequest },
    {
      name: 'a payment that never arrived is 404 PAYMENT_NOT_FOUND, a pull 404 PULL_NOT_FOUND',
      run: neverArrived,
    },
  ],
}

export const RESTARTS: Group<Context> = {
  name: 'Restarts',
  checks: [
    { name: 'after a restart the same key is the same payment, paid once', run: checkRestart },
    { name: 'a crash between accepting and responding leaves one payment', run: crashBeforeAnswer },
  ],
}

async function checkRetry(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    const first = await send(context, payment)
    const second = await send(context, payment)
    sameReference(first, second)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    const third = await send(context, payment)
    holds(
      third.status === 'DELIVERED',
      `the response to the repeat of a delivered payment was ${third.status}`,
    )
    sameReference(first, third)
  })
}

function sameReference(first: ConnectorPayment, other: ConnectorPayment): void {
  const { connectorReference } = first
  holds(
    connectorReference === undefined || other.connectorReference === connectorReference,
    `the repeat has the connectorReference ${other.connectorReference}, the first response had ${connectorReference}`,
  )
}

async function pullRepeated(context: Context): Promise<void> {
  const pull = newPull(context, partyFor(context, 'payer'))
  await movesBalance(context, { [pull.id]: [amountOf(context)] }, async () => {
    sameReference(await send(context, pull), await send(context, pull))
    await waitForStatus(context, 'pulls', pull.id, 'DELIVERED')
    const other = { ...pull, reference: 'KIT-other' }
    isRefused(await context.wire.call(creating(other)), [409], 'another body', 'IDEMPOTENCY_CONFLICT')
  })
}

async function checkReorderedRetry(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    await send(context, payment)
    const turned = Object.fromEntries(Object.entries(payment).reverse())
    const raw = JSON.stringify(turned, null, 1)
    bodyOf(
      await context.wire.call({ ...creating(payment), raw }),
      ConnectorPayment,
      'the same body in another order',
    )
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

async function conflicts(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  const { amount } = payment
  const others = {
    'another amount': { ...payment, amount: { ...amount, value: String(BigInt(amount.value) + 1n) } },
    'another reference': { ...payment, reference: 'KIT-other' },
    'another name of the beneficiary': {
      ...payment,
      beneficiary: { ...payment.beneficiary!, holderName: 'Somebody Else' },
    },
    'another text': { ...payment, remittanceInformation: 'Another text' },
  }
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    await send(context, payment)
    for (const [what, other] of Object.entries(others))
      isRefused(await context.wire.call(creating(other)), [409], what, 'IDEMPOTENCY_CONFLICT')
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    isRefused(
      await context.wire.call(creating(others['another amount'])),
      [409],
      'another amount after the delivery',
      'IDEMPOTENCY_CONFLICT',
    )
  })
}

async function parallel(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    const answers = await Promise.all(Array.from({ length: PARALLEL }, () => send(context, payment)))
    for (const answer of answers) sameReference(answers[0]!, answer)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

async function checkBrokenConnection(context: Context): Promise<void> {
  const points: BreakPoint[] = [0, 0, 1, 2, 5, 10, 20, 50, 100].map((afterSendingMs) => ({ afterSendingMs }))
  const payments = points.map(() => newPayment(context, partyFor(context, 'delivered')))
  const moves = Object.fromEntries(payments.map(({ id }) => [id, [-amountOf(context)]]))
  await movesBalance(context, moves, async () => {
    for (const [index, payment] of payments.entries()) {
      await context.wire.breakOff(creating(payment), points[index]!)
      await settleUnknown(context, payment)
    }
    for (const { id } of payments) await waitForStatus(context, 'payments', id, 'DELIVERED')
  })
}

async function checkPartialRequest(context: Context): Promise<void> {
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    await context.wire.breakOff(creating(payment), 'in the middle of the body')
    const reply = await context.wire.call({ method: 'GET', path: `/payments/${payment.id}` })
    isRefused(reply, [404], 'GET of a payment whose body never came whole', 'PAYMENT_NOT_FOUND')
    await send(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
  })
}

async function neverArrived(context: Context): Promise<void> {
  for (const order of [
    newPayment(context, partyFor(context, 'delivered')),
    ...(context.accounts.payer ? [newPull(context, context.accounts.payer)] : []),
  ]) {
    const direction = directionOf(order)
    const reply = await context.wire.call({ method: 'GET', path: `/${direction}/${order.id}` })
    isRefused(reply, [404], `GET /${direction} of an unknown id`, notFoundCodeOf(direction))
  }
  const path = `/payments/Transaction:${randomUUID()}/cancel`
  const cancel = await context.wire.call({ method: 'POST', path, body: {} })
  isRefused(cancel, [404], 'cancelling an unknown payment', 'PAYMENT_NOT_FOUND')
}

async function checkRestart(context: Context): Promise<void> {
  const hook = hookFor(context, 'restart')
  const payment = newPayment(context, partyFor(context, 'delivered'))
  await movesBalance(context, { [payment.id]: [-amountOf(context)] }, async () => {
    const first = await send(context, payment)
    await waitForStatus(context, 'payments', payment.id, 'DELIVERED')
    await runHook(hook, context.url)
    const reply = await context.wire.call({ method: 'GET', path: `/payments/${payment.id}` })
    holds(
      reply.status === 200,
      `after the restart GET returns ${reply.status} for a payment that was delivered`,
    )
    const repeated = await send(context, payment)
    sameReference(first, repeated)
    holds(
      repeated.status === 'DELIVERED',
      `the response to the repeat after the restart was ${repeated.status}`,
    )
    const other = { ...payment, reference: 'KIT-other' }
    isRefused(await context.wire.call(creating(other)), [409], 'another body after the restart')
  })
}

async function crashBeforeAnswer(context: Context): Promise<void> {
  const hook = hookFor(context, 'restart')
  const payments = Array.from({ length: 20 }, () => newPayment(context, partyFor(context, 'delivered')))
  const moves = Object.fromEntries(payments.map(({ id }) => [id, [-amountOf(context)]]))
  await movesBalance(context, moves, async () => {
    const answered = new Map<string, ConnectorPayment>()
    const sends = payments.map(async (payment) => {
      const reply = await context.wire.call(creating(payment)).catch(() => undefined)
      if (reply?.status === 200) answered.set(payment.id, bodyOf(reply, ConnectorPayment, 'POST /payments'))
    })
    await Promise.all([runHook(hook, context.url), ...sends])
    for (const payment of payments) {
      const first = answered.get(payment.id)
      // A response sent before the crash remains valid.
      if (first) sameReference(first, await ask(context, 'payments', payment.id))
      else await settleUnknown(context, payment)
    }
    for (const { id } of payments) await waitForStatus(context, 'payments', id, 'DELIVERED')
  })
}
