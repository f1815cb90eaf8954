import sdk = require('@countersign/sdk')
import wallet = require('@countersign/sdk/wallet')

export const classes: readonly [typeof sdk.Countersign, typeof wallet.DeviceKey] = [
  sdk.Countersign,
  wallet.DeviceKey,
]
