import { computeAuthorizationDigest } from '../../../base/crypto/evm/authorization.ts'
import type { Hex } from '../../../base/formats/hex.ts'
import { toLowerHex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import { transition } from '../../../kernel/operation/transition.ts'
import type { ChainAlert } from '../../../kernel/ports/metrics.ts'
import { createRailOp } from '../../../money/rails/rail-worker.ts'
import { insert, type Write } from '../../../storage/commit/writes.ts'
import type { ChainPaymentRow, ChainTransactionRow } from '../../../storage/rows/chain.ts'
import { CHAIN_PAYMENT_TRANSITIONS } from '../../../storage/rows/states.ts'
import { type ChainWorker, type EvmRail, isTreasury } from '../evm-rail.ts'
import { chooseFees, type OfferedFees, readFeeLimit } from '../fees.ts'
import {
  type Call,
  callWithAuthorization,
  combineCalls,
  MULTICALL_ADDRESS,
  transferCall,
} from '../formats/calls.ts'
import { readTokenBalance } from '../token-balance.ts'
import type { PaymentPart } from './authorization-uses.ts'
import { broadcastTransactions, runWithLimit } from './broadcast.ts'
import { type Moment, readMoment } from './confirmed.ts'
import { examinePayment, type Verdict } from './examine.ts'
import { failPayment } from './fail-payment.ts'
import { getMemory } from './memory.ts'
import { markPaid, postponePayment, reportOutcome } from './outcome.ts'
import { chooseSender, OPEN_MAX, readSenders, type Sender, type Senders } from './senders.ts'
import { selectAddress, selectDue, selectInTransit } from './store.ts'
import { computeCostMax, newTransaction } from './transactions.ts'

/** The maximum number of payments sent in one commit. */
const BATCH = 64
const AT_ONCE = 16
/**
 * Validity of an authorization signed by this server. An expired payment can be signed again, because its
 * nonce stays the same.
 */
const VALID_SECONDS = 3600n
const WAIT_SECONDS = 5

/**
 * Sends waiting payments. Each gets a signed transaction with a nonce of one of our accounts. Both are
 * committed with the payment's new state before any node receives them.
 */
export async function relay(worker: ChainWorker): Promise<void> {
  const { rail } = worker
  const op = await createRailOp(worker)
  const waiting = await selectDue(op, rail.name, BATCH)
  if (waiting.length === 0) return
  const senders = await readSenders(worker, op, findNeededSenders(waiting))
  const due = selectWithinCapacity(waiting, senders)
  if (due.length === 0) return
  const moment = await readMoment(op, rail)
  const fees = chooseFees(await rail.nodes.fees(), readFeeLimit(rail.entry))
  const covered = await findCovered(worker, op, due)
  const examined = await runWithLimit(due, AT_ONCE, async (payment) => {
    const sender = await selectAddress(op, payment.sender_id)
    if (!sender) throw new Error(`Chain address ${payment.sender_id} not found`)
    return {
      payment,
      verdict: await examinePayment(op, rail, moment, payment, sender, covered.has(payment.id)),
    }
  })
  const batch = new Batch(worker, op, moment, fees, senders)
  for (const { payment, verdict } of examined) await batch.add(payment, verdict)
  await batch.send()
}

/** Selects the payments that the senders have capacity for. The others are not examined yet. */
function selectWithinCapacity(
  waiting: readonly ChainPaymentRow[],
  { treasuries, gas }: Senders,
): ChainPaymentRow[] {
  const getCapacity = (senders: readonly Sender[]) =>
    senders.reduce((sum, { open }) => sum + Math.max(0, OPEN_MAX - open), 0)
  const capacity = new Map([
    ['gas', getCapacity(gas)],
    ...treasuries.map((treasury) => [treasury.address.address, getCapacity([treasury])] as const),
  ])
  return waiting.filter(({ nonce, sender }) => {
    const payer = nonce === null ? sender : 'gas'
    const remaining = (capacity.get(payer) ?? 0) - 1
    capacity.set(payer, remaining)
    return remaining >= 0
  })
}

function findNeededSenders(due: readonly ChainPaymentRow[]) {
  return {
    treasuries: new Set(due.flatMap(({ nonce, sender }) => (nonce === null ? [sender] : []))),
    gas: due.some(({ nonce }) => nonce !== null),
  }
}

function toWaitVerdict(alert: ChainAlert, note: string): Verdict {
  return { action: 'wait', note, seconds: WAIT_SECONDS, alert }
}

/**
 * Finds the payments that their senders can cover after the payments in progress. Only the treasury's
 * addresses need this check, because other senders use their own money.
 */
async function findCovered(
  { rail }: ChainWorker,
  op: Op,
  due: readonly ChainPaymentRow[],
): Promise<ReadonlySet<string>> {
  const treasuryPayments = due.filter(({ sender }) => isTreasury(rail, sender))
  const covered = new Set(due.filter(({ sender }) => !isTreasury(rail, sender)).map(({ id }) => id))
  for (const sender of new Set(treasuryPayments.map((payment) => payment.sender))) {
    const senderPayments = treasuryPayments.filter((payment) => payment.sender === sender)
    const inTransit = await selectInTransit(op, rail.name, sender)
    const remaining = new Map<Hex, bigint>()
    for (const token of new Set(senderPayments.map((payment) => payment.token))) {
      const balance = await readTokenBalance(rail.nodes, token, sender)
      remaining.set(token, balance - (inTransit.get(token) ?? 0n))
    }
    for (const { id, token, amount } of senderPayments) {
      const available = remaining.get(token) ?? 0n
      if (available < amount) continue
      remaining.set(token, available - amount)
      covered.add(id)
    }
  }
  return covered
}

/** The decisions of one run. They are committed together, and then the transactions are broadcast. */
class Batch {
  readonly #writes: Write[] = []
  readonly #rows: ChainTransactionRow[] = []
  readonly #alerts = new Set<ChainAlert>()
  readonly #worker: ChainWorker
  readonly #op: Op
  readonly #moment: Moment
  readonly #fees: OfferedFees | undefined
  readonly #senders: Senders

  constructor(worker: ChainWorker, op: Op, moment: Moment, fees: OfferedFees | undefined, senders: Senders) {
    this.#worker = worker
    this.#op = op
    this.#moment = moment
    this.#fees = fees
    this.#senders = senders
  }

  async add(payment: ChainPaymentRow, verdict: Verdict): Promise<void> {
    const op = this.#op
    switch (verdict.action) {
      case 'send':
        return this.#addSending(payment, verdict)
      case 'wait':
        if (verdict.alert) this.#alerts.add(verdict.alert)
        this.#writes.push(...postponePayment(op, payment, verdict.note, verdict.seconds))
        return
      case 'fail':
        if (verdict.alert) this.#alerts.add(verdict.alert)
        return this.#addFailing(payment, verdict.note)
      case 'pay':
        if (verdict.note !== undefined) this.#warn(payment, verdict.note)
        this.#writes.push(...(await markPaid(op, payment, verdict.use, verdict.note)))
    }
  }

  async #addFailing(payment: ChainPaymentRow, note: string): Promise<void> {
    const writes = await failPayment(this.#worker.rail, this.#op, payment, note, this.#moment.position)
    this.#warn(payment, note)
    this.#writes.push(...(writes ?? postponePayment(this.#op, payment, note, WAIT_SECONDS)))
  }

  #warn({ payment_id: paymentId }: ChainPaymentRow, why: string): void {
    const { app, rail } = this.#worker
    app.log.warn({ rail: rail.name, paymentId, why }, 'chain payment deviates from its order')
  }

  async #addSending(
    payment: ChainPaymentRow,
    { parts, gas }: Extract<Verdict, { action: 'send' }>,
  ): Promise<void> {
    const op = this.#op
    const { rail } = this.#worker
    if (!this.#fees)
      return this.add(payment, toWaitVerdict('fee-limit', 'The network fees exceed the limit.'))
    if (parts.length > 1 && !(await this.#hasMulticall()))
      return this.add(payment, toWaitVerdict('work', 'There is no contract at the multicall address.'))
    const sender = this.#chooseSender(payment, gas * this.#fees.maxFee)
    if (sender === 'busy') return
    if (sender === 'no-coin')
      return this.add(payment, toWaitVerdict('gas', 'No account has enough coin for gas.'))
    const signed = await this.#signPayment(payment)
    const { to, data } = buildCall(rail, signed, parts)
    const content = { nonce: sender.nextNonce, recipient: to, data, gas_limit: gas, paymentId: payment.id }
    const row = newTransaction(op, rail, sender.address, content, this.#fees)
    sender.nextNonce += 1n
    sender.open += 1
    sender.coin -= computeCostMax(row)
    const { valid_before, signature } = signed
    const change = {
      valid_before,
      signature,
      transaction_id: row.id,
      attempts: payment.attempts + 1,
      note: null,
    }
    const guard = { attempts: payment.attempts }
    this.#writes.push(
      insert('chain_transactions', row),
      transition(op, 'chain_payments', CHAIN_PAYMENT_TRANSITIONS, payment, 'send', change, guard).write,
      ...(payment.attempts === 0 ? await reportOutcome(op, payment, 'accept', {}) : []),
    )
    this.#rows.push(row)
  }

  #chooseSender({ nonce, sender }: ChainPaymentRow, cost: bigint): Sender | 'no-coin' | 'busy' {
    const { treasuries, gas } = this.#senders
    const ownTreasuries = treasuries.filter(({ address }) => address.address === sender)
    return chooseSender(nonce === null ? ownTreasuries : gas, cost)
  }

  /** Returns the payment with a valid authorization. A wallet's authorization was signed by its holder. */
  async #signPayment(payment: ChainPaymentRow): Promise<ChainPaymentRow> {
    if (payment.nonce === null) return payment
    const sender = await selectAddress(this.#op, payment.sender_id)
    if (sender?.role === 'WALLET') return payment
    const { head } = this.#moment
    const until = head.timestamp + VALID_SECONDS
    // An earlier signature remains valid until its own expiry, so the later of the two expiries is used.
    const validBefore =
      payment.valid_before !== null && payment.valid_before > until ? payment.valid_before : until
    const domain = this.#worker.rail.facts?.tokens[payment.token]?.domain
    if (!domain || !sender)
      throw new Error(`Payment ${payment.id} cannot be signed: its token or its sender is unknown`)
    const authorization = {
      from: payment.sender,
      to: payment.recipient,
      value: payment.amount,
      validBefore,
      nonce: payment.nonce,
    }
    const signature = this.#op.enclave.signOnChain(
      sender.path,
      computeAuthorizationDigest(domain.separator, authorization),
    )
    return { ...payment, valid_before: validBefore, signature }
  }

  async #hasMulticall(): Promise<boolean> {
    const { rail } = this.#worker
    const memory = getMemory(rail)
    memory.hasMulticall ||= (await rail.nodes.code(getMulticallAddress(rail))) !== '0x'
    return memory.hasMulticall
  }

  /**
   * Commits everything, then sends it to the nodes. If another process was faster, nothing is written, and
   * the next run retries.
   */
  async send(): Promise<void> {
    const { app, rail } = this.#worker
    for (const alert of this.#alerts) {
      app.metrics.chainAlert(rail.name, alert)
      app.log.warn({ rail: rail.name, alert }, 'chain payments are waiting')
    }
    if (this.#writes.length === 0) return
    const { done } = await app.commit(this.#op, this.#writes)
    if (done) await broadcastTransactions(this.#worker, this.#rows)
  }
}

function getMulticallAddress({ entry }: EvmRail): Hex {
  return entry.multicall === undefined ? MULTICALL_ADDRESS : toLowerHex(entry.multicall)
}

/** The contract call of a payment's transaction. */
function buildCall(rail: EvmRail, payment: ChainPaymentRow, parts: readonly PaymentPart[]): Call {
  const { token, recipient, amount, nonce } = payment
  if (nonce === null) return transferCall(token, recipient, amount)
  const calls = parts.map((part) => buildAuthorizationCall(payment, part))
  const [first, ...others] = calls
  return first && others.length === 0 ? first : combineCalls(getMulticallAddress(rail), calls)
}

function buildAuthorizationCall(payment: ChainPaymentRow, part: PaymentPart): Call {
  const { token, sender: from, valid_before: validBefore } = payment
  const [to, value, nonce, signature] =
    part === 'payment'
      ? [payment.recipient, payment.amount, payment.nonce, payment.signature]
      : [payment.fee_recipient, payment.fee_amount, payment.fee_nonce, payment.fee_signature]
  if (!to || value === null || !nonce || validBefore === null || !signature)
    throw new Error(`Payment ${payment.id} has no signature for its ${part}`)
  return callWithAuthorization(token, { from, to, value, validBefore, nonce }, signature)
}
