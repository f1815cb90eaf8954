import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import { memberOf } from '../core/objects.ts'
import type { PaymentRailName } from '../core/rails.ts'
import { OneOf, OneOfWords, Tag } from '../core/schema.ts'
import {
  ACCOUNT_CHECK_PATTERNS,
  ACCOUNT_CHECKS,
  type AccountCheckName,
  type AccountTypeDeclaration,
} from './account-fields.ts'
import { BANK_ACCOUNT_TYPES } from './account-types-bank.ts'
import { MOBILE_ACCOUNT_TYPES } from './account-types-mobile.ts'
import { OTHER_ACCOUNT_TYPES } from './account-types-other.ts'
import { BusinessBeneficiary, exampleOfHolder } from './beneficiaries.ts'

/**
 * Every account type: its fields, identifiers, rails and currencies. The three shapes below (request, record,
 * payment instructions) are made from this table.
 */
export const ACCOUNT_TYPES = {
  ...BANK_ACCOUNT_TYPES,
  ...MOBILE_ACCOUNT_TYPES,
  ...OTHER_ACCOUNT_TYPES,
} as const

type Table = typeof ACCOUNT_TYPES
export type AccountTypeName = keyof Table

/** The types of external accounts; the other types exist in payment instructions only. */
export type ExternalAccountTypeName = {
  [K in AccountTypeName]: Table[K] extends { fields: TProperties } ? K : never
}[AccountTypeName]

type Fields<P> = P extends TProperties ? Static<TObject<P>> : unknown

type BeneficiaryOf<D> = D extends { individual: infer I extends TObject }
  ? { beneficiary: Static<I> | Static<typeof BusinessBeneficiary> }
  : unknown

type RailsOf<D> = D extends { rails: readonly [PaymentRailName, ...PaymentRailName[]] }
  ? { paymentRails: D['rails'][number][] }
  : unknown

type PaymentFieldsOf<D> = D extends { paymentOnly: infer P }
  ? Fields<P>
  : D extends { fields: infer F; paymentExtra: infer P }
    ? Fields<F> & Fields<P> & RailsOf<D>
    : never

/** An external account as a caller sends it. */
export type ExternalAccountCreateInfoValue = {
  [K in ExternalAccountTypeName]: { accountType: K } & Fields<Table[K]['fields']> & BeneficiaryOf<Table[K]>
}[ExternalAccountTypeName]

/** An external account as the record shows it, with its rails. */
export type ExternalAccountInfoValue = {
  [K in ExternalAccountTypeName]: { accountType: K } & Fields<Table[K]['fields']> &
    RailsOf<Table[K]> &
    BeneficiaryOf<Table[K]>
}[ExternalAccountTypeName]

/** Payment instructions. */
export type PaymentAccountInfoValue = {
  [K in AccountTypeName]: { accountType: K } & PaymentFieldsOf<Table[K]>
}[AccountTypeName]

export function isAccountType(name: string): name is AccountTypeName {
  return Object.hasOwn(ACCOUNT_TYPES, name)
}

/** The row of an account type, without the literal types of the table. */
export function accountType(name: AccountTypeName): AccountTypeDeclaration {
  return ACCOUNT_TYPES[name]
}

/**
 * The identifier that controls the sandbox (specification 4.16): the first given field among the type's
 * identifying ones. Undefined if none is given: no schema can refuse that, so the operation does.
 */
export function primaryIdentifier(info: { accountType: AccountTypeName }): string | undefined {
  const members = new Map(Object.entries(info))
  for (const name of accountType(info.accountType).identifiedBy) {
    const value = members.get(name)
    if (typeof value === 'string') return value
  }
  return undefined
}

const rows = Object.keys(ACCOUNT_TYPES)
  .filter(isAccountType)
  .map((name) => [name, accountType(name)] as const)

function railsOf(row: AccountTypeDeclaration): TProperties {
  return row.rails.length === 0
    ? {}
    : { paymentRails: Type.Array(OneOfWords(row.rails), { minItems: 1, uniqueItems: true }) }
}

function beneficiaryOf(row: AccountTypeDeclaration): TProperties {
  return row.individual
    ? { beneficiary: OneOf('beneficiaryType', [row.individual, BusinessBeneficiary]) }
    : {}
}

/**
 * The schema of a field in a request. Unless its values are fixed, it accepts any text: the server checks
 * length and pattern together with the account's checks, so that every fault of a bank account gives the same
 * error. The document shows length and pattern, and the description names the checks.
 */
function toRequestField(
  field: TSchema,
  check: AccountCheckName | undefined,
  isInstitution: boolean,
): TSchema {
  const {
    pattern,
    maxLength,
    description,
  }: {
    pattern?: string
    maxLength?: number
    description?: string
  } = field
  if (maxLength === undefined) return field
  const named = isInstitution && 'The exact bankName of one that GET /discoveries lists'
  const what = [description, check && ACCOUNT_CHECKS[check], named].filter(Boolean).join('. ')
  const isOffer = check === 'bolt12'
  const form = pattern ?? (check && memberOf<string>(ACCOUNT_CHECK_PATTERNS, check))
  const text = Type.String({
    // An offer may be split by + and a line break.
    wellFormed: isOffer ? 'prose' : 'line',
    ...(isOffer
      ? {}
      : { documentedForm: { minLength: 1, maxLength, ...(form === undefined ? {} : { pattern: form }) } }),
    ...(what === '' ? {} : { description: what }),
  })
  return Type.IsOptional(field) ? Type.Optional(text) : text
}

function toRequestFields({ fields = {}, checks = {}, institution }: AccountTypeDeclaration): TProperties {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      toRequestField(field, checks[name], name === institution),
    ]),
  )
}

function members(
  fieldsOf: (row: AccountTypeDeclaration) => TProperties | undefined,
  examplesOf: (name: AccountTypeName) => readonly object[] = () => [],
): Map<string, TObject> {
  const made = new Map<string, TObject>()
  for (const [name, row] of rows) {
    const fields = fieldsOf(row)
    const examples = examplesOf(name)
    const options = examples.length > 0 ? { examples } : {}
    if (fields) made.set(name, Type.Object({ accountType: Tag(name), ...fields }, options))
  }
  return made
}

/** Examples of a type as a caller sends them, with the holder. Empty for a type that no external account has. */
export function exampleAccounts(name: AccountTypeName): readonly ExternalAccountCreateInfoValue[] {
  const { individual, examples = [] } = accountType(name)
  const holder = individual ? { beneficiary: exampleOfHolder(individual) } : {}
  // A test proves that they match the schema: it registers all of them over HTTP.
  return examples.map(
    (example) => ({ accountType: name, ...example, ...holder }) as ExternalAccountCreateInfoValue,
  )
}

/** The schema of each account type in each of its shapes, by account type. */
export const EXTERNAL_ACCOUNT_CREATE_INFO = members(
  (row) => row.fields && { ...toRequestFields(row), ...beneficiaryOf(row) },
  exampleAccounts,
)
export const EXTERNAL_ACCOUNT_INFO = members(
  (row) => row.fields && { ...row.fields, ...railsOf(row), ...beneficiaryOf(row) },
)
const EXTERNAL_ACCOUNT_DETAILS = members((row) => row.fields && { ...row.fields, ...beneficiaryOf(row) })
export const PAYMENT_ACCOUNT_INFO = members(
  (row) => row.paymentOnly ?? { ...row.fields, ...railsOf(row), ...row.paymentExtra },
)

/** `accountInfo` in a request to add an external account. */
export const ExternalAccountCreateInfo: TUnsafe<ExternalAccountCreateInfoValue> = Type.Unsafe(
  OneOf('accountType', [...EXTERNAL_ACCOUNT_CREATE_INFO.values()]),
)

/** `accountInfo` in the record of an external account. */
export const ExternalAccountInfo: TUnsafe<ExternalAccountInfoValue> = Type.Unsafe(
  OneOf('accountType', [...EXTERNAL_ACCOUNT_INFO.values()]),
)

/** `accountInfo` as given and stored, without the rails. Payments use it. */
export const ExternalAccountDetails: TUnsafe<ExternalAccountCreateInfoValue> = Type.Unsafe(
  OneOf('accountType', [...EXTERNAL_ACCOUNT_DETAILS.values()]),
)

/** `accountOrWalletInfo` of payment instructions. */
export const PaymentAccountInfo: TUnsafe<PaymentAccountInfoValue> = Type.Unsafe(
  OneOf('accountType', [...PAYMENT_ACCOUNT_INFO.values()]),
)
