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
import { buildId } from '../../storage/engine/ids.ts'
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

/** Process-wide services. */
export interface App {
  readonly config: Config
  /** The spelling of names that contain the wire word (`COUNTERSIGN_WIRE_WORD`). */
  readonly wire: WireSpelling
  readonly db: Database
  readonly read: Read
  /** A standby that serves lists and files, if the operator has configured one. */
  readonly replica: Replica | undefined
  /** Finds rows by key. Concurrent lookups share a statement. */
  readonly lookup: Lookup
  /** Adds its config to a platform found by credentials or a job. Reads the config only if it has changed. */
  readonly withConfig: WithConfig
  readonly committer: Committer
  readonly enclave: Enclave
  readonly log: Logger
  readonly metrics: Metrics
  /** Undefined if tracing is disabled. */
  readonly tracing: Tracing | undefined
  /** Real time. Operations use the time of their platform, `Op.now`. */
  readonly clock: () => Date
  /** Commits the write set of an operation, and starts its jobs that are due. */
  commit(op: Op, writes: readonly Write[]): Promise<CommitResult>
  /** Makes operations of this process on the same records take turns. */
  readonly turns: Turns
  /** Limits concurrent operations per platform, so that none can use up the capacity of the others. */
  readonly gate: CapacityGate
  /** Searches for due jobs now. */
  wakeJobs(): void
  /** Background workers other than requests and jobs. */
  readonly workers: Workers
  /**
   * Sandbox: moves a platform's clock forward and runs the jobs that fall due on the way. Returns the new
   * time.
   */
  advanceClock(platformId: string, target: Date): Promise<Date>
  /** Exchange rates. Undefined in production without `RATES_URL`. */
  readonly rates: RateProvider | undefined
  /** Rails for outgoing and incoming money. In production, the rails of `RAILS_FILE`. */
  readonly rails: Rails
  /** Network fees. Undefined in production, which does not have a source yet. */
  readonly networkFees: NetworkFees | undefined
  /**
   * Providers that check the credentials of stablecoin accounts. Undefined in production without
   * `BRALE_ENVIRONMENT`.
   */
  readonly stablecoinProviders: StablecoinProviders | undefined
  /** Screens addresses. Undefined in production without `SCREENING_FILE` or `SCREENING_URL`. */
  readonly screening: Screening | undefined
  /** Generated accounts for incoming payments. Production uses the accounts that its rails open. */
  readonly depositDetails: DepositDetails | undefined
  /** The card processor. Undefined in production, which does not have one yet. */
  readonly cardProcessor: CardProcessor | undefined
  /** The provider that verifies customers. Without one, team members decide. */
  readonly verifier: Verifier | undefined
  /** The public URL of this server, without a path. */
  readonly origin: () => string
  /** Published keys of the issuers of identity tokens. */
  readonly identityKeys: KeySource
  /** Delivers messages to people. Undefined in the sandbox. */
  readonly delivery: Delivery
  /** Stores sealed files. */
  readonly fileStore: FileStore
  /** The folder in which this process keeps files before they are stored. */
  readonly spool: { readonly folder: string }
  /** Counts failed attempts to guess secrets, by caller, within this process. */
  readonly failedAttempts: FailedAttempts
  /** The event streams served by this process. */
  readonly eventStreams: EventStreams
  readonly requestLog: WaitingRequests
}

/**
 * The actor of an operation: an API token of the platform, an agent, a customer with a token, a team member
 * or someone signing in as one, the holder of a device code, a card processor, a verification provider, a
 * rail, the server's operator, a job, the holder of a file link, or a customer on its verification page.
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

/** The origin of a request. */
export interface RequestOrigin {
  readonly address: string
  /** The `User-Agent` header, cut to 500 characters. */
  readonly userAgent: string | undefined
  /**
   * The URL of this server without a path, as the caller wrote it (`https://pay.example`), or PUBLIC_URL if
   * set.
   */
  readonly ownOrigin: string
}

/** One operation. It provides the time, randomness and identity, and sees the data of one platform only. */
export interface Op {
  /** The time of the platform's clock, fixed for the whole operation. */
  readonly now: Date
  readonly platform: PlatformRow
  readonly actor: Actor
  /** Undefined in background work. */
  readonly from: RequestOrigin | undefined
  /** Sandbox: the fault to inject into the webhooks of its events, if the call requested one. */
  readonly webhookFault?: WebhookFault
  readonly mode: Config['mode']
  /** The origin of the other deployment, to which console members can switch. */
  readonly otherConsoleUrl: string | undefined
  /** See `App.wire`. */
  readonly wire: WireSpelling
  readonly read: Read
  /** The rows that the operation has read so far. */
  readonly known: KnownRows
  /** Reads a row of this platform by key. Concurrent reads of other operations share the statement. */
  find<Row extends { platform_id: string }>(
    of: RowByKey<Row>,
    ...key: readonly string[]
  ): Promise<Row | undefined>
  readonly db: Database
  readonly enclave: OperationEnclave
  /** A log that adds the fields of the request or job to each line. */
  readonly log: Log
  readonly metrics: Metrics
  /** See `App.tracing`. */
  readonly tracing: Tracing | undefined
  readonly requestLog: WaitingRequests
  /** The states of this process's background workers. */
  readonly workers: Pick<Workers, 'states'>
  readonly rates: RateProvider | undefined
  /** The fees of payments, by pair of currencies. */
  readonly fees: FeeSchedule
  /** Limits on the platform's short positions, by currency. Undefined if the operator sets no limits. */
  readonly positionLimits: PositionLimits | undefined
  /** The host of the sandbox's own UMA receivers. */
  readonly sandboxUmaDomain: string
  /**
   * UMA providers known to the server in addition to the platform itself. Undefined if the operator has named
   * none.
   */
  readonly umaProviders: readonly KnownUmaProvider[] | undefined
  readonly rails: Rails
  readonly networkFees: NetworkFees | undefined
  readonly stablecoinProviders: StablecoinProviders | undefined
  readonly screening: Screening | undefined
  readonly depositDetails: DepositDetails | undefined
  readonly cardProcessor: CardProcessor | undefined
  readonly verifier: Verifier | undefined
  /** The public URL of this server, without a path. */
  readonly origin: () => string
  /** Published keys of the issuers of identity tokens. */
  readonly identityKeys: KeySource
  readonly delivery: Delivery
  /** Undefined in the sandbox, which sends nothing. */
  readonly messageRules: MessageRules | undefined
  /** Stores sealed files. `openStoredFile` of `stored-files.ts` reads them. */
  readonly fileStore: FileStore
  /** The retention of a deleted customer's documents. */
  readonly documentRetentionDays: number
  /** The number of days for which an `Idempotency-Key` keeps returning the stored response. */
  readonly storedResponseDays: number
  /** The minimum retention of a deleted customer's identifying data, even if an erasure is requested. */
  readonly personalDataDays: number
  /** Counts failed attempts to guess secrets, within this process. */
  readonly failedAttempts: FailedAttempts
  /** The event streams served by this process. */
  readonly eventStreams: EventStreams
  /** Sandbox: moves this platform's clock forward, in separate transactions. */
  advanceClock(target: Date): Promise<Date>
  /** Creates an id, `<Kind>:<UUIDv7>`, whose last byte is the number of the kind. */
  newId(kind: IdKind | InternalIdKind): string
  random(bytes: number): Uint8Array
}

/** The only customer whose records the actor may see. Undefined if it may see the whole platform. */
export function getOwnCustomerId({ actor }: Pick<Op, 'actor'>): string | undefined {
  return 'customerId' in actor ? actor.customerId : undefined
}

/**
 * True if the actor may see a customer's records; `null` is the platform itself. Agents, customers and
 * verification pages see only their own customer, and other records look missing to them.
 */
export function canSee(op: Pick<Op, 'actor'>, customerId: string | null): boolean {
  const ownCustomerId = getOwnCustomerId(op)
  return ownCustomerId === undefined || ownCustomerId === customerId
}

interface OpOptions {
  /** Adds the fields of the request or job to each line. */
  readonly log?: Log
  readonly from?: RequestOrigin | undefined
  /** Rows that were already read. */
  readonly known?: ReadonlyMap<string, object | null> | undefined
}

export function createOp(
  app: App,
  platform: PlatformRow,
  actor: Actor,
  { log = app.log, from, known: knownRows }: OpOptions = {},
): Op {
  const known = new KnownRows(knownRows)
  const now = new Date(app.clock().getTime() + Number(platform.clock_offset_ms))
  return {
    now,
    platform,
    actor,
    from,
    mode: app.config.mode,
    otherConsoleUrl: app.config.otherConsoleUrl,
    wire: app.wire,
    read: app.read,
    known,
    async find(of, ...key) {
      const [id = ''] = key
      const knownRow = known.find(of, id)
      const row = knownRow === undefined ? await app.lookup(of, ...key) : knownRow
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
    storedResponseDays: app.config.retention.keptAnswers,
    personalDataDays: app.config.retention.personalData,
    failedAttempts: app.failedAttempts,
    eventStreams: app.eventStreams,
    requestLog: app.requestLog,
    workers: app.workers,
    advanceClock: (target) => app.advanceClock(platform.id, target),
    newId: idsOf(now),
    random: randomBytes,
  }
}

/** A copy of the operation in real time, for data that ignores the sandbox clock, such as sign-ins. */
export function toRealTimeOp(op: Op): Op {
  const now = new Date(op.now.getTime() - Number(op.platform.clock_offset_ms))
  return { ...op, now, newId: idsOf(now) }
}

/** Creates an id that sorts by its time. */
export function newId(kind: IdKind | InternalIdKind, at: Date): string {
  return idsOf(at)(kind)
}

/**
 * Creates ids with one time that sort in the order of their creation, so that lists show the records of one
 * request in that order.
 */
export function idsOf(at: Date): Op['newId'] {
  const msecs = at.getTime()
  let seq: number | undefined
  return (kind) => {
    // The counter has 32 random bits. Starting with 31 of them leaves room to count up.
    seq = seq === undefined ? takeRandomBytes().readUInt32BE() >>> 1 : seq + 1
    return buildId(kind, v7({ msecs, seq, rng: takeRandomBytes }))
  }
}

const RANDOM_OF_ID = 16
const randomPool = Buffer.alloc(RANDOM_OF_ID * 512)
let randomLeft = 0

/** The random bytes of one id. Generating bytes for many ids together costs a fraction. */
function takeRandomBytes(): Buffer {
  if (randomLeft === 0) {
    randomFillSync(randomPool)
    randomLeft = randomPool.length
  }
  randomLeft -= RANDOM_OF_ID
  return randomPool.subarray(randomLeft, randomLeft + RANDOM_OF_ID)
}

/** Creates a UUIDv7 for a request whose caller sent no id. */
export function newRequestId(at: Date): string {
  return v7({ msecs: at.getTime(), rng: takeRandomBytes })
}

/** Real time. No other code reads the machine's clock. */
export function machineClock(): Date {
  return new Date()
}

/** Adds a number of seconds to a time. */
export function addSeconds(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000)
}

/** Adds the config of a platform, in the version that was read or a later one. */
export type WithConfig = (platform: BarePlatformRow) => Promise<PlatformRow>
