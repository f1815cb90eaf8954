'use client'

import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { OidcTokenSource } from '../wallet/identity-tokens.ts'
import type { Session } from '../wallet/session.ts'
import type { Credential } from '../wallet/wallet-access.ts'
import type { Styled } from './class-names.ts'
import { useCountersign } from './context.ts'
import { Button, Outcome, ResourceView, Section, useParts } from './parts.tsx'
import { type CodeCredential, SignInByCode } from './sign-in-by-code.tsx'
import type { Texts } from './texts/texts.ts'
import { useAction } from './use-action.ts'
import { useResource } from './use-resource.ts'
import { useSession } from './use-session.ts'
import { useWords } from './use-words.ts'

export interface SignInProps extends Styled {
  /**
   * Requests a new token from the identity provider with this `nonce`. If omitted, signing in with an
   * identity is not offered.
   */
  readonly oidcToken?: OidcTokenSource
  /** The identity provider's name, as customers know it. */
  readonly identityProvider?: string
  readonly onSignedIn?: (session: Session) => void
  /** Shown while signed in, for example `AddPasskey`. */
  readonly children?: ReactNode
}

/**
 * Signs in with one of the wallet's credentials: a code by e-mail or SMS, a passkey, or an identity. While
 * signed in, shows when the session expires and a button to sign out.
 */
export function SignIn(props: SignInProps): ReactNode {
  const { status, why } = useSession()
  const { texts } = useWords()
  const styled = props.classNames && { classNames: props.classNames }
  // True after the customer has signed in or out here. The focus moves only then.
  const [isFresh, setFresh] = useState(false)
  const reasonText = why === 'ended' ? texts.sessionEnded : why === 'signed-out' ? texts.signedOut : undefined
  return (
    <Section name="sign-in" title={status === 'signed-in' ? texts.signedIn : texts.signIn} {...styled}>
      {status === 'signed-in' ? (
        <>
          <SignedIn takesFocus={isFresh} onSignedOut={() => setFresh(true)} {...styled} />
          {props.children}
        </>
      ) : null}
      {status === 'signed-out' ? (
        <>
          <Outcome status={reasonText} {...styled} />
          <Ways {...props} takesFocus={isFresh} onFresh={() => setFresh(true)} />
        </>
      ) : null}
      {status === 'loading' ? <p>{texts.loading}</p> : null}
    </Section>
  )
}

function SignedIn(
  props: Styled & { readonly takesFocus: boolean; readonly onSignedOut: () => void },
): ReactNode {
  const { takesFocus, onSignedOut, classNames } = props
  const { session, signOut } = useSession()
  const { texts, hour } = useWords()
  const signingOut = useAction(async () => {
    await signOut()
    onSignedOut()
  })
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (takesFocus) button.current?.focus()
  }, [takesFocus])
  const styled = classNames && { classNames }
  return (
    <>
      <Outcome
        status={session && texts.signedInUntil(hour(session.expiresAt))}
        error={signingOut.error}
        {...styled}
      />
      <Button isBusy={signingOut.isBusy} buttonRef={button} onClick={() => void signingOut.run()} {...styled}>
        {texts.signOut}
      </Button>
    </>
  )
}

type WaysProps = SignInProps & { readonly takesFocus: boolean; readonly onFresh: () => void }

/** Lets the customer choose a credential, then signs in with it. */
function Ways(props: WaysProps): ReactNode {
  const { oidcToken, identityProvider, onSignedIn, onFresh, takesFocus, classNames } = props
  const { wallet, start } = useCountersign()
  const { texts } = useWords()
  const part = useParts(classNames)
  const credentials = useResource(`credentials ${wallet.accountId}`, () => wallet.credentials())
  const [byCode, setByCode] = useState<CodeCredential>()
  const [isReturning, setReturning] = useState(false)
  const startSession = async (session: Session) => {
    onFresh()
    await start(session)
    onSignedIn?.(session)
  }
  const signingIn = useAction(async (credential: Credential) => {
    const { id: credentialId, type } = credential
    if (type === 'PASSKEY') await startSession(await wallet.passkey.signIn({ credentialId }))
    else if (type === 'OAUTH' && oidcToken)
      await startSession(await wallet.oauth.signIn({ credentialId, oidcToken }))
  })
  const styled = classNames && { classNames }
  if (byCode)
    return (
      <SignInByCode
        credential={byCode}
        onSession={startSession}
        onBack={() => {
          setByCode(undefined)
          setReturning(true)
        }}
        {...styled}
      />
    )
  const isOffered = ({ type }: Credential) => type !== 'OAUTH' || oidcToken !== undefined
  const choose = (credential: Credential) => {
    signingIn.clear()
    if (isByCode(credential)) setByCode(credential)
    else void signingIn.run(credential)
  }
  return (
    <ResourceView resource={credentials} {...styled}>
      {(list) => (
        <>
          {list.some(isOffered) ? null : <p className={part('text')}>{texts.noWayToSignIn}</p>}
          <CredentialButtons
            credentials={list.filter(isOffered)}
            labelOf={(credential) => formatLabel(credential, identityProvider ?? texts.anIdentity, texts)}
            isBusy={signingIn.isBusy}
            takesFocus={takesFocus || isReturning}
            onChoose={choose}
            {...styled}
          />
          <Outcome error={signingIn.error} {...styled} />
        </>
      )}
    </ResourceView>
  )
}

/** The button label of a credential. */
function formatLabel({ type, nickname }: Credential, provider: string, texts: Texts): string {
  if (type === 'EMAIL_OTP') return texts.sendCodeTo(nickname)
  if (type === 'SMS_OTP') return texts.textCodeTo(nickname)
  return type === 'PASSKEY' ? texts.withPasskey(nickname) : texts.withIdentity(provider)
}

function CredentialButtons(
  props: Styled & {
    readonly credentials: readonly Credential[]
    readonly labelOf: (credential: Credential) => string
    readonly isBusy: boolean
    readonly takesFocus: boolean
    readonly onChoose: (credential: Credential) => void
  },
): ReactNode {
  const { credentials, labelOf: getLabel, isBusy, takesFocus, onChoose, classNames } = props
  const part = useParts(classNames)
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (takesFocus) first.current?.focus()
  }, [takesFocus])
  return (
    <div className={part('actions', 'cs-choice')}>
      {credentials.map((credential, index) => (
        <Button
          key={credential.id}
          isPrimary={index === 0}
          isBusy={isBusy}
          onClick={() => onChoose(credential)}
          {...(index === 0 && { buttonRef: first })}
          {...(classNames && { classNames })}
        >
          {getLabel(credential)}
        </Button>
      ))}
    </div>
  )
}

function isByCode(credential: Credential): credential is CodeCredential {
  return credential.type === 'EMAIL_OTP' || credential.type === 'SMS_OTP'
}
