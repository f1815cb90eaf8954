import type { Random } from '../../machine/random.ts'
import type { Detail, Entry, Payment } from './messages.ts'

/** Entries in the shapes that banks give them. */

const TRANSFER_IN = ['PMNT', 'RCDT', 'ESCT'] as const
const TRANSFER_OUT = ['PMNT', 'ICDT', 'ESCT'] as const
const RETURNED = ['PMNT', 'ICDT', 'RRTN'] as const
const COLLECTED = ['PMNT', 'IDDT', 'ESDD'] as const
const UNPAID = ['PMNT', 'IDDT', 'UPDD'] as const
/** The placeholders of banks for a missing reference. */
const NO_REFERENCE = ['NONREF', '0000000000', 'NOREF']
const CHARGE = 35n

/** The choice of shapes. A plain entry has one detail at most, and no charge. */
export interface Shapes {
  readonly random: Random
  readonly isPlain: boolean
}

/** A reference of the bank: the entry's own, a constant, or none. */
function servicerReference(random: Random, own: string): Pick<Entry, 'servicerReference'> {
  if (random.chance(0.3)) return {}
  return { servicerReference: random.chance(0.4) ? random.pick(NO_REFERENCE) : own }
}

export interface PaidIn {
  readonly cents: bigint
  /** Names it, and its payer. */
  readonly name: string
  readonly debtor: NonNullable<Detail['debtor']>
}

/** Money for an account, whose payer has stated the reference. The payer is included if a return needs it. */
export function toIncomingEntry(
  { random, isPlain }: Shapes,
  paid: PaidIn,
  reference: string,
  needsPayer: boolean,
): Entry {
  const { cents, name, debtor } = paid
  const head = { cents, code: TRANSFER_IN, ...servicerReference(random, name) }
  const detail = { debtor, endToEndId: name }
  const text = `for ${reference}`
  const withPayer: readonly Entry[] = [
    { ...head, details: [{ ...detail, amount: cents, text }] },
    { ...head, details: [{ ...detail, amount: cents, structured: reference }] },
    // The payer has instructed more than was booked.
    { ...head, details: [{ ...detail, instructed: cents + 500n, text }] },
    { ...head, details: [{ ...detail, amount: cents, instructed: cents + 500n, text }] },
    // Another form: the detail has the sent amount, the entry the received one.
    { ...head, details: [{ ...detail, amount: cents + 26n, text }] },
  ]
  const withoutPayer: readonly Entry[] = [
    { ...head, details: [], text: `${name} ${text}` },
    { ...head, details: [1, 2, 3].map((nth) => ({ endToEndId: `${name}-${nth}`, text })) },
  ]
  const shapes = needsPayer ? withPayer : [...withPayer, ...withoutPayer]
  return random.pick(isPlain ? shapes.filter(({ details }) => details.length < 2) : shapes)
}

/**
 * Money of a stranger that belongs to no account: whole, in parts, for several accounts together, or
 * unreadable.
 */
export function strangers({ random, isPlain }: Shapes, paid: PaidIn, references: readonly string[]): Entry {
  const { cents, name, debtor } = paid
  const head = { cents, code: TRANSFER_IN, ...servicerReference(random, name) }
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
 * A detail that names one of our payments in some way. For incoming money, names within a text do not count.
 */
function nameDetail({ random, isPlain }: Shapes, { instructionId, endToEndId, direction }: Payment): Detail {
  const texts = direction === 'OUT' ? [{ additional: `EREF: ${endToEndId}` }] : []
  if (isPlain) return random.pick<Detail>([{ endToEndId }, ...texts])
  return random.pick<Detail>([{ instructionId, endToEndId }, { instructionId }, { endToEndId }, ...texts])
}

/**
 * The payments in one of our files as the bank books them: one by one, in one entry with details, or as one
 * sum.
 */
export function bookSent(
  shapes: Shapes,
  file: string,
  payments: readonly Payment[],
): { readonly style: 'single' | 'details' | 'sum'; readonly entries: readonly Entry[] } {
  const { random, isPlain } = shapes
  const isPull = payments[0]?.direction === 'PULL'
  const { sign, code } = isPull ? { sign: 1n, code: COLLECTED } : { sign: -1n, code: TRANSFER_OUT }
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
    ...servicerReference(random, `B-${payment.endToEndId}`),
    details: [{ ...nameDetail(shapes, payment), amount: payment.amount }],
  }))
  return { style, entries }
}

/** Reasons of a debtor or its bank that leave the mandate unchanged. */
const UNPAID_REASONS = ['AM04', 'MD06', 'MS02', 'SL01']

/** A collection that comes back: unpaid, refunded, or reversed by the bank. */
function unpaidEntry(shapes: Shapes, payment: Payment): Entry {
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
 * One of our payments, returned with a reason, with only a code, with nothing but our id, or minus a charge.
 */
export function returnEntry(shapes: Shapes, payment: Payment): Entry {
  const { random, isPlain } = shapes
  const { instructionId, endToEndId, amount, direction } = payment
  if (direction === 'PULL') return unpaidEntry(shapes, payment)
  if (isPlain) return { cents: amount, code: RETURNED, details: [{ endToEndId, amount }] }
  const names = random.pick<Detail>([{ instructionId, endToEndId }, { instructionId }, { endToEndId }])
  const head = { cents: amount, code: TRANSFER_IN, details: [{ ...names, amount }] }
  return random.pick<Entry>([
    { ...head, details: [{ ...names, amount, returnReason: 'AC04' }] },
    { ...head, code: RETURNED },
    // Payees also know the end-to-end id, so it alone does not make money a return.
    { ...head, details: [{ ...names, instructionId, amount }] },
    {
      ...head,
      ...{ cents: amount - CHARGE, charge: CHARGE },
      details: [{ ...names, amount: amount - CHARGE, returnReason: 'AC04' }],
    },
  ])
}

/** The amounts of an entry's details if they add up to it, else its own. */
export function partsOf({ cents, details }: Entry): bigint[] {
  const amounts = details.flatMap(({ amount }) => amount ?? [])
  const sum = amounts.reduce((total, amount) => total + amount, 0n)
  return amounts.length === details.length && sum === cents ? amounts : [cents]
}
