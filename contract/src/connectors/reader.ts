import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { findUnionMember } from '../core/decode.ts'
import { findAccountMembers } from './accounts.ts'

/** A valid value, or the error message for a 400 response. */
export type ReadBody<T> =
  | { readonly value: T; readonly fault?: undefined }
  | { readonly value?: undefined; readonly fault: string }

interface Check {
  readonly Check: (value: unknown) => boolean
  readonly Errors: (value: unknown) => readonly { readonly instancePath: string; readonly message: string }[]
}

const compiled = new WeakMap<object, Check>()

/** Compiles a schema on first use, because most connectors use only a few account types. */
function getCompiled(schema: TSchema): Check {
  const existing = compiled.get(schema)
  if (existing) return existing
  const check: Check = Compile(schema)
  compiled.set(schema, check)
  return check
}

/**
 * Validates a protocol body, including any `account` in it, whose fields depend on the `accountType` next to
 * it. Unknown fields are allowed.
 *
 * @param accounts what `account` contains: a beneficiary or payer, or payment instructions
 */
export function readBody<T extends TSchema>(
  schema: T,
  value: unknown,
  accounts: 'account' | 'deposit' = 'account',
): ReadBody<Static<T>> {
  const fault = findFault(selectMember(schema, value), value, '') ?? findAccountFault(value, accounts)
  return fault === undefined ? { value: value as Static<T> } : { fault }
}

/**
 * Selects the union member named by the value's tag, so that errors refer to that member. Returns the schema
 * itself if it is not such a union.
 */
function selectMember(schema: TSchema, value: unknown): TSchema {
  const { discriminator, oneOf = [] }: Union = schema
  if (!discriminator) return schema
  const member = findUnionMember(oneOf, discriminator.propertyName, value)
  return oneOf.find((candidate) => candidate === member) ?? schema
}

interface Union {
  readonly discriminator?: { readonly propertyName: string }
  readonly oneOf?: readonly TSchema[]
}

function findFault(schema: TSchema, value: unknown, path: string): string | undefined {
  const check = getCompiled(schema)
  if (check.Check(value)) return undefined
  // In a union, the error at the deepest path is the actual cause.
  const [first, ...others] = check.Errors(value)
  if (!first) return 'the body does not fit the schema'
  const fault = others.reduce((a, b) => (b.instancePath.length > a.instancePath.length ? b : a), first)
  return `${`${path}${fault.instancePath}`.slice(1).replaceAll('/', '.') || 'the body'} ${fault.message}`
}

function findAccountFault(body: unknown, kind: 'account' | 'deposit'): string | undefined {
  for (const [path, holder] of Object.entries({ '': body, ...(body as Record<string, unknown>) })) {
    if (holder === null || typeof holder !== 'object' || !('accountType' in holder)) continue
    const schema = findAccountMembers(kind, String(holder.accountType))
    const account = 'account' in holder ? holder.account : undefined
    const fault = schema && findFault(schema, account, `${path && `/${path}`}/account`)
    if (fault) return fault
  }
  return undefined
}
