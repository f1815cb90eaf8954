import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { Fragment, type ReactNode } from 'react'
import { type Amount, Money } from './money.tsx'
import { RecordLink } from './record-link.tsx'
import { formatConstant } from './status-meaning.ts'
import { Time } from './time.tsx'
import { formatFieldName } from './words.ts'

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const RECORD_ID = /^[A-Z][A-Za-z]+:[0-9a-f-]{36}$/
const STATE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/
/**
 * Fields whose values come from a fixed list. In these, a single word without `_` is also treated as such a
 * value instead of free text.
 */
const LISTED_WORDS = /(?:status|state|types?|kind|direction)$/i

/** Shows any JSON value in readable form: amounts with currency, times, and links to records. */
export function Readable({
  value,
  name,
}: {
  readonly value: unknown
  readonly name?: string | undefined
}): ReactNode {
  if (Array.isArray(value)) return <Items value={value} name={name} />
  if (isRecord(value)) {
    const amount = toAmount(value)
    return amount ? <Money amount={amount} /> : <Members value={value} />
  }
  return <Value value={value} isListed={name !== undefined && LISTED_WORDS.test(name)} />
}

function Members({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  const members = Object.entries(value).filter(([, value]) => value !== undefined)
  if (members.length === 0) return <span className="soft">Nothing</span>
  return (
    <dl className="facts readable">
      {members.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{formatFieldName(name)}</dt>
          <dd>
            <Readable value={value} name={name} />
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

function Items({ value, name }: { readonly value: readonly unknown[]; readonly name: string | undefined }) {
  if (value.length === 0) return <span className="soft">None</span>
  return (
    <ul className="items">
      {value.map((item, index) => (
        <li key={index}>
          <Readable value={item} name={name} />
        </li>
      ))}
    </ul>
  )
}

function Value({ value, isListed }: { readonly value: unknown; readonly isListed: boolean }) {
  if (value === undefined || value === null || value === '') return <span className="soft">–</span>
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value !== 'string') return <span className="figures">{String(value)}</span>
  if (TIMESTAMP.test(value)) return <Time at={value} />
  if (RECORD_ID.test(value)) return <RecordLink id={value} />
  return (
    <span dir="auto" className="anywhere">
      {STATE.test(value) || (isListed && value === value.toUpperCase()) ? formatConstant(value) : value}
    </span>
  )
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the amount if the object is an API amount without other properties. */
function toAmount(value: Readonly<Record<string, unknown>>): Amount | undefined {
  const { amount, currency, ...rest } = value
  if (Object.keys(rest).length > 0 || !isRecord(currency)) return undefined
  const { code } = currency
  if (typeof amount !== 'bigint' && !(typeof amount === 'number' && Number.isSafeInteger(amount)))
    return undefined
  if (typeof code !== 'string' || !isKnownCurrency(code)) return undefined
  return { amount: BigInt(amount), currency: currency as Amount['currency'] }
}
