import { Type } from 'typebox'
import { AuditActor } from '../core/actors.ts'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Page, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Plain } from '../core/sensitivity.ts'
import { ACCOUNT_CHANGE_STATES } from '../states/account-change-states.ts'

const TAG = 'External accounts'

/** The pseudo-field for the holder's name, which is not part of `accountInfo`. */
export const HOLDER_FIELD = 'holderName'

/** The maximum number of fields that one report may change. */
export const CHANGED_FIELDS_MAX = 10

export const changedField = Plain(
  Text(64, { description: 'A field of `accountInfo` such as `accountNumber`, or `holderName`' }),
)

export const AccountFieldChange = Type.Object({
  field: changedField,
  before: Type.Optional(Text(255, { description: 'Absent if the account did not have the field' })),
  after: Text(255),
})

/** Changed details of an external account, as reported by a rail. */
export const AccountChange = Type.Object({
  id: Id('AccountChange'),
  status: OneOfWords(
    ACCOUNT_CHANGE_STATES,
    'PENDING: new payments to and from the account are blocked. APPLIED: the account has the new details. DISMISSED: it keeps the old ones',
  ),
  externalAccountId: Id('ExternalAccount'),
  customerId: Type.Optional(Id('Customer', 'The owner of the account, unless it is the platform')),
  changes: Type.Array(AccountFieldChange, {
    description: 'In events, the number that identifies the account is shortened to its last four characters',
  }),
  code: Type.Optional(Plain(Text(10, { description: "The bank's code, such as C01" }))),
  message: Type.Optional(Prose(1000, { description: "The bank's message" })),
  rail: Plain(Text(40)),
  railEventId: Id('RailEvent', 'The rail report'),
  transactionId: Id('Transaction', 'The payment that the report is about'),
  reason: Type.Optional(Prose(500, { description: 'The reason for the decision' })),
  decidedBy: Type.Optional(AuditActor),
  decidedAt: Type.Optional(Timestamp()),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const changePath = Type.Object({ accountChangeId: PathId })

export const AccountChangeDecision = Type.Object({
  reason: Prose(500, { description: 'For example, who confirmed the details and how' }),
})

const VOTES =
  'If the platform has set approvalsRequired, only members can decide, and the change stays PENDING until enough of them have.'

export const account_change_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/account-changes',
  tag: TAG,
  summary: 'List changes of account details',
  description:
    'Lists reported changes to the details of external accounts, newest first: ACH notifications of ' +
    'change and account updates from connectors. `status=PENDING` returns the changes that need a ' +
    'decision.',
  query: Type.Object({
    externalAccountId: Type.Optional(Id('ExternalAccount')),
    customerId: Type.Optional(Id('Customer')),
    status: Type.Optional(OneOfWords(ACCOUNT_CHANGE_STATES)),
    ...pageQuery,
  }),
  responses: { 200: Page(AccountChange) },
  errors: ['INVALID_INPUT'],
})

export const account_change_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/account-changes/{accountChangeId}',
  tag: TAG,
  summary: 'Read a change of account details',
  description:
    'Shows the old and the new details, the report, and the decision with its author, time and reason.',
  params: changePath,
  responses: { 200: AccountChange },
  errors: ['ACCOUNT_CHANGE_NOT_FOUND'],
})

/** Changes the account to the reported details. */
export const account_change_apply = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/account-changes/{accountChangeId}/apply',
  tag: TAG,
  summary: 'Apply a change of account details',
  description:
    'Gives the external account the reported details, which new payments then use. First confirm them ' +
    'with the payee, using contact details that are not from the report. Earlier payments and their ' +
    `records keep the old details. ${VOTES}`,
  idempotent: true,
  params: changePath,
  body: AccountChangeDecision,
  responses: { 200: AccountChange },
  errors: [
    'INVALID_INPUT',
    'INVALID_BANK_ACCOUNT',
    'FORBIDDEN',
    'ACCOUNT_NOT_FOUND',
    'ACCOUNT_CHANGE_NOT_FOUND',
    'EXTERNAL_ACCOUNT_ALREADY_EXISTS',
    'EXTERNAL_ACCOUNT_CHANGED',
    'INVALID_STATE_TRANSITION',
  ],
})

/** Keeps the account's current details. */
export const account_change_dismiss = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/account-changes/{accountChangeId}/dismiss',
  tag: TAG,
  summary: 'Dismiss a change of account details',
  description:
    'Keeps the current details of the external account and allows new payments again. If the rail ' +
    `reports the change again, it needs another decision. ${VOTES}`,
  idempotent: true,
  params: changePath,
  body: AccountChangeDecision,
  responses: { 200: AccountChange },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'ACCOUNT_CHANGE_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const accountChanges = {
  account_change_list,
  account_change_get,
  account_change_apply,
  account_change_dismiss,
}
