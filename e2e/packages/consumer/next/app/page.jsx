'use client'

import { Balances, ConfirmPayment, CountersignProvider, SignIn } from '@countersign/sdk/react'
import { DeviceKey } from '@countersign/sdk/wallet'
import '@countersign/sdk/react/styles.css'
import { useState } from 'react'

export default function Page() {
  const [publicKey, setPublicKey] = useState('')
  const make = async () => setPublicKey((await DeviceKey.generate()).publicKey)
  return (
    <>
      <button type="button" onClick={make}>
        {publicKey || 'Make a key'}
      </button>
      <CountersignProvider
        baseUrl="http://127.0.0.1:8787/2025-10-13"
        accessToken={async () => ''}
        quorumPublicKey={`04${'11'.repeat(64)}`}
        customerId="Customer:1"
        accountId="InternalAccount:1"
      >
        <SignIn />
        <Balances />
        <ConfirmPayment />
      </CountersignProvider>
    </>
  )
}
