import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { Fragment, type ReactNode } from 'react'
import { type Amount, Money } from './money.tsx'
import { RecordLink } from './record-link.tsx'
import { wordsOf } from './status-meaning.ts'
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
  of,
  name,
}: {
  readonly of: unknown
  readonly name?: string | undefined
}): ReactNode {
  if (Array.isArray(of)) return <Items of={of} name={name} />
  if (isRecord(of)) {
    const amount = toAmount(of)
    return amount ? <Money of={amount} /> : <Members of={of} />
  }
  return <Value of={of} isListed={name !== undefined && LISTED_WORDS.test(name)} />
}

function Members({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  const members = Object.entries(of).filter(([, value]) => value !== undefined)
  if (members.length === 0) return <span className="soft">Nothing</span>
  return (
    <dl className="facts readable">
      {members.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{formatFieldName(name)}</dt>
          <dd>
            <Readable of={value} name={name} />
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

function Items({ of, name }: { readonly of: readonly unknown[]; readonly name: string | undefined }) {
  if (of.length === 0) return <span className="soft">None</span>
  return (
    <ul className="items">
      {of.map((item, index) => (
        <li key={index}>
          <Readable of={item} name={name} />
        </li>
      ))}
    </ul>
  )
}

function Value({ of, isListed }: { readonly of: unknown; readonly isListed: boolean }) {
  if (of === undefined || of === null || of === '') return <span className="soft">–</span>
  if (typeof of === 'boolean') return of ? 'Yes' : 'No'
  if (typeof of !== 'string') return <span className="figures">{String(of)}</span>
  if (TIMESTAMP.test(of)) return <Time at={of} />
  if (RECORD_ID.test(of)) return <RecordLink id={of} />
  return (
    <span dir="auto" className="anywhere">
      {STATE.test(of) || (isListed && of === of.toUpperCase()) ? wordsOf(of) : of}
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
