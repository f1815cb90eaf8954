import { type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import {
  ACCOUNT_TYPES,
  type AccountTypeName,
  accountType,
  type ExternalAccountTypeName,
  isAccountType,
} from '../accounts/account-types.ts'
import { BusinessBeneficiary } from '../accounts/beneficiaries.ts'
import { OneOf, OneOfWords } from '../core/schema.ts'
import { text } from './words.ts'

const TYPES = Object.keys(ACCOUNT_TYPES).filter(isAccountType)

/** Account types to which money can be sent or from which it can be pulled. */
const EXTERNAL_TYPES = TYPES.filter(
  (name): name is ExternalAccountTypeName => accountType(name).fields !== undefined,
)

/**
 * The fields of each account type in an external account, without the type itself. `beneficiary` contains
 * everything that the account's owner has stated about the holder.
 */
export const CONNECTOR_ACCOUNT_MEMBERS: ReadonlyMap<string, TObject> = new Map(
  EXTERNAL_TYPES.map((name) => {
    const { fields, individual } = accountType(name)
    const holder: TProperties = individual
      ? { beneficiary: Type.Optional(OneOf('beneficiaryType', [individual, BusinessBeneficiary])) }
      : {}
    return [name, Type.Object({ ...fields, ...holder })]
  }),
)

/** The fields of each account type in payment instructions, without the type, the rails and the reference. */
export const CONNECTOR_DEPOSIT_MEMBERS: ReadonlyMap<string, TObject> = new Map(
  TYPES.map((name) => {
    const { fields, paymentExtra, paymentOnly } = accountType(name)
    const { reference: _stated, ...members } = paymentOnly ?? { ...fields, ...paymentExtra }
    return [name, Type.Object(members)]
  }),
)

type Members = Readonly<Record<string, unknown>>

function buildAccountTypeSchema<T extends AccountTypeName>(names: readonly T[]): TUnsafe<T> {
  return OneOfWords(names, 'Determines the properties of `account`')
}

const accountSchema = (description: string): TUnsafe<Members> =>
  Type.Unsafe<Members>({ type: 'object', additionalProperties: true, wellFormed: true, description })

/** The counterparty's account. `reader.ts` and the OpenAPI document validate `account` by its type. */
export const ConnectorAccount = Type.Object({
  accountType: buildAccountTypeSchema(EXTERNAL_TYPES),
  holderName: Type.Optional(text(255, 'The full or legal name of the holder')),
  account: accountSchema('All properties of the account type'),
})

/** The account into which payers pay. */
export const ConnectorDepositDetails = Type.Object({
  accountType: buildAccountTypeSchema(TYPES),
  account: accountSchema('The properties of the account type in payment instructions'),
})

/** Returns the fields of `account` for an account type. Undefined for an unknown type. */
export function findAccountMembers(kind: 'account' | 'deposit', type: string): TSchema | undefined {
  return (kind === 'account' ? CONNECTOR_ACCOUNT_MEMBERS : CONNECTOR_DEPOSIT_MEMBERS).get(type)
}
