import { Button, Outcome, Section, useAction, useCountersign } from '@countersign/sdk/react'
import { useState } from 'react'
import { texts } from './texts.ts'

/** Sandbox replacements for the outside world: the inbox of the customer, and a bank that sends money. */
export function Outside() {
  const { refresh } = useCountersign()
  const [status, setStatus] = useState<string>()
  const read = useAction(async () => {
    const { message } = await ask('/sandbox/inbox')
    setStatus(message ?? texts.emptyInbox)
  })
  const send = useAction(async () => {
    await ask('/sandbox/deposit')
    setStatus(texts.deposited)
    refresh()
  })
  return (
    <Section name="outside" title={texts.sandbox}>
      <p className="cs-text">{texts.sandboxAbout}</p>
      <div className="cs-actions">
        <Button isBusy={read.isBusy} onClick={() => void read.run()}>
          {texts.openInbox}
        </Button>
        <Button isBusy={send.isBusy} onClick={() => void send.run()}>
          {texts.deposit}
        </Button>
      </div>
      <Outcome status={status} error={read.error ?? send.error} />
    </Section>
  )
}

async function ask(path: string): Promise<{ readonly message?: string }> {
  const response = await fetch(path, { method: 'POST', body: '{}' })
  if (!response.ok) throw new Error(path)
  return response.json()
}
