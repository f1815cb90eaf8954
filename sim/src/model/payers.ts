import type { Random } from '../machine/random.ts'
import type { Reply } from '../world/servers.ts'
import { type Account, COMPLETES, type Ending, type Payment, Wrong } from './model.ts'
import type { Bank, Elsewhere, Rail } from './rail.ts'

const AMOUNT_MIN = 60
/** The sandbox pulls amounts up to this limit. */
const AMOUNT_MAX = 40_000
/** In a quote that locks the receiving side, the payer pays at most this multiple of the amount. */
const QUOTED_SENT_MAX = 4n
const LACKS_MONEY = 'INSUFFICIENT_BALANCE'

/** The ways to pay. A way listed more often is chosen more often. */
const WAYS = [
  transferOut,
  transferOut,
  transferIn,
  payHere,
  payHere,
  payElsewhere,
  payInTwoSteps,
  payByPull,
  payIn,
]
const PULLS: ReadonlySet<(typeof WAYS)[number]> = new Set([transferIn, payByPull])

/** Makes `count` payments, one after the other. */
export async function pay(bank: Bank, random: Random, count: number): Promise<void> {
  const common = bank.rail.canPull ? WAYS : WAYS.filter((way) => !PULLS.has(way))
  const ways = [...common, ...(bank.rail.ways ?? [])]
  for (let made = 0; made < count; made++) {
    await random.pick(ways)(bank, random)
    await bank.rail.look()
    await bank.backend.machine.pause(bank.backend.machine.someTime(1_500))
  }
}

async function transferOut(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(withElsewhere(bank))
  const to = random.pick(ownElsewhere(bank, from))
  const amount = amountOf(random)
  const asked = bank.model.ask(
    {
      what: `transfer out of ${amount}`,
      from: from.id,
      to: undefined,
      payee: to.suffix,
      ending: endingOf(bank, 'transferOut', to),
    },
    BigInt(amount),
  )
  const reply = await bank.backend.post('/transfer-out', {
    source: { accountId: from.id },
    destination: { accountId: to.id },
    amount,
  })
  recordReply(bank, asked, reply, () => ({
    id: reply.body.id,
    sent: BigInt(amount),
    received: BigInt(reply.body.receivedAmount?.amount ?? amount),
  }))
}

async function transferIn(bank: Bank, random: Random): Promise<void> {
  const to = random.pick(withElsewhere(bank))
  const from = random.pick(ownElsewhere(bank, to))
  const amount = amountOf(random)
  const asked = bank.model.ask(
    {
      what: `transfer in of ${amount}`,
      from: undefined,
      to: to.id,
      ending: endingOf(bank, 'transferIn', from),
    },
    BigInt(amount),
  )
  const reply = await bank.backend.post('/transfer-in', {
    source: { accountId: from.id },
    destination: { accountId: to.id },
    amount,
  })
  recordReply(bank, asked, reply, () => ({ id: reply.body.id, sent: 0n, received: BigInt(amount) }))
}

async function payHere(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(bank.accounts)
  const to = random.pick(bank.accounts.filter(({ id }) => id !== from.id))
  await quote(bank, random, { from, to, ending: COMPLETES, isImmediate: true })
}

async function payElsewhere(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(withElsewhere(bank))
  const to = random.pick(ownElsewhere(bank, from))
  await quote(bank, random, { from, to, ending: endingOf(bank, 'payout', to), isImmediate: true })
}

async function payByPull(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(bank.elsewhere)
  const to = random.pick(bank.accounts)
  await quote(bank, random, { from, to, ending: endingOf(bank, 'pull', from), isImmediate: true })
}

/** A quote executed later, or never. */
async function payInTwoSteps(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(bank.accounts)
  const to = random.pick(bank.accounts.filter(({ id }) => id !== from.id))
  await quote(bank, random, { from, to, ending: COMPLETES, isImmediate: false })
}

/** Somebody outside pays in. */
async function payIn(bank: Bank, random: Random): Promise<void> {
  const to = random.pick(bank.accounts)
  const amount = amountOf(random)
  const payment = { what: `paid in ${amount}`, from: undefined, to: to.id, ending: COMPLETES }
  const asked = bank.model.ask(payment, BigInt(amount))
  bank.model.payIn(asked, await bank.rail.payIn(to, amount), bank.hasEndpoint)
}

interface Quoted {
  readonly from: Account | Elsewhere
  readonly to: Account | Elsewhere
  readonly ending: Ending
  readonly isImmediate: boolean
}

async function quote(bank: Bank, random: Random, quoted: Quoted): Promise<void> {
  const { backend, model } = bank
  const { from, to, ending, isImmediate } = quoted
  const amount = amountOf(random)
  const side = random.pick(['SENDING', 'RECEIVING'])
  const what = `quote of ${amount} ${side} from ${from.id} to ${to.id}`
  const sentMax = side === 'SENDING' ? BigInt(amount) : BigInt(amount) * QUOTED_SENT_MAX
  const payee = 'suffix' in to ? to.suffix : undefined
  const asked = model.ask(
    { what, from: internal(bank, from), to: internal(bank, to), payee, ending },
    sentMax,
  )
  const reply = await backend.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: from.id },
    destination: { destinationType: 'ACCOUNT', accountId: to.id },
    lockedCurrencySide: side,
    lockedCurrencyAmount: amount,
    ...(isImmediate ? { immediatelyExecute: true } : {}),
  })
  const amounts = () => readQuote(reply, { what, side, amount })
  if (isImmediate) {
    recordReply(bank, asked, reply, amounts)
    return
  }
  if (reply.status !== 201) throw new Wrong(`${what} returned ${describeReply(reply)}`)
  const { id, sent, received } = amounts()
  Object.assign(asked, { sent, received, transactionId: id })
  if (random.chance(0.25)) {
    asked.state = 'unused'
    return
  }
  await backend.machine.pause(backend.machine.someTime(3_000))
  const executed = await backend.post(`/quotes/${reply.body.id}/execute`)
  if (executed.status === 400 && executed.body.code === 'QUOTE_EXPIRED') {
    asked.state = 'unused'
    return
  }
  recordReply(bank, asked, executed, () => ({ id, sent, received }))
}

/** The amounts of a quote, which must agree with the request and with each other. */
export function readQuote({ body }: Reply, asked: { what: string; side: string; amount: number }) {
  const [sent, received] = [BigInt(body.totalSendingAmount), BigInt(body.totalReceivingAmount)]
  const locked = asked.side === 'SENDING' ? sent : received
  if (locked !== BigInt(asked.amount))
    throw new Wrong(`${asked.what} has ${locked} on the side that is locked`)
  const isSameCurrency = body.sendingCurrency.code === body.receivingCurrency.code
  if (isSameCurrency && sent - BigInt(body.feesIncluded ?? 0) !== received)
    throw new Wrong(`${asked.what}: ${sent} less fees of ${body.feesIncluded} is not ${received}`)
  return { id: body.transactionId as string, sent, received }
}

/** Enters a response into the model. */
export function recordReply(
  { model }: Bank,
  asked: Payment,
  reply: Reply,
  amounts: () => { id: string; sent: bigint; received: bigint },
): void {
  if (reply.status === 400 && reply.body.code === LACKS_MONEY) {
    model.refuse(asked)
    return
  }
  if (reply.status !== 200 && reply.status !== 201)
    throw new Wrong(`${asked.what} returned ${describeReply(reply)}`)
  const { id, sent, received } = amounts()
  model.acknowledge(asked, id, sent, received)
}

function endingOf({ rail }: Bank, way: keyof Rail['endings'], { suffix }: Elsewhere): Ending {
  return rail.endings[way][suffix] ?? COMPLETES
}

function internal({ model }: Bank, { id }: { readonly id: string }): string | undefined {
  return model.accounts.has(id) ? id : undefined
}

/** External accounts of the same customer and currency. */
function ownElsewhere({ elsewhere }: Bank, account: Account): Elsewhere[] {
  return elsewhere.filter(
    ({ customerId, currency }) => customerId === account.customerId && currency === account.currency,
  )
}

function withElsewhere(bank: Bank): Account[] {
  return bank.accounts.filter((account) => ownElsewhere(bank, account).length > 0)
}

export function amountOf(random: Random): number {
  return AMOUNT_MIN + random.integerBelow(AMOUNT_MAX)
}

function describeReply({ status, body }: Reply): string {
  return `${status} ${JSON.stringify(body)}`
}
