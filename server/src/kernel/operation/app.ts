import { randomBytes, randomFillSync } from 'node:crypto'
import type { Permission } from '@countersign/contract/core/endpoint'
import type { IdKind, InternalIdKind } from '@countersign/contract/core/ids'
import type { WireSpelling } from '@countersign/contract/core/wire-word'
import type { WebhookFault } from '@countersign/contract/sandbox/faults'
import type { Logger } from 'pino'
import { v7 } from 'uuid'
import type { KeySource } from '../../base/crypto/oidc/keys.ts'
import type { FeeSchedule } from '../../base/pricing/fees.ts'
import type { Config } from '../../base/settings/config.ts'
import type { MessageRules } from '../../base/settings/message-rules.ts'
import type { PositionLimits } from '../../base/settings/position-limits.ts'
import type { KnownUmaProvider } from '../../base/settings/uma-providers.ts'
import type { CommitResult, Committer } from '../../storage/commit/committer.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { idOfKind } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { Lookup, RowByKey } from '../../storage/read/lookup.ts'
import type { Read } from '../../storage/read/read.ts'
import type { Replica } from '../../storage/read/replica.ts'
import type { BarePlatformRow, PlatformRow } from '../../storage/rows/tables.ts'
import type { CapacityGate } from '../ports/capacity-gate.ts'
import type { CardProcessor } from '../ports/card-processor.ts'
import type { Delivery } from '../ports/delivery.ts'
import type { DepositDetails } from '../ports/deposit-details.ts'
import type { Enclave, OperationEnclave } from '../ports/enclave.ts'
import type { EventStreams } from '../ports/event-streams.ts'
import type { FailedAttempts } from '../ports/failed-attempts.ts'
import type { FileStore } from '../ports/file-store.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { NetworkFees } from '../ports/network-fees.ts'
import type { Rails } from '../ports/rail.ts'
import type { RateProvider } from '../ports/rates.ts'
import type { WaitingRequests } from '../ports/request-log.ts'
import type { Screening } from '../ports/screening.ts'
import type { StablecoinProviders } from '../ports/stablecoin-provider.ts'
import type { Tracing } from '../ports/tracing.ts'
import type { Verifier } from '../ports/verifier.ts'
import type { Workers } from './background.ts'
import { KnownRows } from './known-rows.ts'
import type { Turns } from './turns.ts'

/** The service, which lives as long as the process. */
export interface App {
  readonly config: Config
  /** How the names with the wire word are spelled, by `COUNTERSIGN_WIRE_WORD`. */
  readonly wire: WireSpelling
  readonly db: Database
  readonly read: Read
  /** A standby for lists and texts, where the operator has one. */
  readonly replica: Replica | undefined
  /** Rows by their keys; those that are asked for at the same time share a statement. */
  readonly lookup: Lookup
  /** A platform found by credentials or due work, with its config, which is read only if it has changed. */
  readonly withConfig: WithConfig
  readonly committer: Committer
  readonly enclave: Enclave
  readonly log: Logger
  readonly metrics: Metrics
  /** Undefined where no traces are made. */
  readonly tracing: Tracing | undefined
  /** Real time. Operations see their platform's time, as `Op.now`. */
  readonly clock: () => Date
  /** Commits the write set of an operation. Work that it makes due starts at once. */
  commit(op: Op, writes: readonly Write[]): Promise<CommitResult>
  /** The queues of this process for operations that met on the same records. */
  readonly turns: Turns
  /** Lets in the operations of platforms, so that none takes the others' room. */
  readonly gate: CapacityGate
  /** Checks for due work now. */
  wakeJobs(): void
  /** The work of this process next to requests and jobs. */
  readonly workers: Workers
  /** Sandbox: moves a platform's clock forward and runs the work that falls due on the way. Returns the new time. */
  advanceClock(platformId: string, target: Date): Promise<Date>
  /** The source of exchange rates. Production has none without `RATES_URL`. */
  readonly rates: RateProvider | undefined
  /** The rails by which money leaves and comes in. Production has those of `RAILS_FILE`. */
  readonly rails: Rails
  /** What networks charge. Production has nobody yet who knows. */
  readonly networkFees: NetworkFees | undefined
  /** Who checks credentials of stablecoin providers. Production has nobody without `BRALE_ENVIRONMENT`. */
  readonly stablecoinProviders: StablecoinProviders | undefined
  /** Who knows addresses that must not be paid. Production has nobody without `SCREENING_FILE` or `SCREENING_URL`. */
  readonly screening: Screening | undefined
  /** Made-up accounts for incoming payments. Production has those that its rails open. */
  readonly depositDetails: DepositDetails | undefined
  /** The card processor. Production has none yet. */
  readonly cardProcessor: CardProcessor | undefined
  /** The provider that decides about customers. Without one, people decide. */
  readonly verifier: Verifier | undefined
  /** The public address of this server, without a path. */
  readonly origin: () => string
  /** Checks identity tokens against their issuers' published keys. */
  readonly identityKeys: KeySource
  /** The delivery of messages to people. Sandbox has none. */
  readonly delivery: Delivery
  /** Where sealed files are. */
  readonly fileStore: FileStore
  /** The folder of this process for files that are on their way to the store. */
  readonly spool: { readonly folder: string }
  /** Failed attempts at secrets, by caller, in this process. */
  readonly failedAttempts: FailedAttempts
  /** The streams of events that this process keeps open. */
  readonly eventStreams: EventStreams
  readonly requestLog: WaitingRequests
}

/**
 * The actor of an operation: an API token of the platform's backend, an agent, a customer with a token, a member of the platform,
 * somebody who is about to sign in as one, the holder of a device code, the processor of one of its cards, the verification provider, one of its rails, the operator of the server, the platform's own due work,
 * whoever has a link to a file, or a customer on its verification page.
 */
export type Actor =
  | {
      readonly kind: 'token'
      readonly tokenId: string
      readonly tokenName: string
      readonly permissions: readonly Permission[]
    }
  | {
      readonly kind: 'agent'
      readonly agentId: string
      readonly agentName: string
      readonly customerId: string
    }
  | {
      readonly kind: 'customer'
      readonly customerTokenId: string
      readonly customerId: string
      readonly permissions: readonly Permission[]
    }
  | {
      readonly kind: 'member'
      readonly memberId: string
      readonly memberName: string
      readonly memberSessionId: string
      readonly permissions: readonly Permission[]
    }
  | { readonly kind: 'visitor'; readonly memberId: string }
  | { readonly kind: 'deviceCode' }
  | { readonly kind: 'cardProcessor'; readonly cardId: string }
  | { readonly kind: 'verificationProvider' }
  | { readonly kind: 'rail'; readonly rail: string }
  | { readonly kind: 'operator' }
  | { readonly kind: 'job'; readonly jobId: string }
  | { readonly kind: 'fileLink'; readonly linkId: string }
  | { readonly kind: 'kycLink'; readonly linkId: string; readonly customerId: string }

/** Where a request comes from. */
export interface RequestOrigin {
  readonly address: string
  /** What its program calls itself, at most 500 characters. */
  readonly userAgent: string | undefined
  /** The address of this server without a path, as the caller wrote it: `https://pay.example`. PUBLIC_URL, where it is set. */
  readonly ownOrigin: string
}

/** One operation. Its time, randomness and identity come from here, and it sees the data of one platform only. */
export interface Op {
  /** The time of the platform's own clock, fixed for the operation. */
  readonly now: Date
  readonly platform: PlatformRow
  readonly actor: Actor
  /** Undefined for what no request does. */
  readonly from: RequestOrigin | undefined
  /** Sandbox: what goes wrong with the webhooks of its events, where the call asked for it. */
  readonly webhookFault?: WebhookFault
  readonly mode: Config['mode']
  /** See `App.wire`. */
  readonly wire: WireSpelling
  readonly read: Read
  /** The rows that `find` has found. */
  readonly known: KnownRows
  /** Reads a row of this platform by its key. Concurrent reads of other operations share the statement. */
  find<Row extends { platform_id: string }>(
    of: RowByKey<Row>,
    ...key: readonly string[]
  ): Promise<Row | undefined>
  readonly db: Database
  readonly enclave: OperationEnclave
  /** A log whose lines carry the request or the job. */
  readonly log: Log
  readonly metrics: Metrics
  /** See `App.tracing`. */
  readonly tracing: Tracing | undefined
  readonly requestLog: WaitingRequests
  readonly rates: RateProvider | undefined
  /** The fees of payments, by corridor. */
  readonly fees: FeeSchedule
  /** How far the platform's position may be short, by currency. Undefined where the operator limits none. */
  readonly positionLimits: PositionLimits | undefined
  /** The host of the sandbox's own UMA receivers. */
  readonly sandboxUmaDomain: string
  /** The UMA providers that the server knows, beside the platform itself. Undefined where the operator named none. */
  readonly umaProviders: readonly KnownUmaProvider[] | undefined
  readonly rails: Rails
  readonly networkFees: NetworkFees | undefined
  readonly stablecoinProviders: StablecoinProviders | undefined
  readonly screening: Screening | undefined
  readonly depositDetails: DepositDetails | undefined
  readonly cardProcessor: CardProcessor | undefined
  readonly verifier: Verifier | undefined
  /** The public address of this server, without a path. */
  readonly origin: () => string
  /** Checks identity tokens against their issuers' published keys. */
  readonly identityKeys: KeySource
  readonly delivery: Delivery
  /** Undefined in sandbox, which sends nothing. */
  readonly messageRules: MessageRules | undefined
  /** Where sealed files are; `openStoredFile` of `stored-files/` opens them. */
  readonly fileStore: FileStore
  /** How long the documents of a deleted customer are kept. */
  readonly documentRetentionDays: number
  /** For how many days an answer is given again to who repeats a call under its `Idempotency-Key`. */
  readonly keptAnswerDays: number
  /** How long what identifies a deleted customer is kept, whatever is asked. */
  readonly personalDataDays: number
  /** Failed attempts at secrets, in this process. */
  readonly failedAttempts: FailedAttempts
  /** The streams of events in this process. */
  readonly eventStreams: EventStreams
  /** Sandbox: moves this platform's clock forward, in transactions of its own. */
  advanceClock(target: Date): Promise<Date>
  /** A new id, `<Kind>:<UUIDv7>`, whose last byte is the number of the kind. */
  newId(kind: IdKind | InternalIdKind): string
  random(bytes: number): Uint8Array
}

/** The customer whose records are all that the actor sees; undefined where it sees those of the whole platform. */
export function ownCustomer({ actor }: Pick<Op, 'actor'>): string | undefined {
  return 'customerId' in actor ? actor.customerId : undefined
}

/**
 * Whether the actor may see a customer's records; `null` is the platform itself. An agent, a customer and a verification page
 * see only those of their own customer: everything else does not exist for them.
 */
export function maySee(op: Pick<Op, 'actor'>, customerId: string | null): boolean {
  const own = ownCustomer(op)
  return own === undefined || own === customerId
}

interface OpOptions {
  /** Adds the request or the job to each line. */
  readonly log?: Log
  readonly from?: RequestOrigin | undefined
  /** Rows that need not be read. */
  readonly known?: ReadonlyMap<string, object | null> | undefined
}

export function createOp(
  app: App,
  platform: PlatformRow,
  actor: Actor,
  { log = app.log, from, known: given }: OpOptions = {},
): Op {
  const known = new KnownRows(given)
  const now = new Date(app.clock().getTime() + Number(platform.clock_offset_ms))
  return {
    now,
    platform,
    actor,
    from,
    mode: app.config.mode,
    wire: app.wire,
    read: app.read,
    known,
    async find(of, ...key) {
      const [id = ''] = key
      const given = known.find(of, id)
      const row = given === undefined ? await app.lookup(of, ...key) : given
      if (row?.platform_id !== platform.id) return undefined
      if (of.table) known.add(of.table, id, row)
      return row
    },
    db: app.db,
    enclave: app.enclave.forOperation(),
    log,
    metrics: app.metrics,
    tracing: app.tracing,
    rates: app.rates,
    fees: app.config.fees,
    positionLimits: app.config.positionLimits,
    sandboxUmaDomain: app.config.sandboxUmaDomain,
    umaProviders: app.config.umaProviders,
    rails: app.rails,
    networkFees: app.networkFees,
    stablecoinProviders: app.stablecoinProviders,
    screening: app.screening,
    depositDetails: app.depositDetails,
    cardProcessor: app.cardProcessor,
    verifier: app.verifier,
    origin: app.origin,
    identityKeys: app.identityKeys,
    delivery: app.delivery,
    messageRules: app.config.mode === 'sandbox' ? undefined : app.config.messageRules,
    fileStore: app.fileStore,
    documentRetentionDays: app.config.documents.retentionDays,
    keptAnswerDays: app.config.retention.keptAnswers,
    personalDataDays: app.config.retention.personalData,
    failedAttempts: app.failedAttempts,
    eventStreams: app.eventStreams,
    requestLog: app.requestLog,
    advanceClock: (target) => app.advanceClock(platform.id, target),
    newId: (kind) => newId(kind, now),
    random: randomBytes,
  }
}

/** The same operation in real time, for what does not follow the clock of the sandbox: who is signed in. */
export function inRealTime(op: Op): Op {
  const now = new Date(op.now.getTime() - Number(op.platform.clock_offset_ms))
  return { ...op, now, newId: (kind) => newId(kind, now) }
}

/** An id that sorts by its time. */
export function newId(kind: IdKind | InternalIdKind, at: Date): string {
  return idOfKind(kind, v7({ msecs: at.getTime(), rng: randomOfId }))
}

const RANDOM_OF_ID = 16
const randomPool = Buffer.alloc(RANDOM_OF_ID * 512)
let randomLeft = 0

/** Random bytes of one id: asking the machine for many at a time costs a fraction. */
function randomOfId(): Uint8Array {
  if (randomLeft === 0) {
    randomFillSync(randomPool)
    randomLeft = randomPool.length
  }
  randomLeft -= RANDOM_OF_ID
  return randomPool.subarray(randomLeft, randomLeft + RANDOM_OF_ID)
}

/** The id of a request in logs where its caller gives none: a UUIDv7. */
export function newRequestId(at: Date): string {
  return v7({ msecs: at.getTime(), rng: randomOfId })
}

/** Real time. The only place that reads the machine's clock. */
export function machineClock(): Date {
  return new Date()
}

/** `time` plus some seconds. */
export function plusSeconds(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000)
}

/** A platform with its config, at the version that was read or a later one. */
export type WithConfig = (platform: BarePlatformRow) => Promise<PlatformRow>
