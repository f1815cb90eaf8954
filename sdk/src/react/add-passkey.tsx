'use client'

import { type ReactNode, useState } from 'react'
import { systemRandom } from '../client/idempotency-key.ts'
import { hexFromBytes } from '../crypto/bytes.ts'
import type { Styled } from './class-names.ts'
import { useWallet } from './context.ts'
import { Button, Outcome, useParts } from './parts.tsx'
import { useAction } from './use-action.ts'
import { useSession } from './use-session.ts'
import { useWords } from './use-words.ts'

export interface AddPasskeyProps extends Styled {
  /** The name that the customer will see for this passkey, such as the name of the device. */
  readonly nickname: string
  /**
   * Returns a random string that your backend issued for this registration, if the backend validates it. By
   * default a string is generated in the browser, which is right for pages that call the server directly. The
   * session signs the registration in either case.
   */
  readonly challenge?: () => string | Promise<string>
}

/**
 * A button that registers a passkey on this device as another way to sign in. Renders nothing unless a
 * customer is signed in.
 */
export function AddPasskey({
  nickname,
  challenge = createRandomText,
  classNames,
}: AddPasskeyProps): ReactNode {
  const { session } = useSession()
  const wallet = useWallet()
  const { texts } = useWords()
  const part = useParts(classNames)
  const [status, setStatus] = useState<string>()
  const adding = useAction(async () => {
    if (!session) return
    setStatus(undefined)
    await wallet.passkey.register({ nickname, challenge: await challenge(), session })
    setStatus(texts.passkeyAdded)
  })
  if (!session) return null
  const styled = classNames && { classNames }
  return (
    <div className={part('actions', 'cs-add-passkey')}>
      <Button isBusy={adding.isBusy} onClick={() => void adding.run()} {...styled}>
        {texts.addPasskey}
      </Button>
      <Outcome status={status} error={adding.error} {...styled} />
    </div>
  )
}

function createRandomText(): string {
  return hexFromBytes(systemRandom(new Uint8Array(32)))
}
