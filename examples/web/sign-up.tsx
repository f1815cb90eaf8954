import { type FormEvent, useState } from 'react'

/** A form of this app: a new user, who is signed in to it at once. */
export function SignUp({ onDone }: { readonly onDone: () => void }) {
  const [said, setSaid] = useState('')
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const user = Object.fromEntries(new FormData(event.currentTarget))
    const response = await fetch('/sign-up', { method: 'POST', body: JSON.stringify(user) })
    if (response.ok) onDone()
    else setSaid(((await response.json()) as { message: string }).message)
  }
  return (
    <form className="cs-section" onSubmit={submit}>
      <h2 className="cs-title">Sign up</h2>
      <label htmlFor="full-name">Your name</label>
      <input id="full-name" name="fullName" autoComplete="name" required />
      <label htmlFor="email">Your e-mail address</label>
      <input id="email" name="email" type="email" autoComplete="email" required />
      <p role="alert">{said}</p>
      <button type="submit" className="cs-button cs-primary">
        Sign up
      </button>
    </form>
  )
}
