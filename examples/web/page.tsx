import {
  AddPasskey,
  Balances,
  Card,
  ConfirmPayment,
  CountersignProvider,
  PayForm,
  Receive,
  SignIn,
  Transactions,
} from '@countersign/sdk/react'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Outside } from './outside.tsx'
import { SignUp } from './sign-up.tsx'
import { language, texts } from './texts.ts'
import '@countersign/sdk/react/styles.css'
import './style.css'

// Set by the bundler: the URL of the server, and the public key of its enclave.
declare const BASE_URL: string
declare const QUORUM_PUBLIC_KEY: string

async function token() {
  const response = await fetch('/token', { method: 'POST', body: '{}' })
  if (!response.ok) return undefined
  return (await response.json()) as { customerId: string; accountId: string; accessToken: string }
}

function App() {
  const [me, setMe] = useState<Awaited<ReturnType<typeof token>> | 'nobody'>()
  const look = () => void token().then((found) => setMe(found ?? 'nobody'))
  useEffect(look, [])
  if (!me) return null
  if (me === 'nobody') return <SignUp onDone={look} />
  return (
    <CountersignProvider
      baseUrl={BASE_URL}
      accessToken={async () => (await token())?.accessToken ?? ''}
      quorumPublicKey={QUORUM_PUBLIC_KEY}
      customerId={me.customerId}
      accountId={me.accountId}
      language={language}
      refreshSeconds={2}
    >
      <SignIn>
        <AddPasskey nickname={texts.thisDevice} />
      </SignIn>
      <Outside />
      <Balances hideEmpty />
      <PayForm />
      <ConfirmPayment />
      <Transactions />
      <Receive />
      <Card />
    </CountersignProvider>
  )
}

document.documentElement.lang = language
document.title = texts.title
createRoot(document.querySelector('main')!).render(
  <StrictMode>
    <h1>{texts.title}</h1>
    <App />
  </StrictMode>,
)
