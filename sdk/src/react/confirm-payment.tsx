'use client'

import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { membersOf, type Payment } from '../signing/statement.ts'
import type { Styled } from './class-names.ts'
import type { Confirmation } from './confirmations.ts'
import { findPayeeName, formatFieldName, formatFieldValue } from './field-texts.ts'
import { useLook } from './look.tsx'
import { Button, useParts } from './parts.tsx'
import { useConfirmation } from './use-confirmation.ts'
import { useWords } from './use-words.ts'

/**
 * A dialog that shows each payment before it is signed. Place it on the page once: without it nothing is
 * signed. Cancel and Escape decline; its content comes from the text that will be signed, which has been
 * checked against the page's own call.
 */
export function ConfirmPayment({ classNames }: Styled): ReactNode {
  const confirmation = useConfirmation()
  if (!confirmation) return null
  const { requestId } = confirmation.payment
  return <Dialog key={requestId} confirmation={confirmation} {...(classNames && { classNames })} />
}

function Dialog({ confirmation, classNames }: Styled & { readonly confirmation: Confirmation }): ReactNode {
  const { payment, answer } = confirmation
  const { language } = useLook()
  const { texts } = useWords()
  const part = useParts(classNames)
  const titleId = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    // Focuses the heading instead of a button, so that a key still held down cannot confirm the payment.
    heading.current?.focus()
    // Close the dialog while it is still in the DOM, so that the browser restores the focus.
    return () => element?.close()
  }, [])
  const styled = classNames && { classNames }
  return (
    <dialog
      ref={dialog}
      className={part('dialog')}
      aria-labelledby={titleId}
      lang={language}
      onCancel={(event) => {
        event.preventDefault()
        answer(false)
      }}
    >
      <h2 className={part('title')} id={titleId} ref={heading} tabIndex={-1}>
        {texts.confirmPayment}
      </h2>
      <Amounts payment={payment} {...styled} />
      <Payee payment={payment} {...styled} />
      <Chain payment={payment} {...styled} />
      <FullPayload payment={payment} {...styled} />
      <div className={part('actions')}>
        <Button onClick={() => answer(false)} {...styled}>
          {texts.cancel}
        </Button>
        <Button isPrimary onClick={() => answer(true)} {...styled}>
          {texts.signAndPay}
        </Button>
      </div>
    </dialog>
  )
}

type PartOfPayment = Styled & { readonly payment: Payment }

function Amounts({ payment, classNames }: PartOfPayment): ReactNode {
  const { texts, signedMoney, time } = useWords()
  const part = useParts(classNames)
  const { sends, feesIncluded, delivers, destination, expiresAt } = payment
  const rows = [
    [texts.youPay, signedMoney(sends.amount, sends.currency), 'amount'],
    [texts.feeOfIt, signedMoney(feesIncluded, sends.currency), 'value'],
    [texts.theyReceive, signedMoney(delivers.amount, delivers.currency), 'amount'],
    [texts.payee, findPayeeName(texts, destination), 'value'],
    [texts.validUntil, time(expiresAt), 'value'],
  ] as const
  return (
    <dl className={part('details')}>
      {rows.map(([label, text, kind]) => (
        <div key={label}>
          <dt className={part('field')}>{label}</dt>
          <dd className={part(kind)}>{text}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Every field of the payee except our internal ids, which are part of the signed text. */
function Payee({ payment, classNames }: PartOfPayment): ReactNode {
  const { texts } = useWords()
  const part = useParts(classNames)
  const { destination } = payment
  const info = destination.destinationType === 'ACCOUNT' ? (destination.accountInfo ?? {}) : {}
  const rows = membersOf(info)
  if (rows.length === 0) return null
  return (
    <>
      <h3 className={part('label')}>{texts.payeeDetails}</h3>
      <dl className={part('details')}>
        {rows.map(([path, text]) => (
          <div key={path}>
            <dt className={part('field')}>{formatFieldName(texts, path)}</dt>
            <dd className={part('value')}>{formatFieldValue(texts, path, text)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** For a wallet on a chain: the transfers that the wallet's own key signs. */
function Chain({ payment, classNames }: PartOfPayment): ReactNode {
  const { texts, signedMoney } = useWords()
  const part = useParts(classNames)
  const { chain } = payment
  if (!chain) return null
  return (
    <>
      <h3 className={part('label')}>
        {texts.onChain}: {chain.network}, {chain.chainId}
      </h3>
      <dl className={part('details')}>
        {chain.transfers.map(({ purpose, to, amount, nonce }) => (
          <div key={nonce}>
            <dt className={part('field')}>{purpose === 'PAYMENT' ? texts.chainPayment : texts.chainFee}</dt>
            <dd className={part('value')}>
              {to}: {signedMoney(amount, chain.token.currency)}
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** The complete signed payload, field by field. */
function FullPayload({ payment, classNames }: PartOfPayment): ReactNode {
  const { texts } = useWords()
  const part = useParts(classNames)
  const { summary, ...rest } = payment
  return (
    <details>
      <summary>{texts.allThatIsSigned}</summary>
      <p className={part('text')} lang="en">
        {summary}
      </p>
      <dl className={part('details', 'cs-everything')} lang="en">
        {membersOf(rest).map(([path, text]) => (
          <div key={path}>
            <dt className={part('field')}>{path}</dt>
            <dd className={part('value')}>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
