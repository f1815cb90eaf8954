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

/** A credential that signs in with a code. */
export type CodeCredential = Credential & { readonly type: 'EMAIL_OTP' | 'SMS_OTP' }

const DIGITS = 6
const WRONG_CODE = { UNAUTHORIZED: 'wrongCode' } as const

/**
 * Requests a code, verifies the typed code, and creates the session. After a typing error the same code can
 * be entered again, until a new one is requested.
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
  const { code, setCode, statusText: status, sending, checking } = useCode(credential, onSession, input)
  useOnce(() => {
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
      <Outcome status={status} {...styled} />
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

/** Sends and verifies codes. Focuses the field after a failure. */
function useCode(
  credential: CodeCredential,
  onSession: (session: Session) => Promise<void>,
  input: RefObject<HTMLInputElement | null>,
) {
  const { client, wallet } = useCountersign()
  const [code, setCode] = useState('')
  const [bundle, setBundle] = useState<string>()
  const [status, setStatus] = useState<string>()
  const clearInput = () => {
    setCode('')
    input.current?.focus()
  }
  const sending = useAction(async (text: string) => {
    checking.clear()
    const { body } = await client.call('credential_challenge', { params: { id: credential.id } })
    if (body.type === 'PASSKEY') return
    setBundle(body.otpEncryptionTargetBundle)
    setStatus(text)
    clearInput()
  })
  const checking = useAction(async (typed: string) => {
    if (bundle === undefined || typed.length < DIGITS) return input.current?.focus()
    const method = credential.type === 'EMAIL_OTP' ? wallet.email : wallet.sms
    const options = { code: typed, credentialId: credential.id, otpEncryptionTargetBundle: bundle }
    try {
      await onSession(await method.signIn(options))
    } catch (error) {
      clearInput()
      throw error
    }
  })
  return { code, setCode, statusText: status, sending, checking }
}

/** A single input, drawn as one box per digit. */
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

/** Runs an effect once, although React runs effects twice in development. */
function useOnce(act: () => void): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    act()
  })
}
