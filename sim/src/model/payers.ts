import type { Random } from '../machine/random.ts'
import type { Reply } from '../world/servers.ts'
import { type Account, COMPLETES, type ExpectedOutcome, type Payment, Violation } from './model.ts'
import type { Bank, ExternalAccount, Rail } from './rail.ts'

const AMOUNT_MIN = 60
/** Amounts are at least `AMOUNT_MIN` and less than `AMOUNT_MIN + AMOUNT_RANGE`. */
const AMOUNT_RANGE = 40_000
/** In a quote that locks the receiving side, the payer pays at most this multiple of the amount. */
const QUOTED_SENT_MAX = 4n
const INSUFFICIENT_BALANCE = 'INSUFFICIENT_BALANCE'

/** The ways to pay. Listing a way more than once makes it more likely. */
const WAYS = [
  transferOut,
  transferOut,
  transferIn,
  payInternally,
  payInternally,
  payExternally,
  payWithDelayedExecution,
  payByPull,
  payIn,
]
const PULLS: ReadonlySet<(typeof WAYS)[number]> = new Set([transferIn, payByPull])

/** Makes `count` payments, one after another. */
export async function payRepeatedly(bank: Bank, random: Random, count: number): Promise<void> {
  const common = bank.rail.canPull ? WAYS : WAYS.filter((way) => !PULLS.has(way))
  const ways = [...common, ...(bank.rail.ways ?? [])]
  for (let index = 0; index < count; index++) {
    await random.pick(ways)(bank, random)
    await bank.rail.checkDeposits()
    await bank.backend.machine.pause(bank.backend.machine.randomDuration(1_500))
  }
}

async function transferOut(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(listAccountsWithExternal(bank))
  const to = random.pick(listExternalAccounts(bank, from))
  const amount = chooseAmount(random)
  const recorded = bank.model.recordRequest(
    {
      description: `transfer out of ${amount}`,
      from: from.id,
      to: undefined,
      payee: to.suffix,
      expectedOutcome: findExpectedOutcome(bank, 'transferOut', to),
    },
    BigInt(amount),
  )
  const reply = await bank.backend.post('/transfer-out', {
    source: { accountId: from.id },
    destination: { accountId: to.id },
    amount,
  })
  recordReply(bank, recorded, reply, () => ({
    id: reply.body.id,
    sent: BigInt(amount),
    received: BigInt(reply.body.receivedAmount?.amount ?? amount),
  }))
}

async function transferIn(bank: Bank, random: Random): Promise<void> {
  const to = random.pick(listAccountsWithExternal(bank))
  const from = random.pick(listExternalAccounts(bank, to))
  const amount = chooseAmount(random)
  const recorded = bank.model.recordRequest(
    {
      description: `transfer in of ${amount}`,
      from: undefined,
      to: to.id,
      expectedOutcome: findExpectedOutcome(bank, 'transferIn', from),
    },
    BigInt(amount),
  )
  const reply = await bank.backend.post('/transfer-in', {
    source: { accountId: from.id },
    destination: { accountId: to.id },
    amount,
  })
  recordReply(bank, recorded, reply, () => ({ id: reply.body.id, sent: 0n, received: BigInt(amount) }))
}

async function payInternally(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(bank.accounts)
  const to = random.pick(bank.accounts.filter(({ id }) => id !== from.id))
  await payWithQuote(bank, random, { from, to, expectedOutcome: COMPLETES, isImmediate: true })
}

async function payExternally(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(listAccountsWithExternal(bank))
  const to = random.pick(listExternalAccounts(bank, from))
  await payWithQuote(bank, random, {
    from,
    to,
    expectedOutcome: findExpectedOutcome(bank, 'payout', to),
    isImmediate: true,
  })
}

async function payByPull(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(bank.externalAccounts)
  const to = random.pick(bank.accounts)
  await payWithQuote(bank, random, {
    from,
    to,
    expectedOutcome: findExpectedOutcome(bank, 'pull', from),
    isImmediate: true,
  })
}

/** Creates a quote and executes it later, or never. */
async function payWithDelayedExecution(bank: Bank, random: Random): Promise<void> {
  const from = random.pick(bank.accounts)
  const to = random.pick(bank.accounts.filter(({ id }) => id !== from.id))
  await payWithQuote(bank, random, { from, to, expectedOutcome: COMPLETES, isImmediate: false })
}

/** Simulates a payment from outside. */
async function payIn(bank: Bank, random: Random): Promise<void> {
  const to = random.pick(bank.accounts)
  const amount = chooseAmount(random)
  const payment = { description: `paid in ${amount}`, from: undefined, to: to.id, expectedOutcome: COMPLETES }
  const recorded = bank.model.recordRequest(payment, BigInt(amount))
  bank.model.payIn(recorded, await bank.rail.payIn(to, amount), bank.hasEndpoint)
}

interface QuoteTerms {
  readonly from: Account | ExternalAccount
  readonly to: Account | ExternalAccount
  readonly expectedOutcome: ExpectedOutcome
  readonly isImmediate: boolean
}

async function payWithQuote(bank: Bank, random: Random, terms: QuoteTerms): Promise<void> {
  const { backend, model } = bank
  const { from, to, expectedOutcome, isImmediate } = terms
  const amount = chooseAmount(random)
  const side = random.pick(['SENDING', 'RECEIVING'])
  const description = `quote of ${amount} ${side} from ${from.id} to ${to.id}`
  const sentMax = side === 'SENDING' ? BigInt(amount) : BigInt(amount) * QUOTED_SENT_MAX
  const payee = 'suffix' in to ? to.suffix : undefined
  const recorded = model.recordRequest(
    { description, from: findInternalId(bank, from), to: findInternalId(bank, to), payee, expectedOutcome },
    sentMax,
  )
  const reply = await backend.post('/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: from.id },
    destination: { destinationType: 'ACCOUNT', accountId: to.id },
    lockedCurrencySide: side,
    lockedCurrencyAmount: amount,
    ...(isImmediate ? { immediatelyExecute: true } : {}),
  })
  const amounts = () => readQuote(reply, { description, side, amount })
  if (isImmediate) {
    recordReply(bank, recorded, reply, amounts)
    return
  }
  if (reply.status !== 201) throw new Violation(`${description} returned ${describeReply(reply)}`)
  const { id, sent, received } = amounts()
  Object.assign(recorded, { sent, received, transactionId: id })
  if (random.chance(0.25)) {
    recorded.state = 'unused'
    return
  }
  await backend.machine.pause(backend.machine.randomDuration(3_000))
  const executed = await backend.post(`/quotes/${reply.body.id}/execute`)
  if (executed.status === 400 && executed.body.code === 'QUOTE_EXPIRED') {
    recorded.state = 'unused'
    return
  }
  recordReply(bank, recorded, executed, () => ({ id, sent, received }))
}

/** Reads the amounts of a quote, which must agree with the request and with each other. */
export function readQuote({ body }: Reply, request: { description: string; side: string; amount: number }) {
  const [sent, received] = [BigInt(body.totalSendingAmount), BigInt(body.totalReceivingAmount)]
  const locked = request.side === 'SENDING' ? sent : received
  if (locked !== BigInt(request.amount))
    throw new Violation(`${request.description} has ${locked} on the locked side`)
  const isSameCurrency = body.sendingCurrency.code === body.receivingCurrency.code
  if (isSameCurrency && sent - BigInt(body.feesIncluded ?? 0) !== received)
    throw new Violation(
      `${request.description}: ${sent} less fees of ${body.feesIncluded} is not ${received}`,
    )
  return { id: body.transactionId as string, sent, received }
}

/** Records the response to a payment in the model. */
export function recordReply(
  { model }: Bank,
  recorded: Payment,
  reply: Reply,
  amounts: () => { id: string; sent: bigint; received: bigint },
): void {
  if (reply.status === 400 && reply.body.code === INSUFFICIENT_BALANCE) {
    model.refuse(recorded)
    return
  }
  if (reply.status !== 200 && reply.status !== 201)
    throw new Violation(`${recorded.description} returned ${describeReply(reply)}`)
  const { id, sent, received } = amounts()
  model.acknowledge(recorded, id, sent, received)
}

function findExpectedOutcome(
  { rail }: Bank,
  way: keyof Rail['expectedOutcomes'],
  { suffix }: ExternalAccount,
): ExpectedOutcome {
  return rail.expectedOutcomes[way][suffix] ?? COMPLETES
}

function findInternalId({ model }: Bank, { id }: { readonly id: string }): string | undefined {
  return model.accounts.has(id) ? id : undefined
}

/** External accounts of the same customer in the same currency. */
function listExternalAccounts({ externalAccounts }: Bank, account: Account): ExternalAccount[] {
  return externalAccounts.filter(
    ({ customerId, currency }) => customerId === account.customerId && currency === account.currency,
  )
}

function listAccountsWithExternal(bank: Bank): Account[] {
  return bank.accounts.filter((account) => listExternalAccounts(bank, account).length > 0)
}

export function chooseAmount(random: Random): number {
  return AMOUNT_MIN + random.integerBelow(AMOUNT_RANGE)
}

function describeReply({ status, body }: Reply): string {
  return `${status} ${JSON.stringify(body)}`
}
