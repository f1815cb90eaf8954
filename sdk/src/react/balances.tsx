'use client'

import type { ReactNode } from 'react'
import type { Styled } from './class-names.ts'
import { ResourceView, Section, useParts } from './parts.tsx'
import { type Account, useBalances } from './use-lists.ts'
import { useWords } from './use-words.ts'

export interface BalancesProps extends Styled {
  /** Hides accounts with a zero balance, except the wallet. */
  readonly hideEmpty?: boolean
}

/** The balances of the customer's accounts: the available amount and the amount on hold. */
export function Balances({ hideEmpty = false, classNames }: BalancesProps): ReactNode {
  const balances = useBalances()
  const { texts } = useWords()
  const part = useParts(classNames)
  const styled = classNames && { classNames }
  const isShown = ({ type, totalBalance }: Account) =>
    !hideEmpty || type === 'EMBEDDED_WALLET' || totalBalance.amount !== 0n
  return (
    <Section name="balances" title={texts.balances} {...styled}>
      <ResourceView resource={balances} {...styled}>
        {(accounts) =>
          accounts.length === 0 ? (
            <p className={part('text')}>{texts.noAccounts}</p>
          ) : (
            <ul className={part('list')}>
              {accounts.filter(isShown).map((account) => (
                <Balance key={account.id} account={account} {...styled} />
              ))}
            </ul>
          )
        }
      </ResourceView>
    </Section>
  )
}

function Balance({ account, classNames }: Styled & { readonly account: Account }): ReactNode {
  const { texts, money } = useWords()
  const part = useParts(classNames)
  const { type, balance, totalBalance } = account
  return (
    <li className={part('item')}>
      <span className={part('field')}>{texts.accountTypes[type]}</span>{' '}
      <span className={part('amount')}>{money(balance)}</span>
      {totalBalance.amount === balance.amount ? null : (
        <small className={part('text')}>{texts.withHeld(money(totalBalance))}</small>
      )}
    </li>
  )
}
