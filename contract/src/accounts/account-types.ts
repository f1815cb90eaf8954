import { type Static, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import { getOwnValue } from '../core/objects.ts'
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
import { BusinessBeneficiary, createExampleHolder } from './beneficiaries.ts'

/**
 * All account types, with fields, identifiers, rails and currencies. The three schemas below (request,
 * record, payment instructions) are generated from this table.
 */
export const ACCOUNT_TYPES = {
  ...BANK_ACCOUNT_TYPES,
  ...MOBILE_ACCOUNT_TYPES,
  ...OTHER_ACCOUNT_TYPES,
} as const

type Table = typeof ACCOUNT_TYPES
export type AccountTypeName = keyof Table

/** Types of external accounts. All other types exist only in payment instructions. */
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

/** An external account in a request. */
export type ExternalAccountCreateInfoValue = {
  [K in ExternalAccountTypeName]: { accountType: K } & Fields<Table[K]['fields']> & BeneficiaryOf<Table[K]>
}[ExternalAccountTypeName]

/** An external account in a record, including its rails. */
export type ExternalAccountInfoValue = {
  [K in ExternalAccountTypeName]: { accountType: K } & Fields<Table[K]['fields']> &
    RailsOf<Table[K]> &
    BeneficiaryOf<Table[K]>
}[ExternalAccountTypeName]

/** An account in payment instructions. */
export type PaymentAccountInfoValue = {
  [K in AccountTypeName]: { accountType: K } & PaymentFieldsOf<Table[K]>
}[AccountTypeName]

export function isAccountType(name: string): name is AccountTypeName {
  return Object.hasOwn(ACCOUNT_TYPES, name)
}

/** Returns the declaration of an account type, without the table's literal types. */
export function accountType(name: AccountTypeName): AccountTypeDeclaration {
  return ACCOUNT_TYPES[name]
}

/**
 * Returns the identifier that controls the sandbox (specification 4.16): the first identifying field that was
 * given. Undefined if none was given, which a schema cannot rule out, so the operation rejects it.
 */
export function getPrimaryIdentifier(info: { accountType: AccountTypeName }): string | undefined {
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

function buildRailFields(row: AccountTypeDeclaration): TProperties {
  return row.rails.length === 0
    ? {}
    : { paymentRails: Type.Array(OneOfWords(row.rails), { minItems: 1, uniqueItems: true }) }
}

function buildBeneficiaryFields(row: AccountTypeDeclaration): TProperties {
  return row.individual
    ? { beneficiary: OneOf('beneficiaryType', [row.individual, BusinessBeneficiary]) }
    : {}
}

/**
 * The schema of a field in a request. Unless the field has fixed values, the schema accepts any string, and
 * the server validates length and pattern together with the account's checks, so that every invalid bank
 * account gives the same error. The OpenAPI document shows length and pattern, and the description names the
 * checks.
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
  const institutionHint = isInstitution && 'An exact bankName from GET /discoveries'
  const fullDescription = [description, check && ACCOUNT_CHECKS[check], institutionHint]
    .filter(Boolean)
    .join('. ')
  const isOffer = check === 'bolt12'
  const documentedPattern = pattern ?? (check && getOwnValue<string>(ACCOUNT_CHECK_PATTERNS, check))
  const text = Type.String({
    // An offer may be split over several lines, joined by `+`.
    wellFormed: isOffer ? 'prose' : 'line',
    ...(isOffer
      ? {}
      : {
          documentedForm: {
            minLength: 1,
            maxLength,
            ...(documentedPattern === undefined ? {} : { pattern: documentedPattern }),
          },
        }),
    ...(fullDescription === '' ? {} : { description: fullDescription }),
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

function createSchemas(
  selectFields: (row: AccountTypeDeclaration) => TProperties | undefined,
  selectExamples: (name: AccountTypeName) => readonly object[] = () => [],
): Map<string, TObject> {
  const schemas = new Map<string, TObject>()
  for (const [name, row] of rows) {
    const fields = selectFields(row)
    const examples = selectExamples(name)
    const options = examples.length > 0 ? { examples } : {}
    if (fields) schemas.set(name, Type.Object({ accountType: Tag(name), ...fields }, options))
  }
  return schemas
}

/**
 * Returns examples of requests with this account type, including the holder. Empty for a type that no
 * external account has.
 */
export function getExampleAccounts(name: AccountTypeName): readonly ExternalAccountCreateInfoValue[] {
  const { individual, examples = [] } = accountType(name)
  const holder = individual ? { beneficiary: createExampleHolder(individual) } : {}
  // The cast is safe: a test registers all examples over HTTP.
  return examples.map(
    (example) => ({ accountType: name, ...example, ...holder }) as ExternalAccountCreateInfoValue,
  )
}

/** The schema of each account type, by type, for each of the three uses. */
export const EXTERNAL_ACCOUNT_CREATE_INFO = createSchemas(
  (row) => row.fields && { ...toRequestFields(row), ...buildBeneficiaryFields(row) },
  getExampleAccounts,
)
export const EXTERNAL_ACCOUNT_INFO = createSchemas(
  (row) => row.fields && { ...row.fields, ...buildRailFields(row), ...buildBeneficiaryFields(row) },
)
const EXTERNAL_ACCOUNT_DETAILS = createSchemas(
  (row) => row.fields && { ...row.fields, ...buildBeneficiaryFields(row) },
)
export const PAYMENT_ACCOUNT_INFO = createSchemas(
  (row) => row.paymentOnly ?? { ...row.fields, ...buildRailFields(row), ...row.paymentExtra },
)

/** `accountInfo` in requests that add an external account. */
export const ExternalAccountCreateInfo: TUnsafe<ExternalAccountCreateInfoValue> = Type.Unsafe(
  OneOf('accountType', [...EXTERNAL_ACCOUNT_CREATE_INFO.values()]),
)

/** `accountInfo` in external account records. */
export const ExternalAccountInfo: TUnsafe<ExternalAccountInfoValue> = Type.Unsafe(
  OneOf('accountType', [...EXTERNAL_ACCOUNT_INFO.values()]),
)

/** `accountInfo` as provided and stored, without the rails. Used by payments. */
export const ExternalAccountDetails: TUnsafe<ExternalAccountCreateInfoValue> = Type.Unsafe(
  OneOf('accountType', [...EXTERNAL_ACCOUNT_DETAILS.values()]),
)

/** `accountOrWalletInfo` in payment instructions. */
export const PaymentAccountInfo: TUnsafe<PaymentAccountInfoValue> = Type.Unsafe(
  OneOf('accountType', [...PAYMENT_ACCOUNT_INFO.values()]),
)
