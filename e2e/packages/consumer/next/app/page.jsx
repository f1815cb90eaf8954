'use client'

import { DeviceKey } from '@countersign/sdk/wallet'
import { useState } from 'react'

export default function Page() {
  const [publicKey, setPublicKey] = useState('')
  const make = async () => setPublicKey((await DeviceKey.generate()).publicKey)
  return (
    <button type="button" onClick={make}>
      {publicKey || 'Make a key'}
    </button>
  )
}
