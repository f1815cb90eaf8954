'use client'

import type { ReactNode } from 'react'
import type { Styled } from './class-names.ts'
import { Button, ResourceView, Section, useParts } from './parts.tsx'
import { type TransactionRecord, useTransactions } from './use-lists.ts'
import { useWords } from './use-words.ts'

export interface TransactionsProps extends Styled {
  /** The number of transactions shown initially and added by each "show more". Default: 10. */
  readonly pageRecords?: number
  /** Also shows quoted payments that were never executed. */
  readonly showUnpaid?: boolean
}

/** The customer's transactions, newest first. */
export function Transactions({ pageRecords, showUnpaid = false, classNames }: TransactionsProps): ReactNode {
  const transactions = useTransactions(pageRecords)
  const { texts } = useWords()
  const part = useParts(classNames)
  const styled = classNames && { classNames }
  return (
    <Section name="transactions" title={texts.transactions} {...styled}>
      <ResourceView resource={transactions} {...styled}>
        {(records) => {
          const shown = showUnpaid ? records : records.filter(isPaid)
          if (shown.length === 0 && !transactions.hasMore)
            return <p className={part('text')}>{texts.noTransactions}</p>
          return (
            <ul className={part('list')}>
              {shown.map((record) => (
                <Entry key={record.id} record={record} {...styled} />
              ))}
            </ul>
          )
        }}
      </ResourceView>
      {transactions.hasMore ? (
        <Button onClick={transactions.showMore} {...styled}>
          {texts.showMore}
        </Button>
      ) : null}
    </Section>
  )
}

/** A quote has a transaction from the start, but no money moves until the quote is executed. */
function isPaid(record: TransactionRecord): boolean {
  const isQuoted = record.type === 'OUTGOING' && record.quoteId !== undefined
  return !(isQuoted && ['PENDING', 'EXPIRED'].includes(record.status))
}

function Entry({ record, classNames }: Styled & { readonly record: TransactionRecord }): ReactNode {
  const { texts, money, time } = useWords()
  const part = useParts(classNames)
  const isCredit = record.direction === 'CREDIT'
  const amount = isCredit ? record.receivedAmount : (record.sentAmount ?? record.receivedAmount)
  const signedAmount = amount && { ...amount, amount: isCredit ? amount.amount : -amount.amount }
  return (
    <li className={part('item', isCredit ? 'cs-credit' : 'cs-debit')}>
      <span className={part('field')}>
        {isCredit ? texts.received : texts.sent}
        {record.description === undefined ? '' : `: ${record.description}`}
      </span>{' '}
      <span className={part('amount')}>{signedAmount && money(signedAmount, 'always')}</span>{' '}
      <small className={part('text')}>
        {texts.transactionStates[record.status]},{' '}
        <time dateTime={record.createdAt}>{time(record.createdAt)}</time>
      </small>
    </li>
  )
}
