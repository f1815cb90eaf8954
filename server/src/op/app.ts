import { randomBytes } from 'node:crypto'
import type { Permission } from '@countersign/contract/core/endpoint'
import type { IdKind } from '@countersign/contract/core/ids'
import type { Logger } from 'pino'
import { v7 } from 'uuid'
import type { KeySource } from '../crypto/oidc/keys.ts'
import type { CommitResult, Committer } from '../db/commit/committer.ts'
import type { Write } from '../db/commit/writes.ts'
import type { Database } from '../db/engine/port.ts'
import type { Lookup, RowByKey } from '../db/read/lookup.ts'
import type { Read } from '../db/read/read.ts'
import type { BarePlatformRow, PlatformRow } from '../db/schema/tables.ts'
import type { CardProcessor } from '../ports/card-processor.ts'
import type { Delivery } from '../ports/delivery.ts'
import type { DepositDetails } from '../ports/deposit-details.ts'
import type { Enclave } from '../ports/enclave.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Rail } from '../ports/rail.ts'
import type { RateProvider } from '../ports/rates.ts'
import type { Tries } from '../ports/tries.ts'
import type { FeeSchedule } from '../pricing/fees.ts'
import type { Config } from '../settings/config.ts'
import type { MessageRules } from '../settings/message-rules.ts'
import type { Turns } from './turns.ts'

/** What lives as long as the process. */
export interface App {
  readonly config: Config
  readonly db: Database
  readonly read: Read
  /** Rows by their keys; those that are asked for at the same time share a statement. */
  readonly lookup: Lookup
  /** A platform that credentials or due work brought, with its config: read only where it has changed. */
  readonly withConfig: WithConfig
  readonly committer: Committer
  readonly enclave: Enclave
  readonly log: Logger
  readonly metrics: Metrics
  /** Real time. Operations see their platform's time, as `Op.now`. */
  readonly clock: () => Date
  /** Commits what an operation wants written. Work that is due by it begins at once. */
  commit(op: Op, writes: readonly Write[]): Promise<CommitResult>
  /** Who waits in this process for whom, where operations have missed each other. */
  readonly turns: Turns
  /** Looks for due work now. */
  wakeJobs(): void
  /** Sandbox: moves a platform's clock forward and does what falls due on the way. Gives the time it then is. */
  advanceClock(platformId: string, target: Date): Promise<Date>
  /** Where exchange rates come from; production has none without `RATES_URL`. */
  readonly rates: RateProvider | undefined
  /** How value leaves; production has no way yet. */
  readonly rail: Rail | undefined
  /** Where money is paid in; production has no place yet. */
  readonly depositDetails: DepositDetails | undefined
  /** Who makes cards and asks before they pay; production has nobody yet. */
  readonly cardProcessor: CardProcessor | undefined
  /** Where callers find this server, without a path. */
  readonly origin: () => string
  /** Checks identity tokens against the keys that their issuers publish. */
  readonly identityKeys: KeySource
  /** How messages reach people; sandbox has none. */
  readonly delivery: Delivery
  /** Failed tries at secrets, by who tried, in this process. */
  readonly tries: Tries
}

/**
 * Who is acting: an API token of the platform's backend, an agent, who has a device code, the processor of one of its
 * cards, or the platform's own due work.
 */
export type Actor =
  | { readonly kind: 'token'; readonly tokenId: string; readonly permissions: readonly Permission[] }
  | { readonly kind: 'agent'; readonly agentId: string; readonly customerId: string }
  | { readonly kind: 'deviceCode' }
  | { readonly kind: 'cardProcessor'; readonly cardId: string }
  | { readonly kind: 'job'; readonly jobId: string }

/** One operation. All it knows of time, randomness and identity comes from here; all it sees is one platform's. */
export interface Op {
  /** Fixed for the operation; the platform's own clock. */
  readonly now: Date
  readonly platform: PlatformRow
  readonly actor: Actor
  readonly mode: Config['mode']
  readonly read: Read
  /** A row of this platform by its key. What other operations ask for at the same time shares the statement. */
  find<Row extends { platform_id: string }>(
    of: RowByKey<Row>,
    ...key: readonly string[]
  ): Promise<Row | undefined>
  readonly db: Database
  readonly enclave: Enclave
  /** Its lines say whose they are: the request's or the job's. */
  readonly log: Log
  readonly metrics: Metrics
  readonly rates: RateProvider | undefined
  /** What payments cost, by corridor. */
  readonly fees: FeeSchedule
  /** Where the sandbox's own UMA receivers are. */
  readonly sandboxUmaDomain: string
  readonly rail: Rail | undefined
  readonly depositDetails: DepositDetails | undefined
  readonly cardProcessor: CardProcessor | undefined
  /** Where callers find this server, without a path. */
  readonly origin: () => string
  /** Checks identity tokens against the keys that their issuers publish. */
  readonly identityKeys: KeySource
  readonly delivery: Delivery
  /** Undefined in the sandbox, which sends nothing. */
  readonly messageRules: MessageRules | undefined
  /** Failed tries at secrets, in this process. */
  readonly tries: Tries
  /** Sandbox: moves this platform's clock forward, in transactions of its own. */
  advanceClock(target: Date): Promise<Date>
  /** A new id, `<Kind>:<UUIDv7>`. */
  newId(kind: IdKind | LedgerIdKind): string
  random(bytes: number): Uint8Array
}

/**
 * Whether who acts may see what is a customer's; `null` is the platform itself. An agent sees its own customer's alone:
 * everything else is as if it were not there.
 */
export function maySee(op: Pick<Op, 'actor'>, customerId: string | null): boolean {
  return op.actor.kind !== 'agent' || op.actor.customerId === customerId
}

type LedgerIdKind = 'Hold' | 'Job' | 'Challenge' | 'DeviceCode'

/** `log` adds to each line which request or job it is of. */
export function createOp(app: App, platform: PlatformRow, actor: Actor, log: Log = app.log): Op {
  const now = new Date(app.clock().getTime() + Number(platform.clock_offset_ms))
  return {
    now,
    platform,
    actor,
    mode: app.config.mode,
    read: app.read,
    async find(of, ...key) {
      const row = await app.lookup(of, ...key)
      return row?.platform_id === platform.id ? row : undefined
    },
    db: app.db,
    enclave: app.enclave,
    log,
    metrics: app.metrics,
    rates: app.rates,
    fees: app.config.fees,
    sandboxUmaDomain: app.config.sandboxUmaDomain,
    rail: app.rail,
    depositDetails: app.depositDetails,
    cardProcessor: app.cardProcessor,
    origin: app.origin,
    identityKeys: app.identityKeys,
    delivery: app.delivery,
    messageRules: app.config.mode === 'sandbox' ? undefined : app.config.messageRules,
    tries: app.tries,
    advanceClock: (target) => app.advanceClock(platform.id, target),
    newId: (kind) => newId(kind, now),
    random: randomBytes,
  }
}

/** An id whose order is the order of its time. */
export function newId(kind: IdKind | LedgerIdKind, at: Date): string {
  return `${kind}:${v7({ msecs: at.getTime() })}`
}

/** What a request is called in logs where its caller has not named it: a UUIDv7. */
export function newRequestId(at: Date): string {
  return v7({ msecs: at.getTime() })
}

/** Real time. The one place that asks the machine. */
export function machineClock(): Date {
  return new Date()
}

/** `time` moved by some seconds. */
export function plusSeconds(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000)
}

/** A platform with its config, as it is at the version that was read, or a later one. */
export type WithConfig = (platform: BarePlatformRow) => Promise<PlatformRow>
