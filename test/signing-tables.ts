import { API } from '@countersign/contract/api'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { PAYLOADS, type SignedOperation } from '@countersign/contract/signing/payloads'
import { formatMarkdownTable } from './markdown-table.ts'

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
}

const operations = Object.keys(PAYLOADS) as SignedOperation[]

/** The fields that every payload has. */
const COMMON = operations
  .map((operation) => Object.keys(PAYLOADS[operation].properties))
  .reduce((common, names) => common.filter((field) => names.includes(field)))

/** The fields of each payload, in addition to the common ones. */
export function formatPayloadTable(): string {
  return formatMarkdownTable(
    ['`operation`', 'its own fields'],
    operations.map((operation) => [
      `\`${operation}\``,
      describeFields(PAYLOADS[operation])
        .filter((field) => !COMMON.includes(field.replace(/\W.*$/, '')))
        .map((field) => `\`${field}\``)
        .join(', '),
    ]),
  )
}

/** Describes a schema's fields, as in `card`, `state?`, `sends {amount, currency}`. */
function describeFields(schema: object): string[] {
  const { properties = {}, required = [] }: JsonSchema = schema
  return Object.entries(properties).map(([name, field]) => {
    const inner = describeFields(field.items ?? field)
    const innerText = inner.length === 0 ? '' : ` {${inner.join(', ')}}`
    return `${name}${field.items ? '[]' : ''}${required.includes(name) ? '' : '?'}${innerText}`
  })
}

const WITHOUT_REQUEST_ID = {
  executes: 'executes: the quote contains the payload',
  ignored: 'is ignored: the call counts as a first one',
  refused: '401 `REQUEST_ID_MISSING`',
} as const

/** Every call that a wallet may have to sign. */
export function formatSignedCallTable(): string {
  const endpoints: readonly Endpoint[] = Object.values(API)
  return formatMarkdownTable(
    ['call', '`Svc-Wallet-Signature` without `Request-Id`'],
    endpoints
      .filter(({ signed }) => signed)
      .map(({ method, path, signatureAlone }) => [
        `\`${method} ${path}\``,
        WITHOUT_REQUEST_ID[signatureAlone ?? 'refused'],
      ]),
  )
}
