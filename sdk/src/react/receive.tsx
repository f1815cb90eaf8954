'use client'

import { type ReactNode, useState } from 'react'
import { membersOf } from '../signing/statement.ts'
import type { Styled } from './class-names.ts'
import { fieldText, placeOf } from './field-texts.ts'
import { Button, Loaded, Outcome, Section, useParts } from './parts.tsx'
import { type Account, useBalances } from './use-lists.ts'
import { useWords } from './use-words.ts'

type Instructions = Account['fundingPaymentInstructions'][number]

export interface ReceiveProps extends Styled {
  /** The account to be paid. Default: the wallet of the provider. */
  readonly accountId?: string
}

/**
 * The ways to pay into an account: every address and bank account of it as text, each field with a button to
 * copy.
 */
export function Receive({ accountId, classNames }: ReceiveProps): ReactNode {
  const accounts = useBalances()
  const { texts } = useWords()
  const part = useParts(classNames)
  const styled = classNames && { classNames }
  return (
    <Section name="receive" title={texts.receive} {...styled}>
      <Loaded of={accounts} {...styled}>
        {(all) => {
          const account = accountId === undefined ? all[0] : all.find(({ id }) => id === accountId)
          const instructions = account?.fundingPaymentInstructions ?? []
          if (instructions.length === 0) return <p className={part('text')}>{texts.noInstructions}</p>
          return instructions.map((one) => (
            <Way key={JSON.stringify(one.accountOrWalletInfo)} instructions={one} {...styled} />
          ))
        }}
      </Loaded>
    </Section>
  )
}

function Way({ instructions, classNames }: Styled & { readonly instructions: Instructions }): ReactNode {
  const { texts } = useWords()
  const part = useParts(classNames)
  const { accountType, ...info } = instructions.accountOrWalletInfo
  const rows = membersOf(info).filter(([path]) => !/^(?:paymentRails|assetType)\b/.test(path))
  const place = 'assetType' in info ? `${placeOf(accountType)}, ${info.assetType}` : placeOf(accountType)
  const [said, setSaid] = useState<string>()
  const copy = async (label: string, text: string) => {
    // Cleared first, so that a second copy of the same value is announced again.
    setSaid(undefined)
    try {
      await navigator.clipboard.writeText(text)
      setSaid(texts.copied(label))
    } catch {
      setSaid(texts.notCopied)
    }
  }
  return (
    <>
      <h3 className={part('label')}>{texts.receiveBy(place)}</h3>
      <dl className={part('details')}>
        {rows.map(([path, text]) => {
          const label = fieldText(texts, path)
          return (
            <div key={path}>
              <dt className={part('field')}>{label}</dt>
              <dd className={part('value')}>
                <span>{text}</span>
                <Button
                  label={texts.copyOf(label)}
                  onClick={() => void copy(label, text)}
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
      <Outcome status={said} {...(classNames && { classNames })} />
    </>
  )
}
