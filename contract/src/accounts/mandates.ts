import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { CalendarDate } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { NamedPage, namesQuery } from '../core/record-names.ts'
import { OneOfWords, Pattern, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'

const TAG = 'Mandates'

export const MANDATE_STATUSES = ['ACTIVE', 'CANCELED', 'EXPIRED'] as const
export type MandateStatus = (typeof MANDATE_STATUSES)[number]

export const MANDATE_TYPES = ['RECURRING', 'ONE_OFF'] as const
export type MandateType = (typeof MANDATE_TYPES)[number]

const MandateReference = Pattern("^[A-Za-z0-9?:().,'+-]([A-Za-z0-9/?:().,'+-]{0,33}[A-Za-z0-9?:().,'+-])?$", {
  maxLength: 35,
  patternText:
    "1 to 35 letters, digits and characters of /-?:().,'+ without a slash at an end or two in a row",
  description:
    'The mandate reference that the debtor knows. It is unique on the platform, ignoring case. With ' +
    'Bacs: 6 to 18 capital letters, digits, `/`, `.` and `-`, not all the same',
})

/** The consent of an external account's holder to direct debits. */
export const Mandate = Type.Object({
  id: Id('Mandate'),
  status: OneOfWords(
    MANDATE_STATUSES,
    'ACTIVE: direct debits can be made. CANCELED: by a request, by the bank, or with its last ' +
      'collection. EXPIRED: no collection for 36 months, or 24 with Bacs',
  ),
  externalAccountId: Id('ExternalAccount', 'The account that is debited'),
  customerId: Type.Optional(Id('Customer', 'The owner of the account, unless it is the platform')),
  reference: MandateReference,
  mandateType: OneOfWords(MANDATE_TYPES, 'ONE_OFF: it allows a single collection'),
  signedOn: CalendarDate,
  debtor: Type.Object(
    {
      name: Text(255),
      iban: Type.Optional(Text(34, { description: 'SEPA mandates only' })),
      sortCode: Type.Optional(Text(6, { description: 'Bacs mandates only' })),
      accountNumber: Type.Optional(Text(8, { description: 'Bacs mandates only' })),
    },
    { description: 'The holder and the account when the mandate was added. Direct debits state these' },
  ),
  isFinal: Type.Boolean({ description: 'True if the next collection is the last' }),
  lastCollectedOn: Type.Optional(CalendarDate),
  expiresOn: CalendarDate,
  canceledAt: Type.Optional(Timestamp()),
  cancelReason: Type.Optional(Prose(1000, { description: "The caller's or the bank's reason" })),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const MandateCreateRequest = Type.Object({
  externalAccountId: Id('ExternalAccount', 'An account in EUR with an IBAN, or in GBP'),
  reference: Type.Optional(MandateReference),
  mandateType: Type.Optional(OneOfWords(MANDATE_TYPES, 'Default: RECURRING')),
  signedOn: CalendarDate,
  lastCollectedOn: Type.Optional(
    Type.String({
      format: 'date',
      description:
        'YYYY-MM-DD. The last collection by a previous system, if the mandate is migrated: the next collection is then not its first',
    }),
  ),
})

export const MandateCancelRequest = Type.Object({
  reason: Prose(500, { description: 'Stored with the mandate' }),
  afterNextCollection: Type.Optional(
    Type.Boolean({
      description: 'True: the mandate stays ACTIVE for one more collection, which is marked as the last',
    }),
  ),
})

const mandatePath = Type.Object({ mandateId: PathId })

export const mandate_create = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/mandates',
  tag: TAG,
  summary: 'Add a mandate',
  description:
    'Records that the holder of an external account has signed a mandate for SEPA or Bacs direct debits. ' +
    'An account has at most one active mandate. If you omit the reference, one is generated. A rail of ' +
    "Bacs files sends the instruction to the debtor's bank.",
  idempotent: true,
  body: MandateCreateRequest,
  responses: { 201: Mandate },
  errors: ['INVALID_INPUT', 'ACCOUNT_NOT_FOUND', 'CUSTOMER_DELETED'],
})

export const mandate_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/mandates',
  tag: TAG,
  summary: 'List mandates',
  description: 'Lists mandates for direct debits, newest first, by account, customer or status.',
  query: Type.Object({
    externalAccountId: Type.Optional(Id('ExternalAccount')),
    customerId: Type.Optional(Id('Customer')),
    status: Type.Optional(OneOfWords(MANDATE_STATUSES)),
    ...namesQuery,
    ...pageQuery,
  }),
  responses: { 200: NamedPage(Mandate) },
  errors: ['INVALID_INPUT'],
})

export const mandate_csv = fileOfList(mandate_list, 'mandates')

export const mandate_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/mandates/{mandateId}',
  tag: TAG,
  summary: 'Read a mandate',
  description: 'Shows one mandate, with the day of its last collection and the reason if it was canceled.',
  params: mandatePath,
  responses: { 200: Mandate },
  errors: ['MANDATE_NOT_FOUND'],
})

/** Collections that are already queued are not affected. */
export const mandate_cancel = endpoint({
  auth: 'platform',
  permission: 'MANAGE',
  method: 'POST',
  path: '/mandates/{mandateId}/cancel',
  tag: TAG,
  summary: 'Cancel a mandate',
  description:
    'Ends a mandate, immediately or with its next collection. Direct debits already sent to the bank or ' +
    'queued for the next file continue. Others that have not begun fail.',
  idempotent: true,
  params: mandatePath,
  body: MandateCancelRequest,
  responses: { 200: Mandate },
  errors: ['INVALID_INPUT', 'MANDATE_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const mandates = { mandate_create, mandate_list, mandate_csv, mandate_get, mandate_cancel }
