import type { Random } from '../../machine/random.ts'
import type { Detail, Entry, Payment } from './messages.ts'

/** Booked entries in the various shapes that banks use. */

const TRANSFER_IN = ['PMNT', 'RCDT', 'ESCT'] as const
const TRANSFER_OUT = ['PMNT', 'ICDT', 'ESCT'] as const
const RETURN = ['PMNT', 'ICDT', 'RRTN'] as const
const COLLECTION = ['PMNT', 'IDDT', 'ESDD'] as const
const UNPAID = ['PMNT', 'IDDT', 'UPDD'] as const
/** Placeholders that banks use for a missing reference. */
const NO_REFERENCE = ['NONREF', '0000000000', 'NOREF']
const CHARGE = 35n

/** The allowed shapes of entries. A plain entry has at most one detail, and no charge. */
export interface Shapes {
  readonly random: Random
  readonly isPlain: boolean
}

/** The bank's reference: unique to the entry, a constant, or none. */
function buildServicerReference(random: Random, uniqueReference: string): Pick<Entry, 'servicerReference'> {
  if (random.chance(0.3)) return {}
  return { servicerReference: random.chance(0.4) ? random.pick(NO_REFERENCE) : uniqueReference }
}

export interface PaidIn {
  readonly cents: bigint
  /** Identifies the payment and its payer. */
  readonly name: string
  readonly debtor: NonNullable<Detail['debtor']>
}

/**
 * An incoming payment to an account. The payer states the account's reference. The entry includes the payer
 * if a return needs it.
 */
export function toIncomingEntry(
  { random, isPlain }: Shapes,
  paid: PaidIn,
  reference: string,
  needsPayer: boolean,
): Entry {
  const { cents, name, debtor } = paid
  const head = { cents, code: TRANSFER_IN, ...buildServicerReference(random, name) }
  const detail = { debtor, endToEndId: name }
  const text = `for ${reference}`
  const withPayer: readonly Entry[] = [
    { ...head, details: [{ ...detail, amount: cents, text }] },
    { ...head, details: [{ ...detail, amount: cents, structured: reference }] },
    // The payer instructed a higher amount than was booked.
    { ...head, details: [{ ...detail, instructed: cents + 500n, text }] },
    { ...head, details: [{ ...detail, amount: cents, instructed: cents + 500n, text }] },
    // The detail has the amount sent, and the entry the amount received.
    { ...head, details: [{ ...detail, amount: cents + 26n, text }] },
  ]
  const withoutPayer: readonly Entry[] = [
    { ...head, details: [], text: `${name} ${text}` },
    { ...head, details: [1, 2, 3].map((index) => ({ endToEndId: `${name}-${index}`, text })) },
  ]
  const shapes = needsPayer ? withPayer : [...withPayer, ...withoutPayer]
  return random.pick(isPlain ? shapes.filter(({ details }) => details.length < 2) : shapes)
}

/**
 * A stranger's payment that belongs to no account: a single payment, one in several parts, one for several
 * accounts, or an unreadable one.
 */
export function buildStrangerEntry(
  { random, isPlain }: Shapes,
  paid: PaidIn,
  references: readonly string[],
): Entry {
  const { cents, name, debtor } = paid
  const head = { cents, code: TRANSFER_IN, ...buildServicerReference(random, name) }
  const detail = { debtor, endToEndId: name, amount: cents, text: 'rent' }
  const shapes: readonly Entry[] = [
    { ...head, details: [detail] },
    { ...head, details: [] },
    { ...head, details: [], text: name },
    { ...head, details: [...references, 'rent'].map((text) => ({ text })) },
    {
      ...head,
      details: [
        { ...detail, amount: 1n },
        { ...detail, amount: cents - 1n },
      ],
    },
    {
      ...head,
      details: [
        { ...detail, amount: cents },
        { ...detail, text: references[0] ?? 'rent' },
      ],
    },
    { ...head, details: [detail], isUnreadable: true },
  ]
  return random.pick(isPlain ? shapes.filter(({ details }) => details.length < 2) : shapes)
}

/**
 * Names one of our payments in a detail, in one of several ways. In incoming money, names inside free text do
 * not count.
 */
function nameDetail({ random, isPlain }: Shapes, { instructionId, endToEndId, direction }: Payment): Detail {
  const texts = direction === 'OUT' ? [{ additional: `EREF: ${endToEndId}` }] : []
  if (isPlain) return random.pick<Detail>([{ endToEndId }, ...texts])
  return random.pick<Detail>([{ instructionId, endToEndId }, { instructionId }, { endToEndId }, ...texts])
}

/**
 * The payments of one of our files as the bank books them: individually, as one entry with details, or as a
 * single sum.
 */
export function bookPayments(
  shapes: Shapes,
  file: string,
  payments: readonly Payment[],
): { readonly style: 'single' | 'details' | 'sum'; readonly entries: readonly Entry[] } {
  const { random, isPlain } = shapes
  const isPull = payments[0]?.direction === 'PULL'
  const { sign, code } = isPull ? { sign: 1n, code: COLLECTION } : { sign: -1n, code: TRANSFER_OUT }
  const sums = isPlain && isPull ? [] : (['sum'] as const)
  const styles = ['single', 'single', isPlain ? 'single' : 'details', ...sums] as const
  const style = payments.length === 0 ? 'single' : random.pick(styles)
  const cents = sign * payments.reduce((total, { amount }) => total + amount, 0n)
  if (style === 'sum') {
    const names: Partial<Entry>[] = [{ batch: file }, { reference: file }, { text: `FILE ${file} DONE` }]
    return { style, entries: [{ cents, code, details: [], ...random.pick(names) }] }
  }
  if (style === 'details') {
    const details = payments.map(({ instructionId, endToEndId, amount }) => ({
      instructionId,
      endToEndId,
      amount,
    }))
    return { style, entries: [{ cents, code, batch: file, details }] }
  }
  const entries = payments.map((payment) => ({
    cents: sign * payment.amount,
    code,
    ...buildServicerReference(random, `B-${payment.endToEndId}`),
    details: [{ ...nameDetail(shapes, payment), amount: payment.amount }],
  }))
  return { style, entries }
}

/** Return reasons of the debtor or its bank after which the mandate remains valid. */
const UNPAID_REASONS = ['AM04', 'MD06', 'MS02', 'SL01']

/** A returned collection: unpaid, refunded, or reversed by the bank. */
function toUnpaidEntry(shapes: Shapes, payment: Payment): Entry {
  const { random, isPlain } = shapes
  const { amount, instructionId, endToEndId } = payment
  if (isPlain) return { cents: -amount, code: UNPAID, details: [{ endToEndId, amount }] }
  const detail = { ...random.pick<Detail>([{ instructionId, endToEndId }, { endToEndId }]), amount }
  return random.pick<Entry>([
    { cents: -amount, code: UNPAID, details: [{ ...detail, returnReason: random.pick(UNPAID_REASONS) }] },
    { cents: -amount, code: TRANSFER_OUT, details: [{ ...detail, returnReason: 'MD06' }] },
    { cents: -amount, code: UNPAID, details: [detail] },
  ])
}

/**
 * The return of one of our payments: with a reason, with only a code, with nothing but our id, or with a
 * charge deducted.
 */
export function toReturnEntry(shapes: Shapes, payment: Payment): Entry {
  const { random, isPlain } = shapes
  const { instructionId, endToEndId, amount, direction } = payment
  if (direction === 'PULL') return toUnpaidEntry(shapes, payment)
  if (isPlain) return { cents: amount, code: RETURN, details: [{ endToEndId, amount }] }
  const names = random.pick<Detail>([{ instructionId, endToEndId }, { instructionId }, { endToEndId }])
  const head = { cents: amount, code: TRANSFER_IN, details: [{ ...names, amount }] }
  return random.pick<Entry>([
    { ...head, details: [{ ...names, amount, returnReason: 'AC04' }] },
    { ...head, code: RETURN },
    // The end-to-end id is also known to payees, so a match of this id alone does not make incoming money a
    // return.
    { ...head, details: [{ ...names, instructionId, amount }] },
    {
      ...head,
      ...{ cents: amount - CHARGE, charge: CHARGE },
      details: [{ ...names, amount: amount - CHARGE, returnReason: 'AC04' }],
    },
  ])
}

/**
 * The amounts of an entry's details if they add up to the entry's amount. Otherwise, only the entry's amount.
 */
export function toAmounts({ cents, details }: Entry): bigint[] {
  const amounts = details.flatMap(({ amount }) => amount ?? [])
  const sum = amounts.reduce((total, amount) => total + amount, 0n)
  return amounts.length === details.length && sum === cents ? amounts : [cents]
}
