import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Prose, Timestamp } from '../core/schema.ts'
import { ERASURE_STATES } from '../states/customer-states.ts'

/** What stays of a person, and why. */
export const ERASURE_KEEPS = [
  {
    what: 'Amounts, times, states, ids and references of payments, accounts and cards',
    why: 'They are the books',
  },
  {
    what: 'What a wallet has signed to execute a payment, with the payee as it was shown, and what the key of a card has signed',
    why: 'It proves who allowed the payment',
  },
  { what: 'Merchants and amounts of purchases by card', why: 'They are the books' },
  {
    what: 'Addresses and transactions on public chains, and the sealed keys of wallets',
    why: 'The chain has them for good, and what arrives there later can be moved',
  },
  { what: 'Who has done what and when', why: 'It is the audit trail; what was written is gone from it' },
] as const

/** The erasure of a person, and what becomes of it. */
export const CustomerErasure = Type.Object({
  customerId: Id('Customer'),
  status: OneOfWords(
    ERASURE_STATES,
    'SCHEDULED: the data has to be kept until erasesAt. ERASING: it is being removed. DONE: it is gone',
  ),
  requestedAt: Timestamp(),
  erasesAt: Timestamp('From then on the data is removed'),
  erasedAt: Type.Optional(Timestamp('When all of it was gone')),
  keeps: Type.Array(Type.Object({ what: Prose(500), why: Prose(500) }), {
    description: 'What stays, and why. Until erasesAt everything stays that identifies the person',
  }),
})

const erasurePath = Type.Object({ customerId: PathId })

/** Asks that the personal data of a deleted customer be removed. The books stay. */
export const customer_erase = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/customers/{customerId}/erasure',
  tag: 'Customers',
  summary: 'Erase a person',
  description:
    'Removes what is known of a deleted customer: names, addresses, contacts, numbers, documents and accounts elsewhere, wherever they ' +
    'are stored. It begins once the server need not keep them any longer, at erasesAt. Messages with codes, verification links and ' +
    'logged requests go at once. Payments, balances and the audit trail stay, without the person. While the customer is not deleted, ' +
    'the response is 409 CUSTOMER_NOT_DELETED. Asking again gives the same erasure.',
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
    'Shows how far the erasure of a person is, what stays and why. The event CUSTOMER.ERASED tells of its end. Where nobody has asked ' +
    'for one, the answer is 404 ERASURE_NOT_FOUND.',
  params: erasurePath,
  responses: { 200: CustomerErasure },
  errors: ['USER_NOT_FOUND', 'ERASURE_NOT_FOUND'],
})

export const customerErasures = { customer_erase, customer_erasure_get }
