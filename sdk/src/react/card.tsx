'use client'

import { type ReactNode, useState } from 'react'
import { signed } from '../signing/signed-retry.ts'
import type { Styled } from './class-names.ts'
import { useCountersign } from './context.ts'
import { Button, Outcome, ResourceView, Section, useParts } from './parts.tsx'
import { useAction } from './use-action.ts'
import { type CardRecord, useCards } from './use-lists.ts'
import { useSession } from './use-session.ts'
import { useWords } from './use-words.ts'

export interface CardProps extends Styled {
  /** Omit it to show all of the customer's cards. */
  readonly cardId?: string
}

/** The customer's cards, without card numbers. Freezing a card is signed by the session. */
export function Card({ cardId, classNames }: CardProps): ReactNode {
  const cards = useCards(cardId)
  const { texts } = useWords()
  const part = useParts(classNames)
  const styled = classNames && { classNames }
  return (
    <Section name="card-section" title={texts.card} {...styled}>
      <ResourceView resource={cards} {...styled}>
        {(list) =>
          list.length === 0 ? (
            <p className={part('text')}>{texts.noCard}</p>
          ) : (
            list.map((card) => (
              <CardWithActions key={card.id} card={card} reload={cards.reload} {...styled} />
            ))
          )
        }
      </ResourceView>
    </Section>
  )
}

function CardWithActions(
  props: Styled & { readonly card: CardRecord; readonly reload: () => void },
): ReactNode {
  const { card, reload, classNames } = props
  const { client } = useCountersign()
  const { session } = useSession()
  const { texts } = useWords()
  const part = useParts(classNames)
  const [status, setStatus] = useState<string>()
  const [changed, setChanged] = useState<CardRecord>()
  // Until the list has been reloaded, the response to the change is more recent.
  const { state, platformFreeze } = changed && changed.updatedAt > card.updatedAt ? changed : card
  const isFrozen = state === 'FROZEN'
  const change = useAction(async () => {
    if (!session) return
    setStatus(undefined)
    const body = { state: isFrozen ? 'ACTIVE' : 'FROZEN' } as const
    setChanged((await signed(client, 'card_update', { params: { id: card.id }, body }, session)).body)
    setStatus(isFrozen ? texts.cardNowActive : texts.cardNowFrozen)
    reload()
  })
  const isLocked = platformFreeze?.cardholderMayLift === false
  const canChange = !isLocked && (state === 'ACTIVE' || isFrozen)
  return (
    <>
      <CardFace card={card} state={state} {...(classNames && { classNames })} />
      {canChange && session ? (
        <Button isBusy={change.isBusy} onClick={() => void change.run()} {...(classNames && { classNames })}>
          {isFrozen ? texts.unfreeze : texts.freeze}
        </Button>
      ) : null}
      {isLocked ? <p className={part('text')}>{texts.cardFrozenByUs}</p> : null}
      {canChange && !session ? <p className={part('text')}>{texts.signInForCard}</p> : null}
      <Outcome status={status} error={change.error} {...(classNames && { classNames })} />
    </>
  )
}

function CardFace(
  props: Styled & { readonly card: CardRecord; readonly state: CardRecord['state'] },
): ReactNode {
  const { card, state, classNames } = props
  const { texts } = useWords()
  const part = useParts(classNames)
  const { brand, last4, expMonth, expYear } = card
  return (
    <div className={part('card', `cs-card-${state.toLowerCase()}`)}>
      <span>{brand === undefined ? texts.card : brand[0] + brand.slice(1).toLowerCase()}</span>
      <span className={part('field')}>{texts.cardStates[state]}</span>
      {last4 === undefined ? null : (
        <span className={part('amount')}>
          <span aria-hidden="true">{`•••• ${last4}`}</span>
          <span className="cs-unseen">{texts.cardEndingIn(last4)}</span>
        </span>
      )}
      {expMonth === undefined || expYear === undefined ? null : (
        <span className={part('field')}>
          {texts.expires(`${String(expMonth).padStart(2, '0')}/${String(expYear).slice(-2)}`)}
        </span>
      )}
    </div>
  )
}
