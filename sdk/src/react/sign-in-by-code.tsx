'use client'

import { OTPInput, REGEXP_ONLY_DIGITS } from 'input-otp'
import { type FormEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import type { Session } from '../wallet/session.ts'
import type { Credential } from '../wallet/wallet-access.ts'
import type { Styled } from './class-names.ts'
import { useCountersign } from './context.ts'
import { Button, Outcome, useParts } from './parts.tsx'
import { useAction } from './use-action.ts'
import { useWords } from './use-words.ts'

/** A credential whose sign-in is a code. */
export type CodeCredential = Credential & { readonly type: 'EMAIL_OTP' | 'SMS_OTP' }

const DIGITS = 6
const WRONG_CODE = { UNAUTHORIZED: 'wrongCode' } as const

/**
 * Requests a code, checks the input, and creates the session. After a wrong input the same code can be typed
 * again, until another one is sent.
 */
export function SignInByCode(
  props: Styled & {
    readonly credential: CodeCredential
    readonly onSession: (session: Session) => Promise<void>
    readonly onBack: () => void
  },
): ReactNode {
  const { credential, onSession, onBack, classNames } = props
  const { texts } = useWords()
  const part = useParts(classNames)
  const input = useRef<HTMLInputElement>(null)
  const { code, setCode, said, sending, checking } = useCode(credential, onSession, input)
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
      <CodeField
        input={input}
        code={code}
        isWrong={checking.error !== undefined}
        onChange={setCode}
        onComplete={(typed) => void checking.run(typed)}
        {...styled}
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

/** Sends a code and checks the input. Either focuses the field when it fails. */
function useCode(
  credential: CodeCredential,
  onSession: (session: Session) => Promise<void>,
  input: RefObject<HTMLInputElement | null>,
) {
  const { client, wallet } = useCountersign()
  const [code, setCode] = useState('')
  const [bundle, setBundle] = useState<string>()
  const [said, setSaid] = useState<string>()
  const again = () => {
    setCode('')
    input.current?.focus()
  }
  const sending = useAction(async (text: string) => {
    checking.clear()
    const { body } = await client.call('credential_challenge', { params: { id: credential.id } })
    if (body.type === 'PASSKEY') return
    setBundle(body.otpEncryptionTargetBundle)
    setSaid(text)
    again()
  })
  const checking = useAction(async (typed: string) => {
    if (bundle === undefined || typed.length < DIGITS) return input.current?.focus()
    const ways = credential.type === 'EMAIL_OTP' ? wallet.email : wallet.sms
    const options = { code: typed, credentialId: credential.id, otpEncryptionTargetBundle: bundle }
    try {
      await onSession(await ways.signIn(options))
    } catch (error) {
      again()
      throw error
    }
  })
  return { code, setCode, said, sending, checking }
}

/** One field, drawn as a place for each digit. */
function CodeField(
  props: Styled & {
    readonly input: RefObject<HTMLInputElement | null>
    readonly code: string
    readonly isWrong: boolean
    readonly onChange: (code: string) => void
    readonly onComplete: (code: string) => void
  },
): ReactNode {
  const { input, code, isWrong, onChange, onComplete, classNames } = props
  const { texts } = useWords()
  const part = useParts(classNames)
  const id = useId()
  return (
    <>
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
        onChange={onChange}
        onComplete={onComplete}
        aria-invalid={isWrong}
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
    </>
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
