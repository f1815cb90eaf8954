import { isKnownCurrency } from '@countersign/contract/core/currencies'
import { Fragment, type ReactNode } from 'react'
import { type Amount, Money } from './money.tsx'
import { RecordLink } from './record-link.tsx'
import { wordsOf } from './status-meaning.ts'
import { Time } from './time.tsx'
import { wordsOfName } from './words.ts'

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const RECORD_ID = /^[A-Z][A-Za-z]+:[0-9a-f-]{36}$/
const STATE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/

/** Renders any JSON value for people: amounts with their currency, times, links to records. */
export function Readable({ of }: { readonly of: unknown }): ReactNode {
  if (Array.isArray(of)) return <Items of={of} />
  if (isRecord(of)) {
    const amount = amountOf(of)
    return amount ? <Money of={amount} /> : <Members of={of} />
  }
  return <Value of={of} />
}

function Members({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  const members = Object.entries(of).filter(([, value]) => value !== undefined)
  if (members.length === 0) return <span className="soft">Nothing</span>
  return (
    <dl className="facts readable">
      {members.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{wordsOfName(name)}</dt>
          <dd>
            <Readable of={value} />
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

function Items({ of }: { readonly of: readonly unknown[] }) {
  if (of.length === 0) return <span className="soft">None</span>
  return (
    <ul className="items">
      {of.map((item, at) => (
        <li key={at}>
          <Readable of={item} />
        </li>
      ))}
    </ul>
  )
}

function Value({ of }: { readonly of: unknown }) {
  if (of === undefined || of === null || of === '') return <span className="soft">–</span>
  if (typeof of === 'boolean') return of ? 'Yes' : 'No'
  if (typeof of !== 'string') return <span className="figures">{String(of)}</span>
  if (TIMESTAMP.test(of)) return <Time at={of} />
  if (RECORD_ID.test(of)) return <RecordLink id={of} />
  return (
    <span dir="auto" className="anywhere">
      {STATE.test(of) ? wordsOf(of) : of}
    </span>
  )
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The amount, if the object is an amount of the API and has no other properties. */
function amountOf(of: Readonly<Record<string, unknown>>): Amount | undefined {
  const { amount, currency, ...rest } = of
  if (Object.keys(rest).length > 0 || !isRecord(currency)) return undefined
  const { code } = currency
  if (typeof amount !== 'bigint' && !(typeof amount === 'number' && Number.isSafeInteger(amount)))
    return undefined
  if (typeof code !== 'string' || !isKnownCurrency(code)) return undefined
  return { amount: BigInt(amount), currency: currency as Amount['currency'] }
}
