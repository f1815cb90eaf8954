export type {
  AgentCallName,
  Answer,
  Arguments,
  BodyInput,
  Caller,
  CallOptions,
  FileInput,
  Input,
  ItemOf,
  PagedName,
  QueryInput,
  SignedName,
} from './calls.ts'
export { Client, type ClientOptions } from './client.ts'
export { Countersign } from './countersign.ts'
export type { DelegatedKey } from './delegated-keys.ts'
export { ConnectionError, CountersignError, type Refusal } from './errors.ts'
export { parseJson, toJson } from './json.ts'
export { paginate } from './paginate.ts'
export {
  type ActionReference,
  type AgentRecord,
  type DeviceCode,
  SignatureRequiredError,
} from './platform-agents.ts'
export { type CardPurchase, type CardRecord, NotIssuedError } from './platform-cards.ts'
export { type AgentAction, type DecidedAction, NotDecidedError } from './wait-for-decision.ts'
export { type CustomerImport, type ImportWaitOptions, StillImportingError } from './wait-for-import.ts'
export { StillUnderWayError, type Transaction } from './wait-for-transaction.ts'
export { type Waited, type WaitOptions, waitUntil } from './wait-until.ts'
