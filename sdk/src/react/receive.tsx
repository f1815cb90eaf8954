'use client'

import { type ReactNode, useState } from 'react'
import { membersOf } from '../signing/statement.ts'
import type { Styled } from './class-names.ts'
import { formatFieldName, formatPlace } from './field-texts.ts'
import { Button, Outcome, ResourceView, Section, useParts } from './parts.tsx'
import { type Account, useBalances } from './use-lists.ts'
import { useWords } from './use-words.ts'

type Instructions = Account['fundingPaymentInstructions'][number]

export interface ReceiveProps extends Styled {
  /** The account to receive money. Default: the provider's wallet. */
  readonly accountId?: string
}

/**
 * The ways to pay into an account: each of its addresses and bank accounts as text, with a copy button for
 * every field.
 */
export function Receive({ accountId, classNames }: ReceiveProps): ReactNode {
  const accounts = useBalances()
  const { texts } = useWords()
  const part = useParts(classNames)
  const styled = classNames && { classNames }
  return (
    <Section name="receive" title={texts.receive} {...styled}>
      <ResourceView resource={accounts} {...styled}>
        {(list) => {
          const account = accountId === undefined ? list[0] : list.find(({ id }) => id === accountId)
          const instructions = account?.fundingPaymentInstructions ?? []
          if (instructions.length === 0) return <p className={part('text')}>{texts.noInstructions}</p>
          return instructions.map((way) => (
            <FundingInstructions
              key={JSON.stringify(way.accountOrWalletInfo)}
              instructions={way}
              {...styled}
            />
          ))
        }}
      </ResourceView>
    </Section>
  )
}

function FundingInstructions({
  instructions,
  classNames,
}: Styled & { readonly instructions: Instructions }): ReactNode {
  const { texts } = useWords()
  const part = useParts(classNames)
  const { accountType, ...info } = instructions.accountOrWalletInfo
  const rows = membersOf(info).filter(([path]) => !/^(?:paymentRails|assetType)\b/.test(path))
  const place =
    'assetType' in info ? `${formatPlace(accountType)}, ${info.assetType}` : formatPlace(accountType)
  const [status, setStatus] = useState<string>()
  const copyText = async (label: string, text: string) => {
    // Cleared first, so that screen readers announce a second copy of the same value.
    setStatus(undefined)
    try {
      await navigator.clipboard.writeText(text)
      setStatus(texts.copied(label))
    } catch {
      setStatus(texts.notCopied)
    }
  }
  return (
    <>
      <h3 className={part('label')}>{texts.receiveBy(place)}</h3>
      <dl className={part('details')}>
        {rows.map(([path, text]) => {
          const label = formatFieldName(texts, path)
          return (
            <div key={path}>
              <dt className={part('field')}>{label}</dt>
              <dd className={part('value')}>
                <span>{text}</span>
                <Button
                  label={texts.copyOf(label)}
                  onClick={() => void copyText(label, text)}
                  {...(classNames && { classNames })}
                >
                  {texts.copy}
                </Button>
              </dd>
            </div>
          )
        })}
      </dl>
      {instructions.instructionsNotes === undefined ? null : (
        <p className={part('text')} lang="">
          {instructions.instructionsNotes}
        </p>
      )}
      <Outcome status={status} {...(classNames && { classNames })} />
    </>
  )
}
