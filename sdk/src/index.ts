export type {
  AgentCallName,
  Answer,
  Arguments,
  BodyInput,
  Caller,
  CallOptions,
  EndpointName,
  ErrorOf,
  FileInput,
  Input,
  ItemOf,
  PagedName,
  QueryInput,
  SignedName,
} from './calls.ts'
export { Client, type ClientOptions } from './client.ts'
export { Countersign } from './countersign.ts'
export type { AccessToken } from './credentials.ts'
export { type CryptoPort, setCrypto } from './crypto/port.ts'
export { ConnectionError, CountersignError, isCode, type Refusal, SignatureRequiredError } from './errors.ts'
export { type FollowOptions, followEvents, type PlatformEvent } from './follow-events.ts'
export type { Nouns } from './generated/nouns.ts'
export type {
  Agent as AgentRecord,
  AgentDeviceCode as DeviceCode,
  Calls,
  ErrorCode,
} from './generated/types.ts'
export { parseJson, toJson } from './json.ts'
export type { Listing } from './listing.ts'
export { type ListOf, type NounOptions, nounsOf, type ResultOf, type SignedOptions } from './nouns.ts'
export { paginate } from './paginate.ts'
export { type CardPurchase, type CardRecord, NotIssuedError } from './wait-for-card.ts'
export { type AgentAction, type DecidedAction, NotDecidedError } from './wait-for-decision.ts'
export { type CustomerImport, type ImportWaitOptions, StillImportingError } from './wait-for-import.ts'
export { StillUnderWayError, type Transaction } from './wait-for-transaction.ts'
export { type Waited, type WaitOptions, waitUntil } from './wait-until.ts'
