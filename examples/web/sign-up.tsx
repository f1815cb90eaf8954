import { Field, Form, KitLook, Section } from '@countersign/sdk/react'
import { useState } from 'react'
import { language, texts } from './texts.ts'

/**
 * The sign-up form of this app, in the look of the wallet kit. It signs the user in to the app; the wallet
 * sign-in comes later.
 */
export function SignUp({ onDone }: { readonly onDone: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const [status, setStatus] = useState<string>()
  const signUp = async (form: FormData) => {
    setBusy(true)
    const user = Object.fromEntries(form)
    const response = await fetch('/sign-up', { method: 'POST', body: JSON.stringify(user) })
    setBusy(false)
    if (response.ok) onDone()
    else setStatus(texts.notSignedUp)
  }
  return (
    <KitLook language={language}>
      <Section name="sign-up" title={texts.signUp}>
        <Form
          submitLabel={texts.signUp}
          isBusy={isBusy}
          status={status}
          onSubmit={(form) => void signUp(form)}
        >
          <Field name="fullName" label={texts.name} autoComplete="name" />
          <Field name="email" label={texts.email} type="email" autoComplete="email" />
        </Form>
      </Section>
    </KitLook>
  )
}
