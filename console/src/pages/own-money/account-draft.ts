import {
  accountType,
  EXTERNAL_ACCOUNT_CREATE_INFO,
  ExternalAccountCreateInfo,
  isAccountType,
} from '@countersign/contract/accounts/account-types'
import { decode, type JsonSchema } from '@countersign/contract/core/decode'
import { EVM_NETWORKS } from '@countersign/contract/core/evm'
import { CountersignError } from '@countersign/sdk'
import { wordsOf } from '../../ui/status-meaning.ts'

/** An external account as a person types it: a string for each field, by its name in the API. */
export interface AccountDraft {
  readonly currency: string
  readonly type: string
  readonly values: Readonly<Record<string, string>>
}

export interface AccountField {
  readonly name: string
  readonly label: string
  readonly description: string | undefined
  /** Left out: the field is typed. */
  readonly choices: readonly string[] | undefined
  readonly isRequired: boolean
}

/** A field that the server refuses, and the reason. */
export interface FieldFault {
  readonly name: string
  readonly message: string
}

const HOLDER = 'legalName'
/** Fields of a request that the form composes from others. */
const COMPOSED = ['accountType', 'beneficiary']

/** The types of accounts in a currency that an operator can hold: at banks and mobile operators, and on EVM chains. */
export function typesIn(currency: string): readonly string[] {
  return [...EXTERNAL_ACCOUNT_CREATE_INFO.keys()].filter((name) => {
    if (!isAccountType(name)) return false
    const { currencies, rails } = accountType(name)
    const isHeld = rails.length > 0 || EVM_NETWORKS.some((network) => name === `${network}_WALLET`)
    return isHeld && currencies.some((one) => one === currency)
  })
}

/** An account type's fields, the holder last. */
export function fieldsOf(type: string): readonly AccountField[] {
  const { properties = {}, required = [] } = schemaOf(type)
  const own = Object.entries(properties).filter(([name]) => !COMPOSED.includes(name))
  const fields = own.map(([name, schema]) => ({
    name,
    label: labelOf(name),
    description: descriptionOf(schema),
    choices: schema.enum?.map(String),
    isRequired: required.includes(name),
  }))
  const holder = {
    name: HOLDER,
    label: 'Legal name of the holder',
    description: undefined,
    choices: undefined,
    isRequired: true,
  }
  return 'beneficiary' in properties ? [...fields, holder] : fields
}

function schemaOf(type: string): JsonSchema {
  return EXTERNAL_ACCOUNT_CREATE_INFO.get(type) ?? {}
}

function descriptionOf(schema: object): string | undefined {
  return 'description' in schema && typeof schema.description === 'string' ? schema.description : undefined
}

/** `routingNumber` as people read it: `Routing number`. */
function labelOf(name: string): string {
  return wordsOf(name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase())
}

/** True if every required field has a value, and so does a field that identifies the account. */
export function isComplete({ type, values }: AccountDraft): boolean {
  if (!isAccountType(type)) return false
  const isGiven = (name: string) => (values[name] ?? '').trim() !== ''
  const isNamed = accountType(type).identifiedBy.some(isGiven)
  return isNamed && fieldsOf(type).every(({ name, isRequired }) => !isRequired || isGiven(name))
}

/** The account as the API takes it. */
export function accountInfoOf({ type, values }: AccountDraft) {
  const given = fieldsOf(type).flatMap(({ name }) => {
    const value = (values[name] ?? '').trim()
    return value === '' ? [] : [[name, value] as const]
  })
  const { [HOLDER]: legalName, ...fields } = Object.fromEntries(given)
  const holder =
    legalName === undefined ? {} : { beneficiary: { beneficiaryType: 'BUSINESS' as const, legalName } }
  return decode(ExternalAccountCreateInfo, { accountType: type, ...fields, ...holder })
}

/** The field of the form that an error is about; undefined if it is about none. */
export function faultOf(error: unknown, { type }: AccountDraft): FieldFault | undefined {
  if (!(error instanceof CountersignError)) return undefined
  const { field } = error.details
  if (typeof field !== 'string' || !field.startsWith('accountInfo.')) return undefined
  const name = field.split('.').at(-1)
  const found = fieldsOf(type).find((one) => one.name === name)
  return found && { name: found.name, message: error.message }
}
