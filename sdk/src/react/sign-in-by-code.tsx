'use client'

import { OTPInput, REGEXP_ONLY_DIGITS } from 'input-otp'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Session } from '../session.ts'
import type { Credential } from '../wallet-access.ts'
import { useCountersign } from './context.ts'
import { Button, Outcome, type Styled, useParts } from './parts.tsx'
import { useAction } from './use-action.ts'
import { useWords } from './use-words.ts'

/** A credential whose sign-in is a code. */
export type CodeCredential = Credential & { readonly type: 'EMAIL_OTP' | 'SMS_OTP' }

const DIGITS = 6
const WRONG_CODE = { UNAUTHORIZED: 'wrongCode' } as const

/**
 * Has a code sent, takes it, and makes the session. A wrong code can be typed again: it is the same code until another
 * one is sent.
 */
export function SignInByCode(
  props: Styled & {
    readonly credential: CodeCredential
    readonly onSession: (session: Session) => Promise<void>
    readonly onBack: () => void
  },
): ReactNode {
  const { credential, onSession, onBack, classNames } = props
  const { client, wallet } = useCountersign()
  const { texts } = useWords()
  const part = useParts(classNames)
  const [code, setCode] = useState('')
  const [bundle, setBundle] = useState<string>()
  const [said, setSaid] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const id = useId()

  const sending = useAction(async (text: string) => {
    checking.clear()
    const { body } = await client.call('credential_challenge', { params: { id: credential.id } })
    if (body.type === 'PASSKEY') return
    setBundle(body.otpEncryptionTargetBundle)
    setSaid(text)
    setCode('')
    input.current?.focus()
  })
  const checking = useAction(async (typed: string) => {
    if (bundle === undefined || typed.length < DIGITS) return
    const ways = credential.type === 'EMAIL_OTP' ? wallet.email : wallet.sms
    const options = { code: typed, credentialId: credential.id, otpEncryptionTargetBundle: bundle }
    try {
      await onSession(await ways.signIn(options))
    } catch (error) {
      setCode('')
      input.current?.focus()
      throw error
    }
  })
  useFirst(() => {
    input.current?.focus()
    void sending.run(texts.codeSentTo(credential.nickname))
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void checking.run(code)
  }
  const styled = classNames && { classNames }
  const isBusy = sending.isBusy || checking.isBusy
  return (
    <form className={part('code')} onSubmit={submit}>
      <Outcome status={said} {...styled} />
      <label className={part('label')} htmlFor={id}>
        {texts.code}
      </label>
      <OTPInput
        id={id}
        ref={input}
        maxLength={DIGITS}
        pattern={REGEXP_ONLY_DIGITS}
        inputMode="numeric"
        autoComplete="one-time-code"
        value={code}
        onChange={setCode}
        onComplete={(typed: string) => void checking.run(typed)}
        aria-invalid={checking.error !== undefined}
        render={({ slots }) => (
          <div className="cs-slots" aria-hidden="true">
            {slots.map(({ char, isActive }, index) => (
              <span key={index} className={part('slot', isActive ? 'cs-active' : undefined)}>
                {char}
              </span>
            ))}
          </div>
        )}
      />
      <Outcome error={checking.error ?? sending.error} sentences={WRONG_CODE} {...styled} />
      <div className={part('actions')}>
        <Button type="submit" isPrimary isBusy={isBusy} {...styled}>
          {texts.signIn}
        </Button>
        <Button
          isBusy={isBusy}
          onClick={() => void sending.run(texts.anotherCodeSent(credential.nickname))}
          {...styled}
        >
          {texts.anotherCode}
        </Button>
        <Button onClick={onBack} {...styled}>
          {texts.otherWay}
        </Button>
      </div>
    </form>
  )
}

/** Does something once, though React runs effects twice in development. */
function useFirst(act: () => void): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    act()
  })
}
