'use client'

import {
  Balances,
  ConfirmPayment,
  CountersignProvider,
  Receive,
  SignIn,
  Transactions,
} from '@countersign/sdk/react'

interface Props {
  readonly baseUrl: string
  readonly quorumPublicKey: string
  readonly customerId: string
  readonly accountId: string
}

async function accessToken(): Promise<string> {
  const response = await fetch('/api/token', { method: 'POST' })
  const { accessToken }: { accessToken: string } = await response.json()
  return accessToken
}

export function WalletPage(props: Props) {
  return (
    <CountersignProvider {...props} accessToken={accessToken}>
      <SignIn />
      <Balances />
      <Transactions />
      <Receive />
      <ConfirmPayment />
    </CountersignProvider>
  )
}
