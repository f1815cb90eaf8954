export type {
  AgentCallName,
  Answer,
  AnyCaller,
  AnyInput,
  Arguments,
  BodyInput,
  Caller,
  CallOptions,
  EndpointName,
  ErrorOf,
  Input,
  ItemOf,
  PagedName,
  QueryInput,
  SignedName,
} from './client/calls.ts'
export { Client, type ClientOptions } from './client/client.ts'
export type { AccessToken } from './client/credentials.ts'
export {
  ConnectionError,
  CountersignError,
  isCode,
  type Refusal,
  SignatureRequiredError,
} from './client/errors.ts'
export { type FollowOptions, followEvents, type PlatformEvent } from './client/follow-events.ts'
export { type PageOf, paginate } from './client/paginate.ts'
export type { FileInput } from './client/upload-form.ts'
export { Countersign, type StoredOptions } from './countersign.ts'
export {
  type Credentials,
  CredentialsError,
  type CredentialsSource,
  dataDirectoryFile,
  findCredentials,
  findProfile,
  type Profiles,
  profilesFile,
  readProfiles,
} from './credentials/stored-credentials.ts'
export { type CryptoPort, setCrypto } from './crypto/port.ts'
export type { Nouns } from './generated/nouns.ts'
export type {
  Agent as AgentRecord,
  AgentDeviceCode as DeviceCode,
  Calls,
  ErrorCode,
} from './generated/types.ts'
export { parseJson, toJson } from './json/json.ts'
export type { Listing } from './nouns/listing.ts'
export type { ListOf, NounOptions, ResultOf, SignedOptions } from './nouns/noun-types.ts'
export { nounsOf } from './nouns/nouns.ts'
export { type CardPurchase, type CardRecord, NotIssuedError } from './waiting/wait-for-card.ts'
export { type AgentAction, type DecidedAction, NotDecidedError } from './waiting/wait-for-decision.ts'
export {
  type CustomerImport,
  type ImportWaitOptions,
  StillImportingError,
} from './waiting/wait-for-import.ts'
export {
  type PayoutBatch,
  PayoutBatchInProgressError,
  type PayoutWaitOptions,
} from './waiting/wait-for-payout-batch.ts'
export { StillUnderWayError, type Transaction } from './waiting/wait-for-transaction.ts'
export { type Waited, type WaitOptions, waitUntil } from './waiting/wait-until.ts'
