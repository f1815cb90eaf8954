import { timingSafeEqual } from 'node:crypto'
import type { Contact } from '@countersign/contract/customers/contact-rules'
import { CONTACT_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { SANDBOX_CONTACT_CODE } from '../../kernel/magic-values/magic-values.ts'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { ApiError, StaleRead } from '../../kernel/operation/operation.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { expectRow, insert, update, type Write } from '../../storage/commit/writes.ts'
import type { ContactCodeRow } from '../../storage/rows/contact.ts'
import type { CustomerRow } from '../../storage/rows/tables.ts'
import { getContact, getContactState, isSameContact } from '../customers/contacts.ts'
import { findCustomer } from '../customers/customers.ts'
import { canDeliver } from '../messages/channels.ts'
import { countMessage } from '../messages/message-limits.ts'
import { makeContactMessage } from '../messages/messages.ts'
import { CODE_RATE, type CodeRate, checkRate } from '../sign-in/challenge-rate.ts'
import { DIGITS, drawCode } from '../sign-in/one-time-codes.ts'
import { countAttempt, selectCodeTimes, selectLiveCode } from './store.ts'

/** Codes with which customers verify their e-mail address or phone number. */

const ATTEMPTS_MAX = 5
const CODE_DIGITS = 6
const CODE_SECONDS = 10 * 60
/** With five attempts for each of twenty codes a day, trying a million codes takes 27 years. */
const RATES: readonly CodeRate[] = [CODE_RATE, { codesMax: 20, seconds: 24 * 60 * 60 }]

const KINDS = {
  email: { channel: 'EMAIL', records: 'customer_emails', needs: 'e-mail: SMTP_URL is not set' },
  phone: { channel: 'SMS', records: 'customer_phones', needs: 'SMS: SMS_URL is not set' },
} as const

/** A contact that has to be verified. */
interface PendingContact {
  readonly customer: CustomerRow
  readonly contact: Contact
  readonly address: string
}

/**
 * Builds the writes that send a code and invalidate the previous one. Throws like `checkPending`, 429
 * `RATE_LIMITED` with `Retry-After`, or 501 if this server cannot deliver the code.
 */
export async function sendCode(op: Op, customer: CustomerRow, contact: Contact): Promise<Write[]> {
  const { address } = checkPending(customer, contact)
  const { channel, needs } = KINDS[contact]
  // Read before the codes are counted. Each code ends the previous one, so the guard on the previous code
  // covers the count.
  const previous = await selectLiveCode(op, customer.id, channel)
  for (const rate of RATES) {
    const since = addSeconds(op.now, -rate.seconds)
    checkRate(op, await selectCodeTimes(op, customer.id, channel, since, rate.codesMax), rate)
  }
  if (!canDeliver(op, channel))
    throw new ApiError('NOT_IMPLEMENTED', { message: `This server cannot deliver codes by ${needs}.` })
  await countMessage(op, address)
  const code = op.mode === 'sandbox' ? SANDBOX_CONTACT_CODE : drawCode(op, DIGITS, CODE_DIGITS)
  const row = makeCode(op, { customer, contact, address }, code)
  return [
    // The code is sent to the address in this version of the customer.
    expectRow('customers', customer.id, { version: customer.version, deleted_at: null }),
    ...(previous ? [update('contact_codes', previous.id, { ended_at: null }, { ended_at: op.now })] : []),
    insert('contact_codes', row),
    ...makeContactMessage(op, row, code),
  ]
}

/**
 * Verifies a contact with a code. The attempt is counted before the code is compared. Throws like
 * `checkPending`, or 400 naming `code` if the code is wrong, expired, replaced or used, or was sent to
 * another address.
 */
export async function confirmCode(
  op: Op,
  customer: CustomerRow,
  contact: Contact,
  code: string,
): Promise<{ readonly row: CustomerRow; readonly writes: readonly Write[] }> {
  const { address } = checkPending(customer, contact)
  const sent = await selectLiveCode(op, customer.id, KINDS[contact].channel)
  if (!sent || !(await countAttemptOnce(op, sent)) || !isCorrect(op, sent, address, code)) {
    // Another call may have just verified the contact or changed its address, which ends the code.
    const current = await findCustomer(op, customer.id)
    if (current.version !== customer.version) throw new StaleRead(`${customer.id} has changed`)
    throw new ApiError('INVALID_INPUT', {
      message:
        'code is wrong, expired, was replaced by a newer one, or was tried five times. Request a new one.',
      details: { field: 'code', code: 'INVALID_OTP_CODE' },
    })
  }
  // The guard on the version also covers the address: a changed address is not verified.
  const { row, write } = transition(
    op,
    KINDS[contact].records,
    CONTACT_TRANSITIONS,
    customer,
    'verify',
    { version: customer.version + 1 },
    { version: customer.version, deleted_at: null },
  )
  return { row, writes: [write, update('contact_codes', sent.id, { ended_at: null }, { ended_at: op.now })] }
}

/** Throws 409 `CONTACT_VERIFICATION_NOT_REQUIRED`, 409 `CONTACT_ALREADY_VERIFIED`. */
function checkPending(customer: CustomerRow, contact: Contact): PendingContact {
  const state = getContactState(customer, contact)
  const address = getContact(customer, contact)
  const contactName = contact === 'email' ? 'e-mail address' : 'phone number'
  if (state === null || address === null)
    throw new ApiError('CONTACT_VERIFICATION_NOT_REQUIRED', {
      message: `This customer has no ${contactName} to verify.`,
    })
  if (nextState(CONTACT_TRANSITIONS, state, 'verify') === null)
    throw new ApiError('CONTACT_ALREADY_VERIFIED', {
      message: `The customer's ${contactName} is already verified.`,
    })
  return { customer, contact, address }
}

function makeCode(op: Op, { customer, contact, address }: PendingContact, code: string): ContactCodeRow {
  const binding = {
    id: op.newId('Challenge'),
    customer_id: customer.id,
    channel: KINDS[contact].channel,
    contact: address,
  }
  return {
    ...binding,
    platform_id: op.platform.id,
    code_mac: computeMac(op, binding, code),
    tries: 0,
    expires_at: addSeconds(op.now, CODE_SECONDS),
    ended_at: null,
    created_at: op.now,
  }
}

/**
 * The code for which an operation has counted its attempt. An operation may run again, and must not count
 * twice.
 */
const COUNTED_CODES = new WeakMap<Op, string>()

async function countAttemptOnce(op: Op, { id, expires_at }: ContactCodeRow): Promise<boolean> {
  if (COUNTED_CODES.get(op) === id) return expires_at > op.now
  if (!(await countAttempt(op, id, ATTEMPTS_MAX))) return false
  COUNTED_CODES.set(op, id)
  return true
}

/** True if this code was sent to this address. */
function isCorrect(op: Op, sent: ContactCodeRow, address: string, code: string): boolean {
  return isSameContact(sent.contact, address) && timingSafeEqual(computeMac(op, sent, code), sent.code_mac)
}

/** Computes the stored form of a code: a MAC bound to its customer, channel and address. */
function computeMac(
  op: Op,
  { id, customer_id, channel, contact }: Pick<ContactCodeRow, 'id' | 'customer_id' | 'channel' | 'contact'>,
  code: string,
): Uint8Array {
  return op.enclave.mac('contact', [id, customer_id, channel, contact, code].join('\n'))
}
