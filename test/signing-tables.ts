import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { PAYLOADS, type SignedOperation } from '@countersign/contract/signing/payloads'
import { markdownTable } from './markdown-table.ts'

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
}

const operations = Object.keys(PAYLOADS) as SignedOperation[]

/** The fields that every payload has. */
const COMMON = operations
  .map((operation) => Object.keys(PAYLOADS[operation].properties))
  .reduce((common, own) => common.filter((member) => own.includes(member)))

/** The fields of each payload, in addition to the common ones. */
export function payloadTable(): string {
  return markdownTable(
    ['`operation`', 'its own fields'],
    operations.map((operation) => [
      `\`${operation}\``,
      membersOf(PAYLOADS[operation])
        .filter((member) => !COMMON.includes(member.replace(/\W.*$/, '')))
        .map((member) => `\`${member}\``)
        .join(', '),
    ]),
  )
}

/** Describes a schema's fields, as in `card`, `state?`, `sends {amount, currency}`. */
function membersOf(schema: object): string[] {
  const { properties = {}, required = [] }: JsonSchema = schema
  return Object.entries(properties).map(([name, member]) => {
    const inner = membersOf(member.items ?? member)
    const of = inner.length === 0 ? '' : ` {${inner.join(', ')}}`
    return `${name}${member.items ? '[]' : ''}${required.includes(name) ? '' : '?'}${of}`
  })
}

const ALONE = {
  executes: 'executes: the quote contains the payload',
  ignored: 'is ignored: the call counts as a first one',
  refused: '401 `REQUEST_ID_MISSING`',
} as const

/** Every call that a wallet may have to sign. */
export function signedCallTable(): string {
  const endpoints: readonly Endpoint[] = Object.values(API)
  return markdownTable(
    ['call', '`Svc-Wallet-Signature` without `Request-Id`'],
    endpoints
      .filter(({ signed }) => signed)
      .map(({ method, path, signatureAlone }) => [
        `\`${method} ${path}\``,
        ALONE[signatureAlone ?? 'refused'],
      ]),
  )
}
