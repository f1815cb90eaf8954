import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { memberFor } from '../core/decode.ts'
import { membersOfAccount } from './accounts.ts'

/** A value that fits its schema, or an error message for a 400 response. */
export type ReadBody<T> =
  | { readonly value: T; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string }

interface Check {
  readonly Check: (value: unknown) => boolean
  readonly Errors: (value: unknown) => readonly { readonly instancePath: string; readonly message: string }[]
}

const compiled = new WeakMap<object, Check>()

/** Compiles a schema at its first use: most connectors use few account types. */
function checkOf(schema: TSchema): Check {
  const known = compiled.get(schema)
  if (known) return known
  const made: Check = Compile(schema)
  compiled.set(schema, made)
  return made
}

/**
 * Validates a body of the protocol, and an `account` in it (next to its `accountType`) against the fields of
 * its type. Unknown fields pass.
 *
 * @param accounts the shape of `account`: a beneficiary or payer, or payment instructions
 */
export function readBody<T extends TSchema>(
  schema: T,
  value: unknown,
  accounts: 'account' | 'deposit' = 'account',
): ReadBody<Static<T>> {
  const fault = faultOf(memberOf(schema, value), value, '') ?? faultOfAccounts(value, accounts)
  return fault === undefined ? { value: value as Static<T> } : { fault }
}

/** The member of a union that the value's tag names, so that errors refer to it; else the schema itself. */
function memberOf(schema: TSchema, value: unknown): TSchema {
  const { discriminator, oneOf = [] }: Union = schema
  if (!discriminator) return schema
  const member = memberFor(oneOf, discriminator.propertyName, value)
  return oneOf.find((one) => one === member) ?? schema
}

interface Union {
  readonly discriminator?: { readonly propertyName: string }
  readonly oneOf?: readonly TSchema[]
}

function faultOf(schema: TSchema, value: unknown, path: string): string | undefined {
  const check = checkOf(schema)
  if (check.Check(value)) return undefined
  // In a union, the deepest fault is the cause.
  const [first, ...others] = check.Errors(value)
  if (!first) return 'the body does not fit the schema'
  const fault = others.reduce((a, b) => (b.instancePath.length > a.instancePath.length ? b : a), first)
  return `${`${path}${fault.instancePath}`.slice(1).replaceAll('/', '.') || 'the body'} ${fault.message}`
}

function faultOfAccounts(body: unknown, kind: 'account' | 'deposit'): string | undefined {
  for (const [path, holder] of Object.entries({ '': body, ...(body as Record<string, unknown>) })) {
    if (holder === null || typeof holder !== 'object' || !('accountType' in holder)) continue
    const schema = membersOfAccount(kind, String(holder.accountType))
    const account = 'account' in holder ? holder.account : undefined
    const fault = schema && faultOf(schema, account, `${path && `/${path}`}/account`)
    if (fault) return fault
  }
  return undefined
}
