import { useAction, useCountersign } from '@countersign/sdk/react'
import { useState } from 'react'

/** What the sandbox has in place of the world outside: the customer's letter box, and a bank that sends money. */
export function Outside() {
  const { refresh } = useCountersign()
  const [said, setSaid] = useState('')
  const ask = async (path: string) => {
    const response = await fetch(path, { method: 'POST', body: '{}' })
    setSaid(((await response.json()) as { message: string }).message)
    refresh()
  }
  const read = useAction(() => ask('/sandbox/letter-box'))
  const send = useAction(() => ask('/sandbox/deposit'))
  return (
    <aside className="outside" aria-labelledby="outside">
      <h2 id="outside">Only in the sandbox</h2>
      <p>
        No e-mail leaves the sandbox: the code is 000000, or what the letter box says. No bank sends money
        here: the button does.
      </p>
      <div className="cs-actions">
        <button type="button" className="cs-button" onClick={() => void read.run()}>
          Look into the letter box
        </button>
        <button type="button" className="cs-button" onClick={() => void send.run()}>
          Have 250 USDB sent to the wallet
        </button>
      </div>
      <p role="status">{said}</p>
    </aside>
  )
}
