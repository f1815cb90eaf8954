export { Wallet } from '../wallet.ts'
export { DeviceKey } from '../device-key.ts'
export { RecipientKey } from '../recipient-key.ts'
export { Session } from '../session.ts'
