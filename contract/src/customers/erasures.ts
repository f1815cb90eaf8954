import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Prose, Timestamp } from '../core/schema.ts'
import { ERASURE_STATES } from '../states/customer-states.ts'

/** Personal data that is kept, and why. */
export const ERASURE_KEEPS = [
  {
    what: 'Amounts, times, states, ids and references of payments, accounts and cards',
    why: 'They are the books',
  },
  {
    what: "Payloads signed by a wallet to execute a payment, with the payee as shown, and payloads signed by a card's key",
    why: 'It proves who allowed the payment',
  },
  { what: 'Merchants and amounts of card purchases', why: 'They are the books' },
  {
    what: 'Addresses and transactions on public chains, and the sealed keys of wallets',
    why: 'The chain keeps them permanently, and money that arrives there later can be moved',
  },
  {
    what: 'The audit trail: actor, action and time',
    why: 'It must stay complete; free text is removed from it',
  },
] as const

/** The erasure of a person's data, and its result. */
export const CustomerErasure = Type.Object({
  customerId: Id('Customer'),
  status: OneOfWords(
    ERASURE_STATES,
    'SCHEDULED: the data must be kept until erasesAt. ERASING: it is being removed. DONE: it is gone',
  ),
  requestedAt: Timestamp(),
  erasesAt: Timestamp('The time at which the removal begins'),
  erasedAt: Type.Optional(Timestamp('The time at which the removal was complete')),
  keeps: Type.Array(Type.Object({ what: Prose(500), why: Prose(500) }), {
    description:
      'The data that is kept, and why. Until erasesAt, everything that identifies the person is kept',
  }),
})

const erasurePath = Type.Object({ customerId: PathId })

/** Requests the erasure of a deleted customer's personal data. The ledger is not affected. */
export const customer_erase = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/customers/{customerId}/erasure',
  tag: 'Customers',
  summary: "Erase a customer's personal data",
  description:
    'Removes the personal data of a deleted customer: names, addresses, contacts, numbers, documents and ' +
    'external accounts, everywhere they are stored. The removal begins at erasesAt, when the retention ' +
    'period ends. Messages with codes, verification links and logged requests are removed immediately. ' +
    'Payments, balances and the audit trail are kept, without the person. Returns 409 ' +
    'CUSTOMER_NOT_DELETED if the customer is not deleted. A repeated call returns the same erasure.',
  params: erasurePath,
  responses: { 200: CustomerErasure },
  errors: ['USER_NOT_FOUND', 'CUSTOMER_NOT_DELETED'],
})

export const customer_erasure_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/customers/{customerId}/erasure',
  tag: 'Customers',
  summary: 'Read an erasure',
  description:
    'Shows the progress of an erasure, the data that is kept, and why. The event CUSTOMER.ERASED reports ' +
    'its end. Returns 404 ERASURE_NOT_FOUND if no erasure was requested.',
  params: erasurePath,
  responses: { 200: CustomerErasure },
  errors: ['USER_NOT_FOUND', 'ERASURE_NOT_FOUND'],
})

export const customerErasures = { customer_erase, customer_erasure_get }
